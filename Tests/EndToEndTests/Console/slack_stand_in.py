"""A stand-in for Slack's Web API, for the people who press its buttons, and for a console.

    slack_stand_in.py BOT-TOKEN SIGNING-SECRET

Prints its address, then one line of JSON for each request of the app. `POST /press` with `app`,
`user` and `option` presses the latest button with that option, as that user, and returns the app's
status; with `secret` it is signed with that one. A message about a `riddle` is refused. `GET`
returns what `POST /inbox` had last.
"""
import hashlib
import hmac
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BOT, SIGNING = sys.argv[1:]
messages = {}
inbox = {}


class Slack(BaseHTTPRequestHandler):
    def do_GET(self):
        self.reply(inbox)

    def do_POST(self):
        global inbox
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/press":
            self.reply({"status": press(**body)})
        elif self.path == "/inbox":
            inbox = body
            self.reply({})
        elif self.headers["Authorization"] != f"Bearer {BOT}":
            self.reply({"ok": False, "error": "invalid_auth"})
        else:
            print(json.dumps({"method": self.path[1:], "body": body}), flush=True)
            if "riddle" in body["text"] or not all(map(fits, body.get("blocks", []))):
                self.reply({"ok": False, "error": "invalid_blocks"})
                return
            stamp = body.get("ts") or str(len(messages) + 1)
            if "blocks" in body:
                messages[stamp] = body["blocks"]
            self.reply({"ok": True, "channel": body["channel"], "ts": stamp})

    def reply(self, value):
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def fits(block):
    """Whether Slack takes a block with texts and values that are so long, or empty."""
    return len(block.get("text", {}).get("text", "")) <= 3000 and all(
        len(element["value"]) <= 2000 and element["text"]["text"].strip()
        for element in block.get("elements", []))


def press(app, user, option, secret=None):
    action = [element for blocks in messages.values() for block in blocks
              for element in block.get("elements", []) if element["action_id"] == option][-1]
    payload = {"type": "block_actions", "user": {"id": user}, "channel": {"id": "C1"},
               "actions": [action]}
    body = urllib.parse.urlencode({"payload": json.dumps(payload)}).encode()
    stamp = str(int(time.time()))
    code = hmac.new((secret or SIGNING).encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256)
    sent = urllib.request.Request(app, body, {
        "X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={code.hexdigest()}"})
    try:
        return urllib.request.urlopen(sent).status
    except urllib.error.HTTPError as refusal:
        return refusal.code


server = ThreadingHTTPServer(("127.0.0.1", 0), Slack)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
