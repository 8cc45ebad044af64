#!/usr/bin/env python3
"""A Slack app that posts each group of presentations with its options as buttons.

    slack_bot.py --console http://127.0.0.1:8080 --tokens run/slack --channel C0123 [--port 9027]

`--tokens` is a folder, mode 0700: `bot` has the bot token of Slack (xoxb-...; scope chat:write),
`signing` the app's signing secret, `console` a token of the console with `see`. Each further file
is named after a member's id at Slack (U0123) and has that person's token of the console, so that
answers have the person's name and permissions. Slack sends the buttons to the app's Request URL
(Interactivity), which a proxy with TLS passes on to this port.
"""
import argparse
import collections
import hashlib
import hmac
import json
import pathlib
import queue
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECONDS_MAX, BODY_MAX, AGE_MAX, MESSAGES_MAX = 30, 1 << 20, 300, 500


def secret(name):
    """A file of the folder; None where it has no such file."""
    path = arguments.tokens / name
    return path.read_text().strip() if name.isalnum() and path.is_file() else None


def request(url, token, body=None, more=None):
    """A response to a request, with more headers, not yet read."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    headers |= more or {}
    data = None if body is None else json.dumps(body).encode()
    return urllib.request.urlopen(
        urllib.request.Request(url, data, headers), timeout=SECONDS_MAX)


def slack(method, **body):
    """The result of a method of Slack's Web API; an error of Slack's is an exception."""
    with request(f"{arguments.slack}/{method}", secret("bot"), body) as response:
        result = json.load(response)
    if not result.get("ok"):
        raise OSError(f"{method}: {result.get('error')}")
    return result


def text(value, limit=150):
    """The text of a worker, of which Slack makes no mention and no link."""
    for sign, name in ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"):
        value = value.replace(sign, name)
    return value[:limit]


def button(group, option, revision):
    """An option of a group, bound to the list that the message shows."""
    wanted = {"group": group["number"], "option": option["id"], "seen": revision,
              "title": option["title"], "role": option["role"] or "none"}
    made = {"type": "button", "action_id": option["id"], "value": json.dumps(wanted),
            "text": {"type": "plain_text", "text": option["title"][:75]}}
    many = f" for {group['members']}" if group["members"] > 1 else ""
    if option["role"] == "destructive" or many:
        made["confirm"] = {
            "title": {"type": "plain_text", "text": "Sure?"},
            "text": {"type": "plain_text", "text": f"{option['title'][:200]}{many}"},
            "confirm": {"type": "plain_text", "text": "Yes"},
            "deny": {"type": "plain_text", "text": "Keep waiting"}}
    if option["role"] in ("destructive", "default"):
        made["style"] = "danger" if option["role"] == "destructive" else "primary"
    return made


def fits_button(option):
    """Whether a press says all that the option needs."""
    asks = any(field.get("required") and "default" not in field for field in option["fields"])
    return option["signature"] != "missing" and not option["twoPeople"] and not asks


def message(group, revision):
    """What stands in the channel while a group is open."""
    first = group["first"]
    options = [option for option in first["options"] if fits_button(option)]
    lines = [f"*{text(first['description'], 500)}*",
             f"{group['severity']} · {text(first['domain'])} · from {text(first['origin'] or '?')}"]
    if group["members"] > 1:
        lines.append(f"{group['members']} presentations of {group['origins']} origins")
    if first["url"]:
        others = len(first["options"]) - len(options)
        url = first["url"]
        if group["members"] > 1:
            # The list with this group alone, whichever of its members end meanwhile.
            url = url.replace(f"/{first['id']}", f"?filter=group%3A{first['groupKey']}")
        lines.append(f"<{url}|{f'Show, with {others} more' if others else 'Show'}>")
    buttons = [button(group, option, revision) for option in options]
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "\n".join(lines)}}]
    for start in range(0, len(buttons), 25):
        blocks.append({"type": "actions", "elements": buttons[start:start + 25]})
    return {"text": text(first["description"]), "blocks": blocks}


def outcome(item):
    """What was decided about a presentation, by whom, and its end."""
    chosen = item["answer"]
    return text((f"{chosen['option']} by {chosen['by']}: " if chosen else "") + item["outcome"])


def ended(shown):
    """What stands there once no presentation of a group is open."""
    counts = collections.Counter(shown["outcomes"].values()).most_common(5)
    said = "\n".join([f"~{shown['text']}~"] + [f"{count} × {each}" for each, count in counts])
    return {"text": said, "blocks": [
        {"type": "section", "text": {"type": "mrkdwn", "text": said}}]}


def publish(change):
    """Brings the channel to the state of the inbox."""
    groups = {group["number"]: group for group in change["groups"]}
    for number, group in groups.items():
        shown = messages.setdefault(number, {"outcomes": {}, "text": text(
            group["first"]["description"])})
        bring(shown, message(group, change["revision"]), group["members"], group["severity"])
    for number, shown in list(messages.items()):
        if number not in groups:
            bring(shown, ended(shown), *shown["outcomes"].values())
            if len(messages) > MESSAGES_MAX:
                del messages[number]


def bring(shown, body, *state):
    """Posts or updates a message whose state is another one."""
    if shown.get("state") == state:
        return
    if "ts" in shown:
        slack("chat.update", channel=shown["channel"], ts=shown["ts"], **body)
    else:
        posted = slack("chat.postMessage", channel=arguments.channel, **body)
        shown |= {"channel": posted["channel"], "ts": posted["ts"]}
    shown["state"] = state


def note(name, data):
    """Keeps what an event says; the change that is to be published, if it is the last of one."""
    if name == "hello":
        if data["isReset"]:
            messages.clear()
        return None
    for item in data["items"]:
        if item["outcome"] and item["group"] in messages:
            messages[item["group"]]["outcomes"][item["id"]] = outcome(item)
    return data if data["isLast"] else None


def publish_all():
    """Publishes the latest change, at most once a second: Slack takes no more for a channel. What
    Slack does not take is tried again."""
    latest, pause = None, None
    while True:
        try:
            latest = note(*events.get(timeout=pause)) or latest
            while True:
                latest = note(*events.get_nowait()) or latest
        except queue.Empty:
            pass
        if latest is None:
            continue
        try:
            publish(latest)
            latest, pause = None, None
        except OSError as fault:
            print(f"slack_bot: {fault}; again in 5 s", flush=True)
            pause = 5
        time.sleep(1)


def follow():
    """Reads the console's event stream until it ends, on from what was read before."""
    with request(
            f"{arguments.console}/api/v1/events", secret("console"), more=seen) as stream:
        event = {}
        for line in stream:
            field, _, value = line.decode().rstrip("\n").partition(": ")
            event[field] = value
            # A stream may end in the middle of an event.
            if line != b"\n":
                continue
            if event.get("event") in ("hello", "change"):
                events.put((event["event"], json.loads(event["data"])))
            if "id" in event:
                seen["Last-Event-ID"] = event["id"]
            event = {}


