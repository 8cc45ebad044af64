#!/usr/bin/env python3
"""Many workers fail for one cause: one group at the console, and one answer settles them all.

    bus-node run ...                       # a node with a console; it prints its address
    storm.py tcp://127.0.0.1:7700 'http://127.0.0.1:8080/?token=...' [COUNT]
    storm.py tcp://127.0.0.1:7700 http://127.0.0.1:8080 [COUNT]

The second form takes the console's token from BUS_NODE_CONSOLE_TOKEN, where other users of the
machine cannot read it.

Presents COUNT errors (1000) from as many connections under as many names, answers the group with
Retry, lets each worker run its own recovery, every tenth of which fails, and presents one of those
again. Prints results and times. Exits 0 when every worker was answered once, every result is at the
console, and the new failure is in a new group.
"""
import json
import os
import resource
import sys
import time
import urllib.request
import uuid
from urllib.parse import unquote, urlsplit

import zmq

from req_client import decode, encode

REPORT = {
    "domain": "org.example.db", "code": 1, "description": "The database is gone.",
    "recoveryOptions": [{"id": "retry", "title": "Retry", "role": "default"},
                        {"id": "cancel", "title": "Cancel", "role": "cancel"}]}
PATIENCE = 60
WAIT_MS = 20_000


class Worker:
    """One connection, one name, one error at a time, and a recovery of its own."""

    def __init__(self, context, endpoint, number, report=REPORT):
        self.name, self.recovers, self.report = f"worker-{number}", number % 10 != 7, report
        self.attempts, self.result, self.option, self.by = 0, None, None, None
        self.socket = context.socket(zmq.REQ)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.connect(endpoint)

    def present(self, retry_of=None):
        self.ident, self.result = str(uuid.uuid4()), None
        self.socket.send_multipart(encode(
            "PRESENT", json.dumps(self.report).encode(), id=self.ident, attempt=1, origin=self.name,
            path=self.name, wait_ms=WAIT_MS, retry_of=retry_of))

    def recover(self):
        self.attempts += 1
        return "recovered" if self.recovers else "failed"

    def heard(self):
        """Takes one reply; true when nothing more is to come."""
        verb, fields = decode(self.socket.recv_multipart())
        if verb == "PENDING":
            self.socket.send_multipart(encode("AWAIT", id=self.ident, wait_ms=WAIT_MS))
        elif verb == "ANSWER" and self.result is None:
            self.option, self.by = fields["option"], fields["by"]
            self.result = self.recover() if self.option == "retry" else "failed"
            self.socket.send_multipart(encode(
                "SETTLED", id=self.ident, answer=fields["answer"], result=self.result))
        elif verb == "OK":
            return True
        else:
            sys.exit(f"{self.name}: unexpected {verb} {fields}")
        return False


class Console:
    def __init__(self, address):
        parts = urlsplit(address)
        self.base = f"{parts.scheme}://{parts.netloc}"
        # A plus sign is itself here, as in a token that is base64.
        query = dict(pair.partition("=")[::2] for pair in parts.query.split("&"))
        self.token = unquote(query.get("token", "")) or os.environ.get("BUS_NODE_CONSOLE_TOKEN")
        if not self.token:
            sys.exit(f"{address}: found no token, expected http://HOST:PORT/?token=TOKEN, or the "
                     "token in BUS_NODE_CONSOLE_TOKEN")

    def call(self, path, body=None):
        request = urllib.request.Request(
            f"{self.base}/api/v1{path}", json.dumps(body).encode() if body else None,
            {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return json.load(response)

    def until(self, path, is_enough):
        limit = time.monotonic() + PATIENCE
        while not is_enough(reply := self.call(path)):
            if time.monotonic() > limit:
                sys.exit(f"{path}: not so within {PATIENCE} s")
            time.sleep(0.05)
        return reply

    def group_of(self, ident):
        open_items = self.until(
            "/inbox?stage=open&limit=10000",
            lambda inbox: any(item["id"] == ident for item in inbox["items"]))
        return next(item["group"] for item in open_items["items"] if item["id"] == ident)


def allow_connections(count):
    """Raises the limit of open files: each socket takes two, and more while it connects again."""
    needed = 3 * count + 64
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        sys.exit(f"{count} workers: found a limit of {hard} open files (ulimit -Hn), expected at "
                 f"least {needed}: raise it, or give a smaller COUNT")
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def main(endpoint, address, count=1000):
    allow_connections(count)
    console = Console(address)
    before = console.call("/inbox?stage=open&limit=1")["openCount"]
    context = zmq.Context()
    context.set(zmq.MAX_SOCKETS, count + 16)
    begin = time.monotonic()
    workers = {}
    poller = zmq.Poller()
    for number in range(1, count + 1):
        worker = Worker(context, endpoint, number)
        worker.present()
        workers[worker.socket] = worker
        poller.register(worker.socket, zmq.POLLIN)
    first = next(iter(workers.values()))
    console.until("/inbox?stage=open&limit=1", lambda inbox: inbox["openCount"] >= before + count)
    number = console.group_of(first.ident)
    inbox = console.call("/inbox?limit=1")
    groups = {group["number"]: group for group in inbox["groups"]}
    print(f"{groups[number]['members']} in one group after {time.monotonic() - begin:.2f} s")

    begin = time.monotonic()
    console.call(f"/groups/{number}/answer", {
        "option": "retry", "by": "storm", "seen": inbox["latest"]})
    waiting = set(workers)
    while waiting:
        ready = poller.poll(PATIENCE * 1000)
        if not ready:
            sys.exit(f"{len(waiting)} of {count} were not answered within {PATIENCE} s")
        for socket, _ in ready:
            if workers[socket].heard():
                waiting.discard(socket)
    print(f"{count} answered after {time.monotonic() - begin:.2f} s, and each ran its own recovery")

    own = {worker.ident: worker.result for worker in workers.values()}

    def shown(inbox):
        return {item["id"]: item["result"] for item in inbox["items"] if item["id"] in own}

    ended = console.until(
        "/inbox?stage=ended&limit=10000", lambda inbox: all(shown(inbox).values()))
    results = list(shown(ended).values())
    print(f"at the console: {results.count('recovered')} recovered, "
          f"{results.count('failed')} failed")

    failed = next((worker for worker in workers.values() if not worker.recovers), first)
    failed.present(retry_of=failed.ident)
    anew = console.group_of(failed.ident)
    print(f"{failed.name} fails again: group {anew}, not {number}")
    console.call(f"/presentations/{failed.ident}/answer", {"option": "cancel", "by": "storm"})
    while not failed.heard():
        pass
    is_right = (
        all(worker.attempts == 1 for worker in workers.values()) and anew != number
        and groups[number]["members"] == count and own == shown(ended))
    return 0 if is_right else 1


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])))
