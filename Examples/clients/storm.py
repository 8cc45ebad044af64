#!/usr/bin/env python3
"""Many clients fail for one cause: at the console it is one group, and one answer does for all.

    bus-node run ...                       # a node with a console; it prints its address
    storm.py tcp://127.0.0.1:7700 'http://127.0.0.1:8080/?token=...' [COUNT]

Presents COUNT errors (1000) from as many connections, waits until the console has them, answers the
group with Retry, and prints how long each step took. Exit 0 when every client was told.
"""
import json
import sys
import time
import urllib.request
from urllib.parse import parse_qs, urlsplit

import zmq

REPORT = {
    "domain": "org.example.db", "code": 1, "description": "The database is gone.",
    "recoveryOptions": [{"id": "retry", "title": "Retry", "role": "default"},
                        {"id": "cancel", "title": "Cancel", "role": "cancel"}]}
PATIENCE = 30


def main(endpoint, address, count=1000):
    parts = urlsplit(address)
    token = parse_qs(parts.query)["token"][0]

    def call(path, body=None):
        request = urllib.request.Request(
            f"{parts.scheme}://{parts.netloc}{path}", json.dumps(body).encode() if body else None,
            {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return json.load(response)

    context = zmq.Context()
    context.set(zmq.MAX_SOCKETS, count + 16)
    begin = time.monotonic()
    clients = []
    for _ in range(count):
        client = context.socket(zmq.REQ)
        client.setsockopt(zmq.LINGER, 0)
        client.setsockopt(zmq.RCVTIMEO, PATIENCE * 1000)
        client.connect(endpoint)
        client.send_json(REPORT)
        clients.append(client)
    while (inbox := call("/api/v1/inbox?stage=open"))["openCount"] < count:
        if time.monotonic() - begin > PATIENCE:
            sys.exit(f"only {inbox['openCount']} of {count} arrived in {PATIENCE} s")
        time.sleep(0.05)
    group = max(inbox["groups"], key=lambda group: group["members"])
    print(f"{group['members']} in one group after {time.monotonic() - begin:.2f} s")
    begin = time.monotonic()
    call(f"/api/v1/groups/{group['number']}/answer", {"option": "retry", "by": "storm"})
    told = sum(client.recv_json()["option"] == "retry" for client in clients)
    print(f"{told} told after {time.monotonic() - begin:.2f} s")
    return 0 if told == count else 1


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])))
