"""Measures what a good worker has of bad neighbours; see scripts/neighbours."""
import argparse
import itertools
import json
import multiprocessing
import os
import pathlib
import random
import resource
import statistics
import sys
import tempfile
import threading
import time

import zmq
from zmq.utils import z85

import curve
from flood import HERE, REPORT, Node, command, connect, frame, free_endpoint, message, wait_for

# A good worker's 99th percentile under each attack, over its quiet one.
RATIO_MAX = 2.0
# Below this a percentile says more of the machine than of the node: a ratio is of no less.
FLOOR = 0.001
# What each node may have open; it keeps a quarter free of connections.
DESCRIPTORS = 4096
# Within this an attack has its first link or connection.
BEGIN_MAX = 60
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x01" + b"NULL".ljust(52, b"\0")
READY = command(b"READY", b"\x0bSocket-Type\0\0\0\x06DEALER\x08Identity\0\0\0\0")


class Target:
    """The node that an attack is on; with keys the bad neighbours have one that is known."""

    def __init__(self, node):
        self.endpoint, self.keys = node.endpoint, node.keys
        # Set by the attack's process once it has what it attacks over.
        self.has_begun = multiprocessing.Event()

    def server(self):
        return z85.decode(self.keys.server)

    def connection(self):
        """A stranger's, which says nothing yet."""
        link = opened(self.endpoint)
        self.has_begun.set()
        return link

    def link(self):
        """A connection after its handshake."""
        if self.keys is not None:
            return self.keys.link(self.endpoint)
        link = opened(self.endpoint)
        link.sendall(GREETING + READY)
        wait_for(link, b"READY")
        return link


def opened(endpoint):
    link = connect(endpoint)
    link.settimeout(5)
    return link


def child(target, name):
    """A linked child, over a socket of its own."""
    link = target.link()
    link.sendall(message(
        b"HELLO", f"from: {name}\nboot: {random.getrandbits(64):016x}\nversions: EB1\n".encode()))
    wait_for(link, b"WELCOME")
    target.has_begun.set()
    return link


def made_up_id():
    number = random.getrandbits(128)
    text = f"{number:032x}"
    return f"{text[:8]}-{text[8:12]}-7{text[13:16]}-8{text[17:20]}-{text[20:]}"


def present(name, report=REPORT, id=None):
    header = f"id: {id or made_up_id()}\nattempt: 1\norigin: {name}\npath: {name}\n"
    return message(b"PRESENT", header.encode(), report)


def drain(link):
    """Reads what comes until the other side closes, without a look into it."""
    link = getattr(link, "socket", link)
    try:
        while link.recv(1 << 20):
            pass
    except OSError:
        pass


# The attacks: each runs in a process of its own until it is killed, at a node without keys and
# then at one with them, where each has a key that is known. What needs no key is a stranger's.

def connects(target):
    """connections that say something else and go"""
    while True:
        with target.connection() as link:
            link.sendall(b"GET / HTTP/1.1\r\n\r\n")


def silent(target):
    """a thousand connections that say nothing"""
    held = [target.connection() for _ in range(1000)]
    while held:
        time.sleep(1)


def is_open(link):
    link.setblocking(False)
    try:
        return link.recv(1 << 16) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def descriptors(target):
    """more connections than the node has descriptors for"""
    held = []
    while True:
        try:
            while len(held) < DESCRIPTORS + 500:
                held.append(target.connection())
                if len(held) % 100 == 0:
                    # Thousands within milliseconds end a node, as the threat model says.
                    time.sleep(0.01)
        except OSError:
            # None left for now.
            pass
        time.sleep(0.05)
        held = [link for link in held if is_open(link)]


# Strangers at a node with keys.

def openings(target):
    """strangers with a true HELLO, who go once they have the WELCOME"""
    content = curve.hello(target.server())
    while True:
        with target.connection() as link:
            link.sendall(content)
            curve.read(link, len(curve.GREETING))
            curve.read_frame(link)


def stopped(target):
    """a thousand strangers who stop after a true HELLO, again and again"""
    content = curve.hello(target.server())
    while True:
        held = []
        for _ in range(1000):
            held.append(target.connection())
            held[-1].sendall(content)
        for link in held:
            link.close()


def boxes(target):
    """strangers whose HELLO does not open"""
    content = bytearray(curve.hello(target.server()))
    content[-1] ^= 1
    while True:
        with target.connection() as link:
            link.sendall(content)
            drain(link)


