"""What an app needs of Slack: a channel of messages with buttons, and what people press."""
import hashlib
import hmac
import html
import json
import re
import time
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler

BODY_MAX, AGE_MAX, SECONDS_MAX = 1 << 20, 300, 30
# What is wrong with one message alone: the others go on. A deleted one is not posted again.
ITS_FAULTS = {"invalid_blocks", "invalid_blocks_format", "msg_too_long", "msg_blocks_too_long",
              "no_text", "cant_update_message", "edit_window_closed", "message_not_found"}


def call(url, token, body=None):
    """The JSON reply to a request."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(url, body and json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=SECONDS_MAX) as reply:
        return json.load(reply)


def text(value, limit=150):
    """A text of others, of which Slack makes no mention and no link."""
    # Without half of an escape at its end.
    return re.sub("&[a-z]*$", "", html.escape(value, quote=False)[:limit])


def plain(said):
    return {"type": "plain_text", "text": said}


def button(name, title, value, asks=None):
    """A button that sends a value, after a confirmation if it asks for one."""
    made = {"type": "button", "action_id": name, "text": plain(title[:75]),
            "value": json.dumps(value, ensure_ascii=False)}
    if asks:
        made["confirm"] = {"title": plain("Sure?"), "text": plain(asks[:300]),
                           "confirm": plain("Yes"), "deny": plain("Keep waiting")}
    return made


class Channel:
    """A channel, and its messages as a file remembers them: dictionaries with what the app keeps
    of each, its time stamp at Slack (None for one that Slack refused), and the state that it shows.
    """

    def __init__(self, address, token, name, file):
        self.address, self.token, self.name, self.file = address, token, name, file
        self.messages = json.loads(file.read_text()) if file.exists() else []

    def call(self, method, **body):
        """The reply to a method of Slack's Web API."""
        reply = call(f"{self.address}/{method}", self.token, body)
        if not reply["ok"]:
            if reply["error"] not in ITS_FAULTS:
                raise OSError(f"{method}: {reply['error']}")
            print(f"slack_app: {method}: {reply['error']}: {body['text'][:80]!r}", flush=True)
        return reply

    def show(self, message, state, lines, buttons=()):
        """Posts a message, or updates it if its state is another one, and remembers that."""
        if message.get("state") == state:
            return
        time.sleep(1)  # Slack takes no more for a channel.
        said = "\n".join(lines)
        blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": said}}]
        for start in range(0, len(buttons), 25):
            blocks.append({"type": "actions", "elements": buttons[start:start + 25]})
        if message.get("ts"):
            self.call("chat.update", channel=self.name, ts=message["ts"], text=said, blocks=blocks)
        else:
            posted = self.call("chat.postMessage", channel=self.name, text=said, blocks=blocks)
            if "ts" not in message:
                self.messages.append(message)
            message["ts"] = posted.get("ts")
        message["state"] = state
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps(self.messages))
        new.replace(self.file)


class Interactivity(BaseHTTPRequestHandler):
    """What Slack sends when a person presses a button, signed with the app's secret. A class of
    the app has `secret()`, and `pressed(value, person, channel)`."""
    timeout = SECONDS_MAX

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        # Below 0 it would be read without a limit.
        body = self.rfile.read(min(int(length), BODY_MAX) if length.isdecimal() else 0)
        is_signed = self.is_signed(body)
        # Slack wants its reply within 3 s, so it comes before what the press does.
        self.send_response(200 if is_signed else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()
        if is_signed:
            payload = json.loads(urllib.parse.parse_qs(body.decode())["payload"][0])
            for action in payload["actions"]:
                self.pressed(
                    json.loads(action["value"]), payload["user"]["id"], payload["channel"]["id"])

    def is_signed(self, body):
        """Whether Slack sent it, in the last five minutes."""
        sent = self.headers.get("X-Slack-Request-Timestamp", "")
        if not re.fullmatch("[0-9]{1,12}", sent) or abs(time.time() - int(sent)) > AGE_MAX:
            return False
        code = hmac.new(self.secret().encode(), f"v0:{sent}:".encode() + body, hashlib.sha256)
        # As bytes, since Python compares no texts with other characters than those of ASCII.
        said = self.headers.get("X-Slack-Signature", "").encode(errors="replace")
        return hmac.compare_digest(f"v0={code.hexdigest()}".encode(), said)
