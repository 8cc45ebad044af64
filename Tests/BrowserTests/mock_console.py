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
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from mock_inbox import Inbox
from mock_made_up import fill, made_up
from mock_support import Refused

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Sources/bus-node/Console/Page"
KINDS_OF_FILES = {".css": "text/css", ".js": "text/javascript"}
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
          "img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")


def handler(inbox, token):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *arguments):
            pass

        def reply(self, status, body, kind="application/json", headers=()):
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            if not self.is_known():
                headers = [*headers, ("Connection", "close")]
            self.send_response(status)
            for name, value in [("Content-Type", f"{kind}; charset=utf-8"),
                                ("Content-Length", str(len(data))),
                                ("Content-Security-Policy", POLICY), *headers]:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def is_known(self):
            return f"errorbus={token}" in self.headers.get("Cookie", "")

        def guarded(self, work):
            try:
                if not self.is_known():
                    raise Refused(401, "unauthorized", "no valid token")
                work()
            except Refused as refusal:
                self.reply(refusal.status, refusal.body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def do_GET(self):
            address = urllib.parse.urlsplit(self.path)
            query = dict(urllib.parse.parse_qsl(address.query))
            file = PAGE / address.path.removeprefix("/page/")
            if address.path == "/" and query.get("token") == token:
                self.reply(303, b"", headers=[("Location", "/"), (
                    "Set-Cookie", f"errorbus={token}; HttpOnly; SameSite=Strict; Path=/")])
            elif address.path == "/":
                # No data is in it: the door, where the token is missing, is a part of it.
                is_foreign = self.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site")
                self.reply(200 if self.is_known() or is_foreign else 401,
                           (PAGE / "console.html").read_bytes(), "text/html")
            elif file.parent == PAGE and file.suffix in KINDS_OF_FILES and file.exists():
                self.reply(200, file.read_bytes(), KINDS_OF_FILES[file.suffix])
            else:
                self.guarded(lambda: self.get(address.path, query))

        def get(self, path, query):
            if path == "/api/v1/silences":
                return self.reply(200, inbox.silences.listed())
            if path == "/api/v1/events":
                return self.stream(int(self.headers.get("Last-Event-ID") or query.get("after", 0)))
            if path == "/api/v1/inbox":
                return self.reply(200, inbox.page(int(query.get("after", 0)), int(
                    query.get("limit", 500)), query.get("stage", "open")))
            if path.startswith("/api/v1/groups/"):
                return self.reply(200, inbox.group(int(path.rsplit("/", 1)[1])))
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
