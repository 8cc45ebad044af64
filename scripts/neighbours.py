"""Measures what a good worker has of bad neighbours; see scripts/neighbours."""
import argparse
import itertools
import json
import multiprocessing
import os
import pathlib
import random
import resource
import socket
import statistics
import sys
import tempfile
import threading
import time

import zmq
import zmq.auth

from flood import HERE, REPORT, Node, command, frame, message, wait_for

# A good worker's 99th percentile under each attack, over its quiet one.
RATIO_MAX = 2.0
# Below this a percentile says more of the machine than of the node: a ratio is of no less.
FLOOR = 0.001
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x01" + b"NULL".ljust(52, b"\0")
READY = command(b"READY", b"\x0bSocket-Type\0\0\0\x06DEALER\x08Identity\0\0\0\0")


def tcp(endpoint):
    host, port = endpoint[len("tcp://"):].split(":")
    return socket.create_connection((host, int(port)), timeout=5)


def child(endpoint, name):
    """A linked child, over a socket of its own."""
    link = tcp(endpoint)
    link.sendall(GREETING + READY)
    wait_for(link, b"READY")
    link.sendall(message(
        b"HELLO", f"from: {name}\nboot: {random.getrandbits(64):016x}\nversions: EB1\n".encode()))
    wait_for(link, b"WELCOME")
    return link


def made_up_id():
    number = random.getrandbits(128)
    text = f"{number:032x}"
    return f"{text[:8]}-{text[8:12]}-7{text[13:16]}-8{text[17:20]}-{text[20:]}"


def present(name, report=REPORT):
    header = f"id: {made_up_id()}\nattempt: 1\norigin: {name}\npath: {name}\n"
    return message(b"PRESENT", header.encode(), report)


def drain(link):
    """Reads what comes until the other side closes."""
    try:
        while link.recv(1 << 20):
            pass
    except OSError:
        pass


# The attacks: each runs in a process of its own until it is killed. `plain` nodes have no keys, so
# that what comes after the handshake needs no cipher here; to a node with keys this is a worker
# whose key is known.

def connects(endpoint, keyed):
    """connections that say something else and go"""
    while True:
        with tcp(keyed) as link:
            link.sendall(b"GET / HTTP/1.1\r\n\r\n")


def handshakes(endpoint, keyed):
    """handshakes with keys that are not known"""
    while True:
        sockets = []
        for _ in range(50):
            one = zmq.Context.instance().socket(zmq.DEALER)
            one.linger = 0
            one.curve_publickey, one.curve_secretkey = zmq.curve_keypair()
            one.curve_serverkey = os.environ["EB_SERVER_KEY"].encode()
            one.connect(keyed)
            sockets.append(one)
        time.sleep(0.2)
        for one in sockets:
            one.close()


def silent(endpoint, keyed):
    """a thousand connections that say nothing"""
    held = [tcp(keyed) for _ in range(1000)]
    while held:
        time.sleep(1)


def multiparts(endpoint, keyed):
    """messages without an end"""
    while True:
        link = tcp(endpoint)
        try:
            link.sendall(GREETING + READY)
            wait_for(link, b"READY")
            while True:
                link.sendall(frame(b"x" * 200, True) * 200)
        except OSError:
            link.close()


def presentations(endpoint, keyed):
    """a child that presents as fast as it can, and reads what it gets"""
    link = child(endpoint, "bad")
    threading.Thread(target=drain, args=(link,), daemon=True).start()
    while True:
        link.sendall(b"".join(present("bad") for _ in range(100)))


def unread(endpoint, keyed):
    """children that present as fast as they can, and read nothing"""
    while True:
        links = [child(endpoint, f"bad-{number}") for number in range(10)]
        try:
            while True:
                for link in links:
                    link.settimeout(2)
                    link.sendall(b"".join(present("bad") for _ in range(100)))
        except OSError:
            for link in links:
                link.close()


def large(endpoint, keyed):
    """a child that presents reports of 256 KiB"""
    link = child(endpoint, "bad")
    threading.Thread(target=drain, args=(link,), daemon=True).start()
    filler = "x" * (255 << 10)
    report = json.dumps(
        {"domain": "bad", "description": "Large.", "context": {"filler": filler}}).encode()
    while True:
        link.sendall(present("bad", report))


def garbage(endpoint, keyed):
    """a child that sends what is no message"""
    link = child(endpoint, "bad")
    threading.Thread(target=drain, args=(link,), daemon=True).start()
    pieces = [
        message(b"PRESENT", b"no header\n", REPORT), message(b"NOTHING", b""),
        message(b"PRESENT", f"id: {made_up_id()}\n".encode(), b"{"), frame(b"{", False),
        message(b"ANSWER", b""),
    ]
    while True:
        link.sendall(b"".join(pieces) * 50)