def answer(action, person):
    """Answers a group as a person, and returns a sentence about it."""
    token = secret(person)
    if not token or person in ("bot", "signing", "console"):
        return "You have no token of the console here; ask the operator of this app for one."
    wanted = json.loads(action["value"])
    url = f"{arguments.console}/api/v1/groups/{wanted.pop('group')}/answer"
    try:
        with request(url, token, wanted) as response:
            done = json.load(response)
    except urllib.error.HTTPError as refusal:
        return json.load(refusal)["message"]
    refused = "".join(f"\n{entry['message']}" for entry in done["refused"][:5])
    return f"{len(done['answered'])} answered with {wanted['title']}.{refused}"


class Interactivity(BaseHTTPRequestHandler):
    timeout = SECONDS_MAX

    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), BODY_MAX))
        stamp = self.headers.get("X-Slack-Request-Timestamp", "")
        code = hmac.new(secret("signing").encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256)
        said = self.headers.get("X-Slack-Signature", "")
        if not stamp.isdigit() or abs(time.time() - int(stamp)) > AGE_MAX or (
                not hmac.compare_digest("v0=" + code.hexdigest(), said)):
            self.reply(401)
            return
        # Slack wants its reply within 3 s, so it comes before the answer.
        self.reply(200)
        payload = json.loads(urllib.parse.parse_qs(body.decode())["payload"][0])
        for action in payload["actions"]:
            said = answer(action, payload["user"]["id"])
            slack("chat.postEphemeral", channel=payload["channel"]["id"],
                  user=payload["user"]["id"], text=text(said, 1000))

    def reply(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()


parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--console", required=True)
parser.add_argument("--tokens", type=pathlib.Path, required=True)
parser.add_argument("--channel", required=True)
parser.add_argument("--port", type=int, default=9027)
parser.add_argument("--slack", default="https://slack.com/api")
arguments = parser.parse_args()
# Only the thread of publish_all reads and changes the messages.
messages, events, seen = {}, queue.Queue(), {}
server = ThreadingHTTPServer(("127.0.0.1", arguments.port), Interactivity)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
threading.Thread(target=publish_all, daemon=True).start()
while True:
    try:
        follow()
    except OSError as fault:
        print(f"slack_bot: {fault}; again in 5 s", flush=True)
    time.sleep(5)
