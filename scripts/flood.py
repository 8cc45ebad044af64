"""Floods a node and measures what a good client has of it; see scripts/flood."""
import argparse
import os
import pathlib
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import zmq
import zmq.auth
from zmq.utils import z85

import curve

HERE = pathlib.Path(__file__).resolve().parent.parent
# A good client is answered within this, whatever goes on: tenths of a second in a release build
# on two cores that the flood has to share; the rest is for debug builds and busy machines.
LATENCY_MAX = 5.0
# Within this the node is through with a round.
REST_MAX = 60.0
# KiB that a node may hold at any time, and once all was read. libzmq's own queue has no bound but
# how fast it is read; the node's is 64 MiB, and its tables hold what a flood opened for minutes.
MEMORY_MAX = 1536 << 10
MEMORY_AFTER_MAX = 384 << 10
# KiB that bad connects may leave behind, and how many are made at a time.
MEMORY_LEFT_MAX = 64 << 10
CONNECTS_AT_ONCE = 20
# Of the children, and of the bad connects, the share that has to do all it came for: with fewer
# there was hardly a flood, and the node has shown nothing.
DONE_MIN = 0.5
REPORT = b'{"domain":"flood","description":"Too much came at once.","recoveryOptions":[' \
    b'{"id":"retry","title":"Retry"},{"id":"cancel","title":"Cancel"}]}'


def frame(body, more):
    size = len(body)
    head = bytes([int(more), size]) if size < 256 \
        else bytes([int(more) | 2]) + size.to_bytes(8, "big")
    return head + body


def message(verb, header, payload=b""):
    frames = [b"", b"EB1", verb, header, payload]
    return b"".join(frame(body, index < 4) for index, body in enumerate(frames))


def command(name, body):
    content = bytes([len(name)]) + name + body
    return bytes([4, len(content)]) + content


def presentations(count):
    """The same for every child but for its number, which replaces the mark."""
    pieces = []
    for number in range(count):
        header = f"id: 01890a5d-ac96-774b-bcce-@@@@@@@@{number:04x}\nattempt: 1\n" \
            "origin: flood\npath: flood\n"
        pieces.append(message(b"PRESENT", header.encode(), REPORT))
        if number % 64 == 63:
            # Its own ZMTP heartbeat, which a client may have.
            pieces.append(command(b"PING", b"\0\0"))
    return b"".join(pieces)


def connect(endpoint):
    if endpoint.startswith("ipc://"):
        link = socket.socket(socket.AF_UNIX)
        link.settimeout(120)
        link.connect(endpoint[len("ipc://"):])
        return link
    host, port = endpoint[len("tcp://"):].split(":")
    return socket.create_connection((host, int(port)), timeout=120)


def wait_for(link, word):
    text = b""
    while word not in text:
        piece = link.recv(65536)
        if not piece:
            raise ConnectionError(f"closed before {word.decode()}")
        text += piece


def send_and_read(link, content):
    """Sends all of it, reads what comes meanwhile, and goes once the node has read to the end.

    A connection that is closed with replies unread is reset, and the system throws away what the
    node has not read yet: this one has it all read.
    """
    def read():
        try:
            while link.recv(1 << 20):
                pass
        except OSError:
            pass

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    link.sendall(content)
    link.shutdown(socket.SHUT_WR)
    reader.join()


def child(endpoint, number, flood, done, failures):
    """Connects, says HELLO, sends all it has and goes: every other one without reading a reply."""
    try:
        with connect(endpoint) as link:
            link.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x01" + b"NULL".ljust(52, b"\0"))
            link.sendall(command(
                b"READY", b"\x0bSocket-Type\0\0\0\x06DEALER\x08Identity\0\0\0\0"))
            wait_for(link, b"READY")
            hello = f"from: flood-{number}\nboot: {number:016x}\nversions: EB1\n"
            link.sendall(message(b"HELLO", hello.encode()))
            wait_for(link, b"WELCOME")
            content = flood.replace(b"@@@@@@@@", f"{number:08x}".encode())
            if number % 2:
                send_and_read(link, content)
            else:
                link.sendall(content)
        done.append(number)
    except OSError as error:
        # A connection that the node ends is the node's right, but it is to be seen.
        failures.append(f"child {number}: {error}")


