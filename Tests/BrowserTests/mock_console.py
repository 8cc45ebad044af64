#!/usr/bin/env python3
"""A console without a bus: the HTTP API over presentations that are made up.

For working on the page without building Swift, and for trying the browser tests themselves:

    python3 Tests/BrowserTests/mock_console.py --items 500 --rate 1
"""
import argparse
import json
import pathlib
import random
import threading
import time
import urllib.parse
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from mock_bus import MockBus
from mock_silences import MockSilences
from mock_support import Refused, stamp

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Sources/bus-node/Console/Page"
KINDS_OF_FILES = {".css": "text/css", ".js": "text/javascript"}
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
          "img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
SEVERITIES = ["debug", "info", "warning", "error", "critical"]


class Inbox:
    """What the node would hold, under one lock."""

    def __init__(self, settle_after):
        self.changed = threading.Condition(threading.RLock())
        self.settle_after = settle_after
        # Above those of an earlier life.
        self.base = self.revision = int(time.time() * 1000)
        self.started = stamp()
        self.items = {}
        self.reports = {}
        self.opened = {}
        self.ends = {}
        self.undone_groups = 0
        self.groups = {}
        self.events = []
        self.silences = MockSilences(self)
        self.bus = MockBus()
        self.moments = {"presented": [], "answered": [], "recovered": [], "failed": []}

    # Changes

    def present(self, report, path=("worker-1", "relay"), age=0.0, deadline=None, **more):
        with self.changed:
            if self.silences.takes(report, path):
                return None
            key = report.get("coalesceKey") or json.dumps(
                [report["domain"], report.get("code"),
                 [option["id"] for option in report.get("recoveryOptions", [])]])
            members = self.groups.get(key, [])
            if not any(item["stage"] in ("open", "claimed") for item in members):
                members = self.groups[key] = []
            number = members[0]["group"] if members else len(self.opened) + 1
            item = {
                "id": str(uuid.uuid4()), "stage": "open", "group": number,
                "domain": report["domain"], "code": report.get("code"),
                "description": report["description"],
                "severity": report.get("severity", "error"), "origin": path[0] if path else None,
                "path": list(path),
                "options": [{"id": option["id"], "title": option["title"],
                             "role": option.get("role")}
                            for option in report.get("recoveryOptions", [])],
                "retryCount": 0, "wasShownBefore": False, "isReachable": True,
                "openedAt": stamp(time.time() - age), "deadlineInMilliseconds": None,
                "onExpiry": report.get("onExpiry"),
                "claimedBy": None, "claimedUntil": None, "leavesAt": None, "answer": None,
                "result": None, "reason": None, **more}
            members.append(item)
            self.reports[item["id"]] = report
            self.touch(item)
            self.opened[item["id"]] = item["revision"]
            if deadline is not None:
                self.ends[item["id"]] = time.time() + deadline
                threading.Timer(deadline, self.expire, (item["id"],)).start()
            self.moments["presented"].append(time.time() - age)
            self.note("present", item, description=item["description"], origin=item["origin"],
                      options=",".join(option["id"] for option in item["options"]))
            return item

    def touch(self, item, **values):
        self.revision += 1
        # The order of the dictionary is the order of the revisions.
        self.items.pop(item["id"], None)
        item.update(values, revision=self.revision, changedAt=stamp())
        self.items[item["id"]] = item
        self.changed.notify_all()
        return item

    def note(self, event, item, **fields):
        self.events.append({"time": stamp(), "event": event, "id": item["id"], "fields": {
            name: str(value) for name, value in fields.items() if value is not None}})
        del self.events[:-5000]

    # What people ask for

    def find(self, identity):
        if identity not in self.items:
            raise Refused(404, "unknown", f"no presentation {identity} here")
        item = self.items[identity]
        if item["stage"] == "claimed" and item["claimedUntil"] < stamp():
            self.touch(item, stage="open", claimedBy=None, claimedUntil=None)
        return item

    def refuse(self, item, by, takes_over=False):
        if item["answer"]:
            told = item["answer"]
            raise Refused(409, "answered", f"answered before with \"{told['option']}\" by "
                          f"{told['by']} at {item['changedAt']}", by=told["by"],
                          option=told["option"], at=item["changedAt"])
        if item["stage"] == "closed":
            raise Refused(409, "closed", f"no longer open: {item['reason']}")
        if item["stage"] == "claimed" and item["claimedBy"] != by and not takes_over:
            raise Refused(409, "claimed", f"claimed by {item['claimedBy']} until "
                          f"{item['claimedUntil']}; take the claim over first",
                          by=item["claimedBy"])

    def answer(self, identity, body):
        with self.changed:
            item = self.find(identity)
            earlier = item["answer"]
            if earlier and earlier["id"] == body.get("answer"):
                return item
            self.refuse(item, body["by"])
            offered = [option["id"] for option in item["options"]]
            if body["option"] not in offered:
                raise Refused(422, "notOffered", f"option \"{body['option']}\" is not offered",
                              offered=offered)
            answer = {"id": body.get("answer") or str(uuid.uuid4()), "option": body["option"],
                      "by": body["by"], "via": "console"}
            wait = body.get("undoMilliseconds", 0) / 1000
            if wait == 0:
                return self.leave(item, answer)
            self.touch(item, stage="leaving", answer=answer, leavesAt=stamp(time.time() + wait))
            threading.Timer(wait, self.leave, (item, answer)).start()
            return item

    def leave(self, item, answer):
        with self.changed:
            if item["answer"] not in (None, answer) or (
                    item["stage"] not in ("open", "claimed", "leaving")):
                return item
            if item["stage"] == "leaving" and item["answer"]["id"] != answer["id"]:
                return item
            self.touch(item, stage="answered", answer=answer, leavesAt=None, claimedBy=None,
                       claimedUntil=None)
            self.moments["answered"].append(time.time())
            self.note("decide", item, **{**answer, "id": None})
            threading.Timer(self.settle_after, self.settle, (item,)).start()
            return item

    def settle(self, item):
        with self.changed:
            role = next(option["role"] for option in item["options"]
                        if option["id"] == item["answer"]["option"])
            result = "failed" if role == "cancel" else "recovered"
            self.touch(item, stage="settled", result=result)
            self.moments[result].append(time.time())
            self.note("done", item, option=item["answer"]["option"], by=item["answer"]["by"],
                      result=result)

    def undo(self, identity, body):
        with self.changed:
            item = self.find(identity)
            if item["stage"] != "leaving":
                raise Refused(409, "nothingToUndo",
                              "nothing to undo: it is not answered, or the answer has left")
            return self.touch(item, stage="claimed", answer=None, leavesAt=None,
                              claimedBy=body["by"], claimedUntil=stamp(time.time() + 60))

    def claim(self, identity, body):
        with self.changed:
            item = self.find(identity)
            self.refuse(item, body["by"], body.get("takeOver", False))
            return self.touch(item, stage="claimed", claimedBy=body["by"],
                              claimedUntil=stamp(time.time() + body["forMilliseconds"] / 1000))

    def release(self, identity, body):
        with self.changed:
            item = self.find(identity)
            self.refuse(item, body["by"])
            return self.touch(item, stage="open", claimedBy=None, claimedUntil=None)

    def expire(self, identity):
        """Nobody has answered in time."""
        with self.changed:
            item = self.find(identity)
            if item["stage"] not in ("open", "claimed"):
                return
            if item["onExpiry"]:
                self.leave(item, {"id": str(uuid.uuid4()), "option": item["onExpiry"],
                                  "by": "expiry", "via": "expiry"})
            else:
                self.touch(item, stage="closed", reason="expired")

    def undo_group(self, number, body):
        with self.changed:
            members = [item for item in self.items.values() if item["group"] == number]
            if not members:
                raise Refused(404, "unknownGroup", f"no group {number} is here")
            leaving = [item["id"] for item in members if item["stage"] == "leaving"]
            if not leaving:
                raise Refused(409, "nothingToUndo", "nothing to undo: every answer has left")
            for identity in leaving:
                self.undo(identity, body)
            self.undone_groups += 1
            return {"undone": leaving, "refused": []}

    def withdraw(self, identity):
        with self.changed:
            self.touch(self.items[identity], stage="closed", reason="withdrawn")
            self.note("complete", self.items[identity], reason="withdrawn")

    def answer_group(self, number, body):
        with self.changed:
            members = [item for item in self.items.values() if item["group"] == number
                       and item["stage"] in ("open", "claimed")
                       and self.opened[item["id"]] <= body.get("seen", self.revision)]
            if not members:
                raise Refused(404, "unknownGroup", f"no group {number} is open")
            answered, refused = [], []
            for item in members:
                try:
                    self.answer(item["id"], {**body, "answer": None})
                    answered.append(item["id"])
                except Refused as refusal:
                    refused.append({"id": item["id"], "message": refusal.body["message"]})
            return {"answered": answered, "refused": refused}

    # What people read

    def page(self, after, limit, stage="all"):
        ended = ("answered", "settled", "closed")
        with self.changed:
            newer = []
            for item in reversed(self.items.values()):
                if item["revision"] <= after:
                    break
                if stage == "all" or (item["stage"] in ended) == (stage == "ended"):
                    newer.append(item)
            items = [self.told(item) for item in newer[::-1][:limit]]
            groups = self.open_groups()
            return json.loads(json.dumps({
                "node": "central", "revision": self.revision, "items": items,
                "openCount": sum(group["members"] for group in groups),
                "groups": groups[:200], "groupCount": len(groups)}))

    def told(self, item):
        """With the time that is left now."""
        end = self.ends.get(item["id"])
        left = None if end is None else max(0, int((end - time.time()) * 1000))
        return {**item, "deadlineInMilliseconds": left}

    def open_groups(self):
        found = {}
        for item in self.items.values():
            if item["stage"] in ("open", "claimed"):
                found.setdefault(item["group"], []).append(item)
        groups = []
        for number, members in found.items():
            first = min(members, key=lambda item: item["openedAt"])
            severity = max(members, key=lambda item: SEVERITIES.index(item["severity"]))
            groups.append({
                "number": number, "severity": severity["severity"], "members": len(members),
                "origins": len({item["origin"] for item in members}),
                "first": self.told(first),
                "ids": [item["id"] for item in members[:100]]})
        groups.sort(key=lambda group: (-SEVERITIES.index(group["severity"]),
                                       group["first"]["openedAt"]))
        return groups

    def detail(self, identity):
        with self.changed:
            history = [event for event in self.events if event["id"] == identity]
            return {**self.told(self.find(identity)), "report": self.reports[identity], "history": history}

    def audit(self, query, limit):
        with self.changed:
            found = (event for event in reversed(self.events)
                     if query.lower() in json.dumps(event).lower())
            return {"events": [event for event, _ in zip(found, range(limit))]}

    def chart(self):
        start = int(time.time() // 60) * 60 - 59 * 60
        buckets = [{"at": stamp(start + 60 * index)} for index in range(60)]
        for name, moments in self.moments.items():
            counts = [0] * 60
            for moment in moments:
                if 0 <= moment - start < 3600:
                    counts[int((moment - start) // 60)] += 1
            for bucket, count in zip(buckets, counts):
                bucket[name] = count
        return {"stepMilliseconds": 60000, "buckets": buckets}

    def status(self):
        open_count = sum(group["members"] for group in self.open_groups())
        return {"node": "central", "version": "mock", "startedAt": self.started,
                "tables": {"children": 2, "openBelow": len(self.items), "rememberedBelow": 0,
                           "attempts": 1, "offered": 4, "openAbove": 0, "rememberedAbove": 0,
                           "waiting": 0},
                "topology": self.bus.topology(open_count)}


def handler(inbox, token):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *arguments):
            pass

        def reply(self, status, body, kind="application/json", headers=()):
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in [("Content-Type", f"{kind}; charset=utf-8"),
                                ("Content-Length", str(len(data))),
                                ("Content-Security-Policy", POLICY), *headers]:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def guarded(self, work):
            try:
                if f"errorbus={token}" not in self.headers.get("Cookie", ""):
                    raise Refused(401, "unauthorized", "no valid token")
                work()
            except Refused as refusal:
                self.reply(refusal.status, refusal.body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def do_GET(self):
            address = urllib.parse.urlsplit(self.path)
            query = dict(urllib.parse.parse_qsl(address.query))
            if address.path == "/" and query.get("token") == token:
                self.reply(303, b"", headers=[("Location", "/"), (
                    "Set-Cookie", f"errorbus={token}; HttpOnly; SameSite=Strict; Path=/")])
            else:
                self.guarded(lambda: self.get(address.path, query))

        def get(self, path, query):
            if path == "/":
                return self.reply(200, (PAGE / "console.html").read_bytes(), "text/html")
            file = PAGE / path.removeprefix("/page/")
            if file.parent == PAGE and file.suffix in KINDS_OF_FILES and file.exists():
                return self.reply(200, file.read_bytes(), KINDS_OF_FILES[file.suffix])
            if path == "/api/v1/silences":
                return self.reply(200, inbox.silences.listed())
            if path == "/api/v1/events":
                return self.stream(int(self.headers.get("Last-Event-ID") or query.get("after", 0)))
            if path == "/api/v1/inbox":
                return self.reply(200, inbox.page(int(query.get("after", 0)), int(
                    query.get("limit", 500)), query.get("stage", "open")))
            if path.startswith("/api/v1/presentations/"):
                return self.reply(200, inbox.detail(path.rsplit("/", 1)[1]))
            if path == "/api/v1/audit":
                return self.reply(200, inbox.audit(query.get("q", ""),
                                                   int(query.get("limit", 200))))
            if path in ("/api/v1/chart", "/api/v1/status"):
                return self.reply(200, getattr(inbox, path.rsplit("/", 1)[1])())
            raise Refused(404, "unknownPath", f"nothing at {path}")

        def stream(self, after):
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            reset = after > inbox.revision or after < inbox.base
            after = inbox.base if reset else after
            hello = {"node": "central", "startedAt": inbox.started, "isReset": reset}
            self.wfile.write(f"event: hello\ndata: {json.dumps(hello)}\n\n".encode())
            self.close_connection = True
            first = True
            while True:
                with inbox.changed:
                    if not inbox.changed.wait_for(lambda: first or inbox.revision > after, 15):
                        page = None
                    else:
                        page = inbox.page(after, 500)
                if page is None:
                    self.wfile.write(b"event: ping\ndata: {}\n\n")
                else:
                    first = False
                    after = page["items"][-1]["revision"] if page["items"] else after
                    page["revision"] = after
                    self.wfile.write(f"id: {after}\nevent: change\ndata: {json.dumps(page)}\n\n"
                                     .encode())
                self.wfile.flush()
                time.sleep(0.1)

        def do_POST(self):
            length = int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(length) or b"{}")
            if self.path == "/mock":
                made = [inbox.present(each.pop("report"), **each) for each in body]
                return self.reply(200, {"ids": [item and item["id"] for item in made]})
            if self.path == "/mock/fill":
                fill(inbox, body["items"])
                return self.reply(200, {})
            if self.path == "/mock/bus":
                return self.reply(200, inbox.bus.change(body))
            if self.path == "/mock/counts":
                return self.reply(200, {"undoneGroups": inbox.undone_groups})
            return self.guarded(lambda: self.post(self.path.split("/")[3:], body))

        def post(self, parts, body):
            if parts[0] == "silences":
                return self.reply(200, inbox.silences.post(parts[1:], body))
            if parts[0] == "groups":
                verb = {"answer": inbox.answer_group, "undo": inbox.undo_group}[parts[2]]
                return self.reply(200, verb(int(parts[1]), body))
            verbs = {"answer": inbox.answer, "undo": inbox.undo, "claim": inbox.claim,
                     "release": inbox.release}
            return self.reply(200, verbs[parts[2]](parts[1], body))

    return Handler


KINDS = [
    ("critical", "org.example.storage", 28, "The volume /srv/archive has no space left.",
     "The nightly snapshots were kept for 90 days instead of 9.",
     "Delete snapshots older than nine days, or attach another volume.",
     [("retry", "Retry", "default"), ("purge", "Delete old snapshots", "destructive"),
      ("cancel", "Stop the import", "cancel")]),
    ("error", "org.example.billing", 409, "Invoice 2024-1187 exists already with another amount.",
     "The file says 1 240.00, the ledger 1 420.00.", "Compare both before overwriting.",
     [("skip", "Skip this invoice", "default"), ("overwrite", "Overwrite", "destructive"),
      ("cancel", "Abort the run", "cancel")]),
    ("error", "bus-node.exec", 23, "rsync ended with 23: some files could not be transferred.",
     "backup:/srv/data: Permission denied (13)", None,
     [("retry", "Retry", "default"), ("skip", "Skip", None), ("cancel", "Abort", "cancel")]),
    ("warning", "org.example.mail", 421, "mx2.example.org takes no mail for now.", None,
     "It says to try again in ten minutes.",
     [("wait", "Wait ten minutes", "default"), ("reroute", "Use mx1", None),
      ("cancel", "Give up", "cancel")]),
    ("info", "org.example.schema", None, "Two columns of the feed are new: vat_id, region.", None,
     None, [("take", "Take them over", "default"), ("ignore", "Ignore them", None)]),
]


def made_up(chance, distinct):
    severity, domain, code, description, reason, suggestion, options = chance.choice(KINDS)
    report = {
        "domain": domain, "code": code, "description": description, "severity": severity,
        "failureReason": reason, "recoverySuggestion": suggestion,
        "userInfo": {"host": f"node-{chance.randint(1, 40):02}", "attempt": chance.randint(1, 4),
                     "path": "/srv/data/in/2024-06-11.csv"},
        "underlyingErrors": [{"domain": "NSPOSIXErrorDomain", "code": 28,
                              "description": "No space left on device",
                              "underlyingErrors": [{"domain": "block", "code": 5,
                                                    "description": "write failed"}]}],
        "recoveryOptions": [{"id": identity, "title": title, "role": role}
                            for identity, title, role in options]}
    if chance.random() < distinct:
        report["coalesceKey"] = str(chance.random())
        report["description"] = f"{description[:-1]} (batch {chance.randint(1, 99999)})."
    return {name: value for name, value in report.items() if value is not None}


def deadline_of(report, chance):
    """Some mails are sent another way when nobody says anything."""
    if not report["domain"].endswith("mail"):
        return None
    report["onExpiry"] = "reroute"
    return chance.uniform(90, 1500)


def fill(inbox, count, seed=1, distinct=0.1):
    chance = random.Random(seed)
    for _ in range(count):
        origin = f"worker-{chance.randint(1, 12)}"
        report = made_up(chance, distinct)
        inbox.present(report, (origin, chance.choice(["relay", "relay-us"])),
                      age=chance.expovariate(1 / 900), deadline=deadline_of(report, chance))


def live(inbox, arguments):
    fill(inbox, arguments.items, arguments.seed, arguments.distinct)
    chance = random.Random(arguments.seed)
    while arguments.rate > 0:
        time.sleep(chance.expovariate(arguments.rate))
        waiting = [item for item in list(inbox.items.values()) if item["stage"] == "open"]
        if waiting and chance.random() < 0.6:
            item = chance.choice(waiting)
            inbox.answer(item["id"], {"by": chance.choice(["bea", "carl", "policy"]),
                                      "option": chance.choice(item["options"])["id"],
                                      "undoMilliseconds": chance.choice([0, 3000])})
        else:
            inbox.present(made_up(chance, arguments.distinct),
                          (f"worker-{chance.randint(1, 12)}", "relay"))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--token", default="mock")
    parser.add_argument("--items", type=int, default=0, help="open at the start")
    parser.add_argument("--rate", type=float, default=0, help="changes a second")
    parser.add_argument("--distinct", type=float, default=0.1, help="share of ungrouped errors")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--settle-after", type=float, default=0.5, help="seconds to a result")
    arguments = parser.parse_args()
    inbox = Inbox(arguments.settle_after)
    server = ThreadingHTTPServer(("127.0.0.1", arguments.port), handler(inbox, arguments.token))
    server.daemon_threads = True
    threading.Thread(target=live, args=(inbox, arguments), daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/?token={arguments.token}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