def handshakes(target):
    """strangers whose keys are not known"""
    while True:
        try:
            curve.KeyedLink(target.endpoint, target.server(), curve.pair()).close()
        except curve.CurveError:
            # Refused; the next one.
            pass
        target.has_begun.set()


# Neighbours with a link.

def multiparts(target):
    """messages without an end"""
    while True:
        link = target.link()
        target.has_begun.set()
        try:
            while True:
                link.sendall(frame(b"x" * 200, True) * 200)
        except OSError:
            link.close()


def presentations(target):
    """a child that presents as fast as it can, and reads what it gets"""
    link = child(target, "bad")
    threading.Thread(target=drain, args=(link,), daemon=True).start()
    while True:
        link.sendall(b"".join(present("bad") for _ in range(100)))


def unread(target):
    """children that present as fast as they can, and read nothing"""
    while True:
        links = [child(target, f"bad-{number}") for number in range(10)]
        try:
            while True:
                for link in links:
                    link.settimeout(2)
                    link.sendall(b"".join(present("bad") for _ in range(100)))
        except OSError:
            for link in links:
                link.close()


def withdrawals(target):
    """a child that presents and withdraws without a pause"""
    link = child(target, "bad")
    threading.Thread(target=drain, args=(link,), daemon=True).start()
    while True:
        pieces = []
        for _ in range(50):
            id = made_up_id()
            pieces += [
                present("bad", id=id), message(b"WITHDRAW", f"id: {id}\nreason: origin\n".encode()),
            ]
        link.sendall(b"".join(pieces))


def large(target):
    """a child that presents reports of 256 KiB"""
    link = child(target, "bad")
    threading.Thread(target=drain, args=(link,), daemon=True).start()
    filler = "x" * (255 << 10)
    report = json.dumps(
        {"domain": "bad", "description": "Large.", "context": {"filler": filler}}).encode()
    while True:
        link.sendall(present("bad", report))


def garbage(target):
    """a child that sends what is no message"""
    link = child(target, "bad")
    threading.Thread(target=drain, args=(link,), daemon=True).start()
    pieces = [
        message(b"PRESENT", b"no header\n", REPORT), message(b"NOTHING", b""),
        message(b"PRESENT", f"id: {made_up_id()}\n".encode(), b"{"), frame(b"{", False),
        message(b"ANSWER", b""),
    ]
    while True:
        link.sendall(b"".join(pieces) * 50)


def ids(target):
    """a child that asks for, settles and withdraws made-up ids"""
    link = child(target, "bad")
    threading.Thread(target=drain, args=(link,), daemon=True).start()
    while True:
        pieces = []
        for _ in range(50):
            pieces += [
                message(b"AWAIT", f"id: {made_up_id()}\nwait-ms: 1000\n".encode()),
                message(b"WITHDRAW", f"id: {made_up_id()}\nreason: cancelled\n".encode()),
                message(
                    b"SETTLED",
                    f"id: {made_up_id()}\nanswer: {made_up_id()}\nresult: recovered\n".encode()),
                # A last word that a node passes on to the nodes above and the journal.
                message(
                    b"SETTLED",
                    f"id: {made_up_id()}\nanswer: {made_up_id()}\nresult: recovered\n"
                    "origin: bad\ndigest: 0123456789abcdef\n".encode()),
            ]
        link.sendall(b"".join(pieces))


def states(target):
    """a peer that asks for the node's status without a pause"""
    link = target.link()
    target.has_begun.set()
    threading.Thread(target=drain, args=(link,), daemon=True).start()
    while True:
        link.sendall(message(b"STATUS", b"") * 100)


def hellos(target):
    """one connection that says HELLO under ever new names"""
    link = child(target, "bad")
    threading.Thread(target=drain, args=(link,), daemon=True).start()
    for number in itertools.count():
        link.sendall(message(
            b"HELLO", f"from: bad-{number}\nboot: {number:016x}\nversions: EB1\n".encode()))


ATTACKS = [
    connects, silent, descriptors, openings, stopped, boxes, handshakes, multiparts, presentations,
    unread, withdrawals, large, garbage, ids, states, hellos,
]
# Those that a node without keys does not know.
OF_KEYS = [openings, stopped, boxes, handshakes]
# Those that a node which listens on ipc is beside; a link there is as one over tcp without keys.
ON_IPC = [connects, silent, descriptors]


def attack(function, target):
    # Stands for another machine: it takes no CPU that the node or the good worker wants.
    os.nice(19)
    while True:
        try:
            function(target)
        except OSError:
            # Cut off: it comes again, as a stubborn one would.
            time.sleep(0.01)