class GoodClient(threading.Thread):
    """Asks one question after the other, and notes how long each takes."""

    def __init__(self, endpoint, keys=None):
        super().__init__(daemon=True)
        self.endpoint, self.keys = endpoint, keys
        self.latencies = []
        self.refusals = 0
        self.failure = None
        self.ends = threading.Event()

    def run(self):
        asking = zmq.Context.instance().socket(zmq.REQ)
        asking.linger = 0
        if self.keys is not None:
            self.keys.use(asking)
        asking.connect(self.endpoint)
        while not self.ends.wait(0.02) and self.failure is None:
            start = time.monotonic()
            while not self.is_answered(asking, start + LATENCY_MAX) and self.failure is None:
                self.refusals += 1
                time.sleep(0.1)
            self.latencies.append(time.monotonic() - start)
        asking.close()

    def is_answered(self, asking, limit):
        """False when it is asked to come again later."""
        asking.send(REPORT)
        if not asking.poll(max(0, limit - time.monotonic()) * 1000):
            self.failure = f"no answer within {LATENCY_MAX:g} s"
            return True
        reply = asking.recv()
        if b'"retry"' not in reply and b"429" not in reply:
            self.failure = f"answered with {reply.decode(errors='replace')[:200]}"
        return b"429" not in reply

    def take(self):
        taken, self.latencies = self.latencies, []
        return taken


class Keys:
    """The server's public key, the pair of a good client, and that of a bad one which is known as
    well; each in Z85."""

    def __init__(self, folder):
        def load(name):
            return zmq.auth.load_certificate(folder / "keys" / name)
        self.server, _ = load("central.key")
        self.good, self.bad = load("client.key_secret"), load("bad.key_secret")

    def use(self, socket):
        """Gives a socket of libzmq the good client's keys."""
        socket.curve_publickey, socket.curve_secretkey = self.good
        socket.curve_serverkey = self.server

    def link(self, endpoint):
        """A connection under the bad one's key."""
        own = tuple(z85.decode(half) for half in self.bad)
        return curve.KeyedLink(endpoint, z85.decode(self.server), own)


