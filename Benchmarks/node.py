"""The processes that are measured: a release bus-node, and present-bench as its load."""
import contextlib
import os
import pathlib
import select
import socket
import subprocess
import tempfile
import time

PATIENCE = 60
TOKEN = "benchmark-0123456789"


def fail(text):
    raise SystemExit(f"bench: {text}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Node:
    """`bus-node run` of one presenter; `console` is the port of its console, if it has one."""

    def __init__(self, binary, presenters, folder):
        self.binary, self.folder = binary, pathlib.Path(folder)
        self.endpoint = f"tcp://127.0.0.1:{free_port()}"
        self.console = free_port() if presenters == "console" else None
        if self.console:
            token = self.folder / "token"
            token.touch(mode=0o600)
            token.write_text(TOKEN + "\n")
            presenters = f"console: {{ listen: 127.0.0.1:{self.console}, token: file:token }}"
        else:
            (self.folder / "policy.yaml").write_text("rules: [{ match: {}, answer: retry }]\n")
            presenters = "policy: policy.yaml"
        (self.folder / "topology.yaml").write_text(
            f"version: 1\nnodes:\n  central:\n    listen: [\"{self.endpoint}\"]\n"
            f"    presenters: [{{ {presenters} }}]\n")
        ready, self.log = self.folder / "ready", self.folder / "log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [binary, "run", "--topology", self.folder / "topology.yaml", "--node", "central",
                 "--ready-file", ready],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.until("the node is not up", ready.exists)
        if self.console:
            self.until("the console does not listen", self.listens)

    def listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.console)) == 0

    def until(self, failure, is_so):
        limit = time.monotonic() + PATIENCE
        while not is_so():
            if time.monotonic() > limit or self.process.poll() is not None:
                self.stop()
                fail(f"{failure}: {self.log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.02)

    def proc(self, file):
        return pathlib.Path(f"/proc/{self.process.pid}/{file}").read_text()

    def cpu_seconds(self):
        fields = self.proc("stat").rsplit(")")[-1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self):
        return int(self.proc("statm").split()[1]) * os.sysconf("SC_PAGESIZE")

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextlib.contextmanager
def running(binary, presenters):
    with tempfile.TemporaryDirectory(prefix="eb-bench-") as folder:
        node = Node(binary, presenters, folder)
        try:
            yield node
        finally:
            node.stop()


@contextlib.contextmanager
def loaded(bench, node, **options):
    """The node with what `present-bench open` holds open there; gives the seconds it took."""
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    load = subprocess.Popen(
        [bench, "open", "--to", node.endpoint, *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        ready, _, _ = select.select([load.stdout], [], [], PATIENCE)
        said = load.stdout.readline() if ready else b""
        if not said:
            fail(f"present-bench open: not all presented within {PATIENCE} s")
        yield float(said)
    finally:
        load.stdin.close()
        try:
            load.wait(10)
        except subprocess.TimeoutExpired:
            load.kill()
            load.wait()
