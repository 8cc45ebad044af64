"""The presentations of the mock: what a node would hold."""
import json
import threading
import time
import uuid

from mock_bus import MockBus
from mock_silences import SEVERITIES, MockSilences
from mock_support import Refused, stamp


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
        self.moments = {"presented": [], "answered": [], "recovered": [], "failed": [],
                        "cancelled": []}

    # Changes

    def present(self, report, path=("worker-1", "relay"), age=0.0, deadline=None, **more):
        with self.changed:
            if self.silences.takes(report, path):
                return None
            key = json.dumps([
                report["domain"], report.get("coalesceKey") or [
                    report.get("code"), report["description"]],
                [[option["id"], option["title"], option.get("role")]
                 for option in report.get("recoveryOptions", [])]])
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
            self.moments["cancelled" if role == "cancel" else result].append(time.time())
            self.note("done", item, option=item["answer"]["option"], by=item["answer"]["by"],
                      result=result)

    def undo(self, identity, body):
        with self.changed:
            item = self.find(identity)
            if item["stage"] != "leaving":
                raise Refused(409, "nothingToUndo",
                              "nothing to undo: it is not answered, or the answer has left")
            self.note("undo", item, by=body["by"])
            return self.touch(item, stage="claimed", answer=None, leavesAt=None,
                              claimedBy=item["answer"]["by"],
                              claimedUntil=stamp(time.time() + 60))

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
            return {"undone": leaving}

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
            self.refuse_unseen(members, body)
            answered, refused = [], []
            for item in members:
                try:
                    self.answer(item["id"], {**body, "answer": None})
                    answered.append(item["id"])
                except Refused as refusal:
                    refused.append({"id": item["id"], "message": refusal.body["message"],
                                    "error": refusal.body["error"]})
            return {"answered": answered, "refused": refused}

    def refuse_unseen(self, members, body):
        """An option that is another one than was seen, or of what no client has said it saw."""
        for option in (option for item in members for option in item["options"]
                       if option["id"] == body["option"]):
            found = {"title": option["title"], "role": option["role"] or "none"}
            if any(body.get(name, value) != value for name, value in found.items()):
                raise Refused(409, "notSeen", f"not answered: {body['option']}: found {found}")
            if "seen" not in body and "role" not in body and option["role"] == "destructive":
                raise Refused(409, "notSeen", "not answered: it is destructive: send role, or seen")
        if "seen" not in body and {"description", "options"} & set(self.varies(members)):
            raise Refused(409, "notSeen", "not answered: its members differ: send seen")

    def varies(self, members):
        reports = [self.reports[item["id"]] for item in members]
        names = {"description": "description", "failureReason": "failureReason",
                 "recoverySuggestion": "recoverySuggestion", "severity": "severity",
                 "domain": "domain", "code": "code", "options": "recoveryOptions",
                 "userInfo": "userInfo"}
        return [name for name, key in names.items()
                if any(report.get(key) != reports[0].get(key) for report in reports)]

    def group(self, number):
        with self.changed:
            for group in self.open_groups():
                if group["number"] == number:
                    members = [item for item in self.items.values() if item["group"] == number
                               and item["stage"] in ("open", "claimed")]
                    return {**group, "varies": self.varies(members), "items": [
                        {**{name: item[name] for name in ("id", "description", "severity",
                                                          "origin")},
                         "failureReason": self.reports[item["id"]].get("failureReason")}
                        for item in members[:500]]}
            raise Refused(404, "unknownGroup", f"no group {number} is open")

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
            is_last = len(items) == len(newer)
            groups = self.open_groups()
            return json.loads(json.dumps({
                "node": "central", "startedAt": self.started, "items": items,
                "revision": self.revision if is_last else items[-1]["revision"],
                "isLast": is_last,
                "openCount": sum(group["members"] for group in groups),
                "groups": groups[:200], "groupCount": len(groups)}))

    def told(self, item):
        """With the time that is left now."""
        end = self.ends.get(item["id"])
        left = None if end is None else max(0, int((end - time.time()) * 1000))
        words = {"failed": "not recovered", "late": "too late", "unknown": "no result known",
                 "declined": "passed on"}
        ending = item["result"] or item["reason"]
        roles = {option["id"]: option["role"] for option in item["options"]}
        if ending == "failed" and roles.get(item["answer"]["option"]) == "cancel":
            ending = "cancelled"
        return {**item, "deadlineInMilliseconds": left, "failedAgain": None,
                "ending": words.get(ending, ending)}

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
            report = self.reports[identity]
            return {**self.told(self.find(identity)), "report": report,
                    "changes": report.get("changes", []), "history": history}

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