def ids(endpoint, keyed):
    """a child that asks for, settles and withdraws made-up ids"""
    link = child(endpoint, "bad")
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
            ]
        link.sendall(b"".join(pieces))


def states(endpoint, keyed):
    """a peer that asks for the node's status without a pause"""
    link = tcp(endpoint)
    link.sendall(GREETING + READY)
    wait_for(link, b"READY")
    threading.Thread(target=drain, args=(link,), daemon=True).start()
    while True:
        link.sendall(message(b"STATUS", b"") * 100)


def hellos(endpoint, keyed):
    """one connection that says HELLO under ever new names"""
    link = child(endpoint, "bad")
    threading.Thread(target=drain, args=(link,), daemon=True).start()
    for number in itertools.count():
        link.sendall(message(
            b"HELLO", f"from: bad-{number}\nboot: {number:016x}\nversions: EB1\n".encode()))


ATTACKS = [
    connects, handshakes, silent, multiparts, presentations, unread, large, garbage, ids, states,
    hellos,
]


def attack(function, endpoint, keyed):
    # Stands for another machine: it takes no CPU that the node or the good worker wants.
    os.nice(19)
    while True:
        try:
            function(endpoint, keyed)
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
            self.socket.curve_publickey, self.socket.curve_secretkey = keys["client"]
            self.socket.curve_serverkey = keys["server"]
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


def free_endpoint():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{free.getsockname()[1]}"


def keys_in(folder):
    server, _ = zmq.auth.load_certificate(folder / "keys/central.key")
    client = zmq.auth.load_certificate(folder / "keys/client.key_secret")
    return {"server": server, "client": client}


def measure(name, function, options, node, keyed_node, workers, quiet):
    """True when the good workers are as well off as before, within the bound."""
    process = None
    if function is not None:
        process = multiprocessing.Process(
            target=attack, args=(function, node.endpoint, keyed_node.endpoint), daemon=True)
        process.start()
        # An attack has begun in full after a moment.
        time.sleep(0.5)
    ticks, start = [one.ticks() for one in (node, keyed_node)], time.monotonic()
    found = []
    threads = []
    for worker in workers:
        def run(worker=worker):
            found.append((worker, worker.run(options.seconds)))
        threads.append(threading.Thread(target=run))
    # One after the other: two at once would measure each other.
    for thread in threads:
        thread.start()
        thread.join()
    spent = time.monotonic() - start
    cpu = [
        (one.ticks() - before) / spent for one, before in zip((node, keyed_node), ticks)]
    if process is not None:
        process.kill()
        process.join()
    if len(found) != len(workers):
        print(f"neighbours: {name}: FAILED")
        return False, None
    values, is_good = {}, True
    text = []
    for worker, (latencies, late) in found:
        label = "keys" if worker.keys else "plain"
        p99 = percentile(latencies, 0.99)
        values[label] = p99
        ratio = ""
        if quiet is not None:
            of = max(p99, FLOOR) / max(quiet[label], FLOOR)
            is_good = is_good and of <= RATIO_MAX
            ratio = f" = {of:.1f} x" + ("" if of <= RATIO_MAX else " MISSED")
        text.append(
            f"{label}: p50 {1000 * statistics.median(latencies):.2f} ms, "
            f"p99 {1000 * p99:.2f} ms{ratio}" + (f", {late} later" if late else ""))
    print(
        f"neighbours: {name}: {'; '.join(text)}; CPU {cpu[0]:.0f} % and {cpu[1]:.0f} %; "
        f"RSS {node.memory() // 1024} and {keyed_node.memory() // 1024} MiB", flush=True)
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
        (folder / "plain").mkdir()
        (folder / "keyed").mkdir()
        node = Node(options.node, folder / "plain", free_endpoint())
        keyed_node = Node(options.node, folder / "keyed", free_endpoint(), has_keys=True)
        try:
            keys = keys_in(folder / "keyed")
            os.environ["EB_SERVER_KEY"] = keys["server"].decode()
            workers = [Worker(node.endpoint), Worker(keyed_node.endpoint, keys)]
            for worker in workers:
                worker.run(1)
            _, quiet = measure("quiet", None, options, node, keyed_node, workers, None)
            results = []
            for function in ATTACKS:
                if options.only and function.__name__ not in options.only:
                    continue
                is_good, _ = measure(
                    f"{function.__name__} ({function.__doc__})", function, options, node,
                    keyed_node, workers, quiet)
                results.append(is_good)
                time.sleep(1)
        finally:
            statuses = [node.end(), keyed_node.end()]
        print(f"neighbours: the nodes ended with {statuses}")
    sys.exit(0 if all(results) and statuses == [0, 0] else 1)


main()
