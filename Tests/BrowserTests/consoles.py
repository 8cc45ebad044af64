"""What the page is served by: a real node, with workers and other nodes below it."""
import contextlib
import http.client
import json
import pathlib
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
import urllib.request
import uuid

import zmq

from made_up import reports
import providers
import receivers
from proxies import HEADER, SECRET, SIGN_OUT, Proxy

TOKEN = "browser-tests-0123456789"
OPTIONS = [{"id": "retry", "title": "Retry", "role": "default"},
           {"id": "skip", "title": "Skip"},
           {"id": "purge", "title": "Delete it", "role": "destructive"},
           {"id": "cancel", "title": "Abort", "role": "cancel"}]


def report(description, **more):
    return {"domain": "org.example.tests", "description": description, "recoveryOptions": OPTIONS,
            "coalesceKey": description[:100], **more}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Console:
    """`bus-node run` with a console, and bare clients that ask."""

    # A node takes 1024 open presentations from one child, and reads 256 at a time.
    per_socket = 200

    def __init__(self, binary, nodes=None, users=None, proxied=None, people=None,
                 journaled=False, linked=None, hooked=False):
        """nodes: others of its topology by name, each with its parents and whether it listens.
        users: what each may do, by name, in place of one token; the first is the script's.
        proxied: the one of them whom a proxy in front names.
        people: those whom an identity provider knows, each with groups.
        journaled: whether it keeps its history.
        linked: the one of the users as whom the links of its hook answer.
        hooked: whether it has a hook, to a port where nothing listens."""
        self.binary = binary
        self.port = free_port()
        self.endpoint = f"tcp://127.0.0.1:{free_port()}"
        self.processes = {}
        self.context = zmq.Context()
        self.dealers = []
        self.folder = tempfile.TemporaryDirectory(prefix="errorbus-browser-")
        folder = pathlib.Path(self.folder.name)
        token = folder / "token"
        token.touch(mode=0o600)
        token.write_text(TOKEN + "\n")
        self.users = folder / "users.txt"
        self.tokens = {name: self.add(name, may) for name, may in (users or {}).items()}
        self.token = next(iter(self.tokens.values()), TOKEN)
        self.url = self.url_of(self.token)
        admission = f"users: file:{self.users}" if users else f"token: file:{token}"
        self.proxy = proxied and Proxy(proxied, self.port)
        if proxied:
            secret = folder / "secret"
            secret.touch(mode=0o600)
            secret.write_text(SECRET + "\n")
            admission += (f"\n          hosts: ['{self.proxy.host}']\n          proxy: {{ header: "
                          f"{HEADER}, from: 127.0.0.1, secret: 'file:{secret}', "
                          f"signOut: {SIGN_OUT} }}")
            self.proxy.start()
        self.provider = people and providers.Provider(people, self.address)
        if people:
            secret = folder / "secret"
            secret.touch(mode=0o600)
            secret.write_text(providers.SECRET + "\n")
            admission += (f"\n          url: {self.address}\n          oidc:\n            "
                          f"{{ issuer: '{self.provider.issuer}', clientID: {providers.CLIENT}, "
                          f"clientSecret: 'file:{secret}', label: Canaille, name: sub, "
                          "scopes: [openid, profile, groups], may: { viewers: see } }")
            self.provider.start()
        self.receiver = linked and receivers.Receiver()
        hook = ""
        if linked:
            key = folder / "links"
            key.touch(mode=0o600)
            key.write_text("browser-tests-links-0123456789\n")
            admission += f"\n          url: {self.address}\n          linkKey: file:{key}"
            to = f"url: '{self.receiver.address}'"
            hook = (f"    notify: [{{ name: phone, {to}, digest: 0s, "
                    f"answerLinks: {{ as: {linked} }} }}, {{ name: digests, {to}, digest: 2s }}]")
            self.receiver.start()
        self.hook = hooked and free_port()
        if hooked:
            admission += f"\n          url: {self.address}"
            hook = f"    notify: [{{ name: ops, url: '{self.sink}', digest: 0s, tries: 1 }}]"
        others = "".join(
            f"  {name}:\n    next: [{', '.join(parents)}]\n"
            + (f"    listen: [tcp://127.0.0.1:{free_port()}]\n" if listens else "")
            for name, (parents, listens) in (nodes or {}).items())
        (folder / "topology.yaml").write_text(f"""\
version: 1
nodes:
  central:
    listen: [{self.endpoint}]
    presenters:
      - console:
          listen: 127.0.0.1:{self.port}
          {admission}
{f"    journal: {folder}/central.sqlite" if journaled or linked else ""}
{hook}
{others}""")

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def sink(self):
        """Where its hook sends to."""
        return f"http://127.0.0.1:{self.hook}/in"

    @property
    def cookie(self):
        """Its name in a browser."""
        return f"errorbus-{self.port}"

    def url_of(self, token):
        return f"http://127.0.0.1:{self.port}/?token={token}"

    def add(self, name, may):
        """A user's token."""
        return subprocess.run([self.binary, "users", "add", self.users, name, "--may", may],
                              check=True, capture_output=True, text=True).stdout.strip()

    def remove(self, name):
        subprocess.run([self.binary, "users", "remove", self.users, name], check=True)

    def start(self, **streams):
        process = self.run("central", **streams)
        end = time.monotonic() + 120
        while time.monotonic() < end and process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError(f"the console did not start: {self.log()}")

    def run(self, node, **streams):
        """Starts a node of the topology; its `streams` are files of this process."""
        with open(pathlib.Path(self.folder.name) / "console.log", "ab") as log:
            self.processes[node] = subprocess.Popen(
                [self.binary, "run", "--topology", f"{self.folder.name}/topology.yaml",
                 "--node", node], **{"stdout": log, "stderr": log, **streams})
        return self.processes[node]

    def log(self):
        return (pathlib.Path(self.folder.name) / "console.log").read_text(errors="replace")[-2000:]

    def stop(self, node="central"):
        process = self.processes.pop(node, None)
        if process:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def forget(self):
        """Restarts it without the reports of its journal: what was in its inbox does not come back
        there, as after 2,000 others."""
        self.stop()
        journal = f"{self.folder.name}/central.sqlite"
        with contextlib.closing(sqlite3.connect(journal)) as connection:
            connection.execute("DELETE FROM presentation")
            connection.commit()
        self.start()

    def close(self):
        if self.proxy:
            self.proxy.close()
        if self.provider:
            self.provider.close()
        if self.receiver:
            self.receiver.close()
        for node in list(self.processes):
            self.stop(node)
        self.context.destroy(linger=0)
        self.folder.cleanup()

    def call(self, path, body=None):
        """One request to the API, as a script would make it."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            data=None if body is None else json.dumps(body).encode(), headers={
                "Authorization": f"Bearer {self.token}", "Cookie": f"{self.cookie}={self.token}",
                "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as response:
            return json.load(response)

    def streams(self, count, token=None):
        """Event streams, as scripts with a token have them; closed they end."""
        headers = {"Authorization": f"Bearer {token or self.token}"}
        streams = [self.stream(headers) for _ in range(count)]
        assert {stream.status for stream in streams} == {200}
        return streams

    def stream(self, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", "/api/v1/events", headers=headers)
        return connection.getresponse()

    def ask(self, *reports, deadline=600):
        presentations = []
        for index, each in enumerate(reports):
            if index % self.per_socket == 0:
                self.await_open(index)
                dealer = Dealer(self.context.socket(zmq.DEALER), self.endpoint)
                self.dealers.append(dealer)  # Closed, it would take its presentations back.
            identity = str(uuid.uuid4())
            dealer.send({"deadlineMilliseconds": deadline * 1000, **each, "id": identity})
            presentations.append(BareQuestion(dealer, identity))
        return presentations

    def fill(self, count):
        """Presentations as they may come in earnest."""
        self.ask(*reports(count))

    def await_open(self, count):
        """A node that is asked more than it can read at a time refuses: slow down."""
        end = time.monotonic() + 120
        while count and self.call("/api/v1/inbox?limit=1")["openCount"] < count:
            assert time.monotonic() < end, f"fewer than {count} open after 120 s"
            time.sleep(0.02)

    def await_past(self, name, count):
        """What is open, or answered, is in the audit and the history a moment later."""
        key = {"audit": "events", "history": "presentations"}[name]
        end = time.monotonic() + 120
        while len(self.call(f"/api/v1/{name}?limit={count}")[key]) < count:
            assert time.monotonic() < end, f"fewer than {count} in the {name} after 120 s"
            time.sleep(0.02)

    def work(self, description, reason, *more):
        options = [argument for option in OPTIONS for argument in (
            "--option", f"{option['id']}={option['title']}:{option.get('role', '')}".rstrip(":"))]
        return Worker(self.command("present", "--json", "--description", description,
                                   "--reason", reason, *options, *more))

    def command(self, verb, *arguments):
        """A worker of bus-node's own, below this console."""
        return subprocess.Popen([self.binary, verb, "--to", self.endpoint, *arguments],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Worker:
    """`bus-node present`, which also reports the result."""

    def __init__(self, process):
        self.process = process

    def answer(self, seconds=120):
        outcome = json.loads(self.process.communicate(timeout=seconds)[0])
        return outcome["option"], outcome["by"]


class Dealer:
    """A socket over which many bare presentations are asked."""

    def __init__(self, socket, endpoint):
        self.socket = socket
        self.socket.setsockopt(17, 0)  # LINGER
        self.socket.connect(endpoint)
        self.replies = {}

    def send(self, request):
        self.socket.send_multipart([b"", json.dumps(request).encode()])

    def reply(self, identity, seconds):
        end = time.monotonic() + seconds
        while identity not in self.replies and time.monotonic() < end:
            if self.socket.poll(100):
                reply = json.loads(self.socket.recv_multipart()[-1])
                self.replies[reply.get("id")] = reply
        return self.replies.get(identity)


class BareQuestion:
    def __init__(self, dealer, identity):
        self.dealer, self.id = dealer, identity

    def reply(self, seconds=120):
        return self.dealer.reply(self.id, seconds)

    def answer(self, seconds=120):
        reply = self.reply(seconds)
        return reply and (reply["option"], reply["by"])