class Node:
    """A node that answers everything by a policy, with keys if there are any, and at most so many
    descriptors."""

    def __init__(self, binary, folder, endpoint, has_keys=False, descriptors=None):
        self.endpoint = endpoint
        folder.joinpath("policy.yaml").write_text("rules: [{ match: {}, answer: retry }]\n")
        topology = folder / "topology.yaml"
        topology.write_text(
            f"version: 1\n{'keys: keys' if has_keys else ''}\nnodes:\n  central:\n"
            f"    listen: [\"{endpoint}\"]\n    presenters: [policy: policy.yaml]\n"
            "  bad: { next: central }\n")
        if has_keys:
            subprocess.run([binary, "keygen", topology], check=True, stdout=subprocess.DEVNULL)
        self.keys = Keys(folder) if has_keys else None
        ready = folder / "ready"
        self.log = open(folder / "log", "wb")
        self.process = subprocess.Popen(
            [binary, "run", "--topology", topology, "--node", "central",
             "--ready-file", ready, "--log-level", "warning"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log,
            preexec_fn=descriptors and (lambda: resource.setrlimit(
                resource.RLIMIT_NOFILE, (descriptors, descriptors))))
        limit = time.monotonic() + 20
        while not ready.exists():
            if time.monotonic() > limit or self.process.poll() is not None:
                self.end()
                raise SystemExit(f"flood: the node is not up: {self.said()}")
            time.sleep(0.05)

    def memory(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        return 0

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def ticks(self):
        """Hundredths of a second of CPU, so far."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")")[-1].split()
        return int(fields[11]) + int(fields[12])

    def said(self):
        return pathlib.Path(self.log.name).read_text(errors="replace")[-2000:]

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode


def make_bad_connects(node, count):
    """Makes so many, some at a time, and returns how many found the node."""
    server, done = z85.decode(node.keys.server), []

    def some(first):
        for number in range(first, count, CONNECTS_AT_ONCE):
            try:
                curve.bad_connect(node.endpoint, server, number)
                done.append(number)
            except OSError:
                # Not connected; the next one.
                pass

    threads = [
        threading.Thread(target=some, args=(first,)) for first in range(CONNECTS_AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(done)


def bad_connects(options):
    """Connections of many kinds that come to nothing, at a node with keys."""
    with tempfile.TemporaryDirectory(prefix="eb-flood-") as name:
        node = Node(options.node, pathlib.Path(name), free_endpoint(), has_keys=True)
        good = GoodClient(node.endpoint, node.keys)
        try:
            good.start()
            before = node.descriptors()
            # What the first ones take for good is no leak.
            make_bad_connects(node, 500)
            memory, start = settled_memory(node), time.monotonic()
            good.take()
            done = make_bad_connects(node, options.connects)
            spent, latencies = time.monotonic() - start, good.take()
            limit = time.monotonic() + REST_MAX
            while node.descriptors() > before + 1 and time.monotonic() < limit:
                time.sleep(0.1)
            left = settled_memory(node) - memory
            print(
                f"flood: keys: {done} bad connects within {spent:.1f} s; good client "
                f"{len(latencies)} answers, max {1000 * max(latencies, default=0):.0f} ms; "
                f"descriptors {before}, {node.descriptors()}; RSS {left // 1024:+d} MiB",
                flush=True)
            # One for the good client, should it have come later.
            is_good = node.descriptors() <= before + 1 and left <= MEMORY_LEFT_MAX and latencies
            if not is_good or good.failure:
                print(f"flood: keys: NOT AS BEFORE: {good.failure or 'see above'}")
            is_flooded = done >= DONE_MIN * options.connects
            if not is_flooded:
                print(f"flood: keys: NO FLOOD: {done} of {options.connects} found the node")
            result = bool(is_good) and good.failure is None and is_flooded
        finally:
            good.ends.set()
            good.join(LATENCY_MAX + 1)
            status = node.end()
            print(f"flood: keys: the node ended with {status}", flush=True)
        return result and status == 0


def free_endpoint():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{free.getsockname()[1]}"


def flood(transport, options):
    with tempfile.TemporaryDirectory(prefix="eb-flood-") as name:
        folder = pathlib.Path(name)
        if transport == "ipc":
            endpoint = f"ipc://{folder}/central.sock"
        else:
            endpoint = free_endpoint()
        node = Node(options.node, folder, endpoint)
        good = GoodClient(endpoint)
        try:
            good.start()
            result = rounds(transport, endpoint, node, good, options)
        finally:
            good.ends.set()
            good.join(LATENCY_MAX + 1)
            status = node.end()
            print(f"flood: {transport}: the node ended with {status}", flush=True)
            if status != 0:
                print(node.said(), file=sys.stderr)
        return result and status == 0


def settled_memory(node):
    """What the node holds once it has been idle for a second, or after a minute."""
    before, limit = node.ticks(), time.monotonic() + 60
    while time.monotonic() < limit:
        time.sleep(1)
        now = node.ticks()
        if now - before < 10:
            break
        before = now
    return node.memory()


def rounds(transport, endpoint, node, good, options):
    all_sent = presentations(options.presentations)
    is_good, peak_of_all = True, 0
    for number in range(1, options.rounds + 1):
        start, done, failures = time.monotonic(), [], []
        peak = 0
        children = [
            threading.Thread(
                target=child,
                args=(endpoint, number * 1000 + index, all_sent, done, failures))
            for index in range(options.children)]
        for one in children:
            one.start()
        while any(one.is_alive() for one in children):
            peak = max(peak, node.memory()) if node.process.poll() is None else peak
            time.sleep(0.1)
        sent = time.monotonic() - start
        # The next round begins when the node is at rest: the good client is answered at once.
        limit = time.monotonic() + REST_MAX
        while node.process.poll() is None and good.failure is None:
            latest = good.latencies[-3:]
            peak = max(peak, node.memory())
            if len(latest) == 3 and max(latest) < 0.1:
                break
            if time.monotonic() > limit:
                print(f"flood: {transport}: NOT AT REST within {REST_MAX:g} s")
                return False
            time.sleep(0.2)
        if node.process.poll() is not None:
            print(f"flood: {transport}: THE NODE DIED: {node.process.returncode}")
            return False
        latencies = good.take()
        peak_of_all = max(peak_of_all, peak)
        print(
            f"flood: {transport} round {number}: sent within {sent:.1f} s, rested after "
            f"{time.monotonic() - start:.1f} s; good client {len(latencies)} answers, "
            f"p50 {1000 * statistics.median(latencies or [0]):.0f} ms, "
            f"max {1000 * max(latencies, default=0):.0f} ms, {good.refusals} times \"later\"; "
            f"RSS {node.memory() // 1024} MiB, peak {peak // 1024} MiB; "
            f"{len(failures)} children cut off{': ' + failures[0] if failures else ''}",
            flush=True)
        if good.failure:
            print(f"flood: {transport}: THE GOOD CLIENT FAILED: {good.failure}")
            return False
        if len(done) < DONE_MIN * options.children:
            print(
                f"flood: {transport}: NO FLOOD: {len(done)} of {options.children} children sent "
                "all they have")
            return False
        is_good = is_good and len(latencies) > 0
    memory = settled_memory(node)
    print(f"flood: {transport}: RSS {memory // 1024} MiB once all was read", flush=True)
    if peak_of_all > MEMORY_MAX or memory > MEMORY_AFTER_MAX:
        print(
            f"flood: {transport}: TOO MUCH MEMORY: above {MEMORY_MAX // 1024} MiB, or "
            f"{MEMORY_AFTER_MAX // 1024} MiB afterwards")
        return False
    return is_good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--node", default=os.fspath(HERE / ".build/release/bus-node"))
    parser.add_argument("--children", type=int, default=100)
    parser.add_argument("--presentations", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--connects", type=int, default=10_000)
    parser.add_argument("--only", choices=["ipc", "tcp", "keys"])
    options = parser.parse_args()
    parts = [options.only] if options.only else ["tcp", "ipc", "keys"]
    results = [
        bad_connects(options) if part == "keys" else flood(part, options) for part in parts]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
