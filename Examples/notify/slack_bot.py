#!/usr/bin/env python3
"""A Slack app that posts each group of presentations with its options as buttons.

    slack_bot.py --console http://127.0.0.1:8080 --tokens run/slack --channel C0123 [--port 9027]

`--tokens` is a folder, mode 0700: `bot` has the bot token of Slack (xoxb-...; scope chat:write),
`signing` the app's signing secret, `console` a token of the console with `see`. Each further file
is named after a member's id at Slack (U0123) and has that person's token of the console, so that
answers have the person's name and permissions. Slack sends the buttons to the app's Request URL
(Interactivity), which a proxy with TLS passes on to this port. `posted.json` there has what was
posted, by the ids of presentations: no restart, of the app or the console, posts it again.
"""
import argparse
import collections
import http.client
import json
import pathlib
import threading
import time
import urllib.error
from http.server import ThreadingHTTPServer

from slack_app import Channel, Interactivity, button, call, text

ENDED_MAX = 500


def secret(name):
    return (arguments.tokens / name).read_text().strip()


# Slack takes no empty text.
def heading(item):
    return item["description"].strip() or item["domain"]


def name(title, option):
    return title.strip() or option


def opened(group, seen):
    """The lines and the buttons of the message while a group is open."""
    first, count, buttons = group["first"], group["members"], []
    for option in first["options"]:
        needs = any(field.get("required") and "default" not in field for field in option["fields"])
        # A press has to say all that the option needs.
        if option["signature"] == "missing" or option["twoPeople"] or needs:
            continue
        # Bound to the list that the message shows.
        value = {"group": group["number"], "option": option["id"], "seen": seen,
                 "title": option["title"], "role": option["role"] or "none"}
        asks = option["role"] == "destructive" or count > 1
        title = name(option["title"], option["id"])
        buttons.append(button(option["id"], title, value, asks and f"{title[:200]} for {count}"))
    others = len(first["options"]) - len(buttons)
    # The list with this group alone, whichever of its members end meanwhile.
    url = group["url"] if count > 1 else first["url"]
    origin = f"{text(first['domain'])} · from {text(first['origin'] or '?')}"
    lines = [f"*{text(heading(first), 500)}*", f"{group['severity']} · {origin}"]
    if count > 1:
        lines.append(f"{count} presentations of {group['origins']} origins")
    return lines + [f"<{url}|Show{f', with {others} more' if others else ''}>"], buttons


def publish(since):
    """Brings the channel to the state of the inbox, from what has changed there since a revision.
    Returns the revision that it has reached."""
    path = f"/api/v1/inbox?limit=10000&after={since}"
    change, current = call(arguments.console + path, secret("console")), set()
    for group in change["groups"]:
        ids = group["ids"] + [
            item["id"] for item in change["items"] if item["group"] == group["number"]]
        known = [each for each in channel.messages if not each["ends"].keys().isdisjoint(ids)]
        message = known[0] if known else {
            "title": text(heading(group["first"])), "ends": {}}
        ends = dict.fromkeys(ids) | message["ends"]
        # Those without an end, of which some of `ids` get one below, then the latest that ended.
        kept = sorted(ends, key=lambda each: ends[each] is not None)
        count_max = group["members"] + len(ids) + ENDED_MAX
        message["ends"] = {each: ends[each] for each in kept[:count_max]}
        # Buttons of another life of the console would be for other groups.
        state = [change["startedAt"], group["number"], group["members"], group["severity"]]
        channel.show(message, state, *opened(group, change["latest"]))
        current.add(id(message))
    for message in channel.messages:
        for item in change["items"]:
            if item["outcome"] and item["id"] in message["ends"]:
                by = "{option} by {by}: ".format(**item["answer"]) if item["answer"] else ""
                message["ends"][item["id"]] = text(by + item["outcome"])
    over = [message for message in channel.messages if id(message) not in current]
    if change["groupCount"] > len(change["groups"]):
        # The list has only the most severe groups: the others are open while a member is.
        over = [message for message in over if all(message["ends"].values())]
    for message in [message for message in over if message["ts"]]:
        ends = collections.Counter(filter(None, message["ends"].values())).most_common(5)
        lines = [f"~{message['title']}~"] + [f"{count} × {end}" for end, count in ends]
        channel.show(message, lines, lines)
    for message in over[:-ENDED_MAX]:
        channel.messages.remove(message)
    return change["revision"]


class Buttons(Interactivity):
    def secret(self):
        return secret("signing")

    def pressed(self, value, person, place):
        """Answers a group as a person, and sends that person the result."""
        url = f"{arguments.console}/api/v1/groups/{value.pop('group')}/answer"
        try:
            done = call(url, secret(person), value)
            refused = "".join(f"\n{each['message']}" for each in done["refused"][:5])
            option = name(value["title"], value["option"])
            said = f"{len(done['answered'])} answered with {option}.{refused}"
        except FileNotFoundError:
            said = "You have no token of the console here; ask the operator of this app for one."
        except urllib.error.HTTPError as refusal:
            said = json.load(refusal)["message"]
        except (OSError, http.client.HTTPException) as fault:
            said = f"The console cannot be reached: {fault}. Press again if the buttons stay."
        channel.call("chat.postEphemeral", channel=place, user=person, text=text(said, 1000))


parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--console", required=True)
parser.add_argument("--tokens", type=pathlib.Path, required=True)
parser.add_argument("--channel", required=True)
parser.add_argument("--port", type=int, default=9027)
parser.add_argument("--slack", default="https://slack.com/api")
arguments = parser.parse_args()
channel = Channel(
    arguments.slack, secret("bot"), arguments.channel, arguments.tokens / "posted.json")
server = ThreadingHTTPServer(("127.0.0.1", arguments.port), Buttons)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
revision = 0
while True:
    try:
        revision = publish(revision)
        time.sleep(1)
    except (OSError, http.client.HTTPException) as fault:
        print(f"slack_bot: {fault}; again in 5 s", flush=True)
        time.sleep(5)