class Worker:
    """Asks one question after the other, and notes how long each takes."""

    def __init__(self, endpoint, keys=None):
        self.endpoint, self.keys = endpoint, keys
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.linger = 0
        if keys is not None:
            keys.use(self.socket)
        self.socket.connect(endpoint)

    def run(self, seconds, pause=0.004, limit=10.0):
        latencies, late, end = [], 0, time.monotonic() + seconds
        while time.monotonic() < end:
            start = time.monotonic()
            while True:
                self.socket.send_multipart([b"", REPORT])
                if not self.socket.poll(limit * 1000):
                    raise SystemExit(f"neighbours: NO ANSWER within {limit:g} s")
                reply = self.socket.recv_multipart()[-1]
                if b'"retry"' in reply:
                    break
                if b"429" not in reply:
                    raise SystemExit(f"neighbours: answered with {reply[:300]!r}")
                late += 1
                time.sleep(0.02)
            latencies.append(time.monotonic() - start)
            time.sleep(pause)
        return latencies, late


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def measure_one(function, options, node, worker):
    """The response times of one worker beside an attack on its node, how often it was put off, and
    the node's share of a processor."""
    process = None
    if function is not None:
        target = Target(node)
        process = multiprocessing.Process(target=attack, args=(function, target), daemon=True)
        process.start()
    try:
        if process is not None:
            if not target.has_begun.wait(BEGIN_MAX):
                raise SystemExit(
                    f"neighbours: {function.__name__}: NO ATTACK: not one link or connection "
                    f"within {BEGIN_MAX} s")
            # It has begun in full after a moment.
            time.sleep(0.5)
        ticks, start = node.ticks(), time.monotonic()
        latencies, late = worker.run(options.seconds)
        cpu = (node.ticks() - ticks) / (time.monotonic() - start)
        if process is not None and not process.is_alive():
            raise SystemExit(
                f"neighbours: {function.__name__}: NO ATTACK: its process ended with "
                f"{process.exitcode}; standard error has the reason")
        return latencies, late, cpu
    finally:
        if process is not None:
            process.kill()
            process.join()
            time.sleep(0.5)


def measure(name, function, options, pairs, quiet):
    """True when the good workers are as well off as before, within the bound."""
    values, text, is_good = {}, [], True
    # One after the other: two at once would measure each other.
    for label, node, worker in pairs:
        if function in OF_KEYS and node.keys is None:
            continue
        if label == "ipc" and function not in [None, *ON_IPC]:
            continue
        latencies, late, cpu = measure_one(function, options, node, worker)
        p99 = percentile(latencies, 0.99)
        values[label] = p99
        ratio = ""
        if quiet is not None:
            of = max(p99, FLOOR) / max(quiet[label], FLOOR)
            is_good = is_good and of <= RATIO_MAX
            ratio = f" = {of:.1f} x" + ("" if of <= RATIO_MAX else " MISSED")
        text.append(
            f"{label}: p50 {1000 * statistics.median(latencies):.2f} ms, "
            f"p99 {1000 * p99:.2f} ms{ratio}" + (f", {late} later" if late else "")
            + f", CPU {cpu:.0f} %, RSS {node.memory() // 1024} MiB")
    print(f"neighbours: {name}: {'; '.join(text)}", flush=True)
    return is_good, values


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--node", default=os.fspath(HERE / ".build/release/bus-node"))
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--only", action="append", choices=[one.__name__ for one in ATTACKS])
    options = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    with tempfile.TemporaryDirectory(prefix="eb-near-") as name:
        folder = pathlib.Path(name)
        nodes = []
        try:
            for label in ["plain", "keys", "ipc"]:
                (folder / label).mkdir()
                endpoint = f"ipc://{folder}/ipc/central" if label == "ipc" else free_endpoint()
                nodes.append(Node(
                    options.node, folder / label, endpoint, has_keys=label == "keys",
                    descriptors=DESCRIPTORS))
            pairs = [
                (label, node, Worker(node.endpoint, node.keys))
                for label, node in zip(["plain", "keys", "ipc"], nodes)]
            for _, _, worker in pairs:
                worker.run(1)
            _, quiet = measure("quiet", None, options, pairs, None)
            results = []
            for function in ATTACKS:
                if options.only and function.__name__ not in options.only:
                    continue
                is_good, _ = measure(
                    f"{function.__name__} ({function.__doc__})", function, options, pairs, quiet)
                results.append(is_good)
        finally:
            statuses = [node.end() for node in nodes]
        print(f"neighbours: the nodes ended with {statuses}")
    sys.exit(0 if all(results) and statuses == [0, 0, 0] else 1)


main()
