#!/usr/bin/env python3
"""Turns the messages of a hook into mail.

    mail.py --secret-file run/hook --to oncall@example.org [--port 9025] [--sendmail PROGRAM]

Takes only messages that are signed with the secret, and answers 200 once the program has taken the
mail: until then the hook tries again. A message that comes again is one mail.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import threading
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from signature import is_signed

BODY_MAX = 1 << 20
SECONDS_MAX = 10
PROGRAM_SECONDS_MAX = 120
# The ids of the latest messages that the program has taken.
taken = collections.deque(maxlen=1000)
taking = threading.Lock()


def one_line(text):
    """The text in one line, so that a worker's text begins no line of its own."""
    return " ".join(text.split())


def mail(message):
    """The mail for a message."""
    mail = EmailMessage()
    mail["To"] = arguments.to
    mail["Subject"] = one_line(f"[ErrorBus] {message['title']}")[:200]
    mail["Message-ID"] = f"<{message['id']}@errorbus>"
    lines = [one_line(f"{entry['count']} x {entry['text']}")
             for key in ("texts", "reasons", "details") for entry in message.get(key, [])]
    answers = [f"{one_line(answer['title'])}: {answer['link']}"
               for answer in message.get("answers", [])]
    mail.set_content("\n".join([message["title"], *lines, "", message["link"], *answers, ""]))
    return mail


def is_taken(message):
    """Whether the program has taken the mail for a message, now or before."""
    # Another try of a message waits here for the first one, which may take longer than the hook.
    with taking:
        if message["id"] in taken:
            return True
        try:
            subprocess.run([arguments.sendmail, "-t"], input=bytes(mail(message)), check=True,
                           timeout=PROGRAM_SECONDS_MAX)
        except (OSError, subprocess.SubprocessError) as fault:
            print(f"mail: {fault}", flush=True)
            return False
        taken.append(message["id"])
        return True


class Handler(BaseHTTPRequestHandler):
    timeout = SECONDS_MAX

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        # Below 0 it would be read without a limit.
        body = self.rfile.read(min(int(length), BODY_MAX) if length.isdecimal() else 0)
        if not is_signed(self.headers, body, secret):
            return self.reply(401)
        self.reply(200 if is_taken(json.loads(body)) else 503)

    def reply(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()


parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--port", type=int, default=9025)
parser.add_argument("--secret-file", type=pathlib.Path, required=True)
parser.add_argument("--to", required=True)
parser.add_argument("--sendmail", default="/usr/sbin/sendmail")
arguments = parser.parse_args()
secret = arguments.secret_file.read_text().strip()
server = ThreadingHTTPServer(("127.0.0.1", arguments.port), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
