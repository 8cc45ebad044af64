"""The console of a bus-node with many open: how long a page takes to load, and a change to come.

    scripts/python Benchmarks/console.py --node BINARY --load present-bench --json FILE

It loads as the page does: the list in batches that double while they come fast, and then the event
stream, once for each viewer. A change is a claim; its time is from the request until the last
viewer has read it.
"""
import argparse
import http.client
import json
import selectors
import socket
import statistics
import sys
import time

from node import PATIENCE, TOKEN, fail, loaded, running

# Those of Sources/BusNodeKit/Console/Page/link.js.
BATCH_MIN, BATCH_MAX, FAST = 500, 4000, 1.0
# A stream sends its events a tenth of a second apart; each change is the only one of its time.
BETWEEN = 0.4


class Client:
    """One connection, kept open, as a browser has it."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.byte_count = 0

    def call(self, path, body=None):
        headers = {"Authorization": f"Bearer {TOKEN}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        self.connection.request(
            "GET" if body is None else "POST", f"/api/v1/{path}",
            None if body is None else json.dumps(body), headers)
        with self.connection.getresponse() as response:
            content = response.read()
        if response.status != 200:
            fail(f"{path}: {response.status} {content[:200]!r}")
        self.byte_count += len(content)
        return json.loads(content)


def load(client):
    """All open presentations, and the revision that the stream continues from."""
    client.call("me")
    items, after, limit = {}, 0, BATCH_MIN
    while True:
        start = time.perf_counter()
        message = client.call(f"inbox?after={after}&limit={limit}")
        if time.perf_counter() - start < FAST:
            limit = min(limit * 2, BATCH_MAX)
        items.update((item["id"], item) for item in message["items"])
        after = message["revision"]
        if message["isLast"]:
            return items, after


class Viewers:
    """Event streams, each of which is read as it comes."""

    def __init__(self, port, count, after):
        self.selector = selectors.DefaultSelector()
        self.texts = {}
        for _ in range(count):
            # One after the other: the console counts those apart that have not shown the token.
            stream = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
            stream.sendall(
                f"GET /api/v1/events?after={after} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                f"Authorization: Bearer {TOKEN}\r\n\r\n".encode())
            self.texts[stream] = b""
            while b"event: hello" not in self.texts[stream]:
                self.read(stream)
            self.selector.register(stream, selectors.EVENT_READ)

    def read_until(self, word, *words):
        """Returns once all have read all the words, and forgets what they have read."""
        missing, limit = set(self.texts), time.monotonic() + PATIENCE
        while missing:
            ready = self.selector.select(max(0, limit - time.monotonic()))
            if not ready:
                fail(f"{len(missing)} viewers without {word!r} after {PATIENCE} s")
            for key, _ in ready:
                self.read(key.fileobj)
                text = self.texts[key.fileobj]
                if all(each in text for each in (word, *words)):
                    missing.discard(key.fileobj)
        self.texts = dict.fromkeys(self.texts, b"")

    def read(self, stream):
        content = stream.recv(1 << 20)
        if not content:
            fail(f"a stream has ended: {self.texts[stream][:300]!r}")
        self.texts[stream] += content

    def settle(self, seconds):
        """Reads what comes in this time, and forgets it."""
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0:
            for key, _ in self.selector.select(rest):
                self.read(key.fileobj)
        self.texts = dict.fromkeys(self.texts, b"")


def changes(client, viewers, items, count):
    """Seconds from each request to the last viewer that has read of it."""
    times = []
    for index, item in enumerate(items[:count]):
        viewers.settle(BETWEEN)
        start = time.perf_counter()
        client.call(f"presentations/{item}/claim", {"by": f"viewer-{index}"})
        viewers.read_until(item.encode(), f'"viewer-{index}"'.encode(), b"\n\n")
        times.append(time.perf_counter() - start)
    return times


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--node", required=True)
    parser.add_argument("--load", required=True)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--viewers", type=int, default=50)
    parser.add_argument("--changes", type=int, default=20)
    parser.add_argument("--loads", type=int, default=5)
    parser.add_argument("--json", required=True)
    options = parser.parse_args()
    with running(options.node, "console") as node, loaded(
            options.load, node, count=options.count) as presented:
        client, times = Client(node.console), []
        for _ in range(options.loads):
            start = time.perf_counter()
            items, after = load(client)
            times.append(time.perf_counter() - start)
        byte_count = client.byte_count // options.loads
        if len(items) != options.count:
            fail(f"the console lists {len(items)}, expected: {options.count}")
        viewers = Viewers(node.console, options.viewers, after)
        seconds = changes(client, viewers, list(items), options.changes)
        resident = node.resident_bytes()
    row = {
        "name": "console", "count": options.count, "viewers": options.viewers,
        "presentedSeconds": presented, "loadSeconds": statistics.median(times),
        "loadBytes": byte_count,
        "changeSeconds": statistics.median(seconds), "changeSecondsMax": max(seconds),
        "residentBytes": resident,
    }
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump(row, file)
    print(
        f"a console with {options.count} open, presented after {presented:.1f} s, "
        f"{resident / 1e6:.0f} MB resident\n"
        f"  a page loads them within {row['loadSeconds']:.2f} s "
        f"({row['loadBytes'] / 1e6:.1f} MB)\n"
        f"  a change reaches the last of {options.viewers} viewers after "
        f"{row['changeSeconds'] * 1000:.0f} ms, at most {max(seconds) * 1000:.0f} ms",
        file=sys.stderr)


if __name__ == "__main__":
    main()
