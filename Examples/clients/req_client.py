"""Presents one error from a plain REQ socket (docs/wire.md, section 17).

Prints the answer as one line of JSON: the header fields of ANSWER, plus "result", and where it has
them "values", the names of its "secrets", and "comment" (section 20). Exit status: 0 an option was
chosen or a node above handled the error, 1 no decision, 64 the report has a signed option, 69 no
node answers, 75 the deadline passed.

usage: req_client.py [--endpoint tcp://127.0.0.1:7701] [--report FILE]
       req_client.py --origin deploy --secret keys/deploy.key_secret --parent keys/central.key
"""
import argparse
import json
import math
import re
import sys
import time
import unicodedata
import uuid

import zmq
import zmq.auth

WAIT_MS = 20_000
# With retry-ms: the same request again, that much later.
WAITING = ("403", "429", "503")


def encode(verb, payload=b"", **fields):
    """The four frames; fields in the order given, `_` for `-`, None left out."""
    lines = (f"{name.replace('_', '-')}: {value}\n" for name, value in fields.items()
             if value is not None)
    return [b"EB1", verb.encode(), "".join(lines).encode(), payload]


def decode(frames):
    """Verb and fields of a reply; of an ANSWER also its `extras`: values, secrets, comment."""
    if len(frames) != 4 or frames[0] != b"EB1":
        raise ValueError(f"not EB1: {len(frames)} frames, the first {frames[:1]}")
    fields = {}
    # splitlines() would split at characters that a value may have, as U+2028.
    lines = frames[2].decode().split("\n")
    # The last line may have no line feed.
    for line in lines if lines[-1] else lines[:-1]:
        name, separator, value = line.partition(":")
        if not separator or name in fields:
            raise ValueError(f"malformed header line {line!r}")
        fields[name] = value.strip(" ")
    verb = frames[1].decode()
    if verb == "ANSWER":
        fields["extras"] = extras_of(frames[3])
    return verb, fields


def extras_of(payload):
    """Values, secrets and comment of an ANSWER; None where they cannot be read."""
    try:
        extras = json.loads(payload or b"{}")
    except (ValueError, RecursionError):
        return None
    if not isinstance(extras, dict):
        return None
    extras = {key: value for key, value in extras.items() if value is not None}
    if not isinstance(extras.get("comment", ""), str):
        del extras["comment"]
    is_read = all(isinstance(extras.get(key, {}), dict) for key in ("values", "secrets"))
    return extras if is_read else None


def digest_of(payload):
    """FNV-1a 64: what was asked, for a parent that was restarted meanwhile."""
    number = 0xCBF29CE484222325
    for byte in payload:
        number = (number ^ byte) * 0x100000001B3 % 2**64
    return f"{number:016x}"


def matches(pattern, text):
    """Whether a text matches: exactly, with `*` for any characters, or where a `/regex/` does."""
    if len(pattern) > 1 and pattern[0] == pattern[-1] == "/":
        return re.search(pattern[1:-1], text) is not None
    # No regex of many `.*`, whose time grows with the power of their number.
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    *parts, last = rest
    place, end = len(first), len(text) - len(last)
    if place > end or not text.startswith(first) or not text.endswith(last):
        return False
    for part in parts:
        place = text.find(part, place, end)
        if place < 0:
            return False
        place += len(part)
    return True


def fits(field, value):
    """Whether a value is one of a field."""
    if field["kind"] == "boolean":
        return isinstance(value, bool)
    if field["kind"] == "number":
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return False
        # Doubles do not have greater integers, and json reads 1e999 as infinite.
        is_exact = abs(value) <= 2**53 if isinstance(value, int) else math.isfinite(value)
        return (is_exact and field.get("min", value) <= value <= field.get("max", value)
                and (not field.get("whole") or float(value).is_integer()))
    if not isinstance(value, str):
        return False
    if field["kind"] == "choice":
        return value in field["choices"]
    controls = {each for each in value if unicodedata.category(each) == "Cc"}
    return (field.get("minLength", 1) <= len(value) <= field.get("maxLength", 4096)
            and controls <= set("\t\n\r" if field["kind"] == "secret" else "")
            and ("pattern" not in field or matches(field["pattern"], value)))


def misfit(option, extras):
    """Why an option cannot be attempted with these values; None where it can. A presenter checks
    them, and the owner of the option again."""
    if extras is None:
        return "its values cannot be read"
    if extras.get("withheld"):
        return "a node has lost the secrets"
    fields = {field["name"]: field for field in option.get("fields") or []}
    plain, secrets = extras.get("values", {}), extras.get("secrets", {})
    for name, value in [*plain.items(), *secrets.items()]:
        if name not in fields or (fields[name]["kind"] == "secret") != (name in secrets):
            return f"{name} is not asked for"
        if value is not None and not fits(fields[name], value):
            return f"{name} does not fit"
    # Null stands for no value, not even the default.
    given = {**plain, **secrets}
    missing = [name for name, field in fields.items()
               if field.get("required") and given.get(name, field.get("default")) is None]
    return f"{missing[0]} is missing" if missing else None


def is_of_two(fields):
    """Whether a person chose it and another one confirmed it (section 19)."""
    by, second = fields.get("by", ""), fields.get("second", "")
    return fields.get("via") == "person" and by != second and by.strip() and second.strip()


class Client:
    """One presentation at one parent."""

    def __init__(self, endpoint, origin, ident, wait_ms, deadline, secret=None, parent=None):
        self.origin, self.ident, self.wait_ms = origin, ident, wait_ms
        self.deadline = None if deadline is None else time.monotonic() + deadline
        self.attempt = 0
        self.digest = None
        self.socket = zmq.Context.instance().socket(zmq.REQ)
        # RELAXED allows a new request after a lost reply, CORRELATE drops the late reply to the
        # old one.
        for option in (zmq.REQ_RELAXED, zmq.REQ_CORRELATE):
            self.socket.setsockopt(option, 1)
        self.socket.setsockopt(zmq.LINGER, 0)
        if secret:
            self.socket.curve_publickey, self.socket.curve_secretkey = \
                zmq.auth.load_certificate(secret)
            self.socket.curve_serverkey, _ = zmq.auth.load_certificate(parent)
        self.socket.connect(endpoint)

    def left(self):
        """Milliseconds to the deadline, or None without one."""
        if self.deadline is None:
            return None
        return max(0, int((self.deadline - time.monotonic()) * 1000))

    def wait(self):
        left = self.left()
        return self.wait_ms if left is None else min(self.wait_ms, left)

    def ask(self, frames, patience):
        """One request and its reply; None when none came within `patience` milliseconds."""
        # A socket that has lost its connection would wait for another one.
        if not self.socket.poll(patience, zmq.POLLOUT):
            return None
        self.socket.send_multipart(frames)
        if not self.socket.poll(patience):
            return None
        return decode(self.socket.recv_multipart())

    def present(self, report):
        """Asks until it is decided. Returns the fields of ANSWER, REJECT or WITHDRAWN."""
        awaiting = False
        self.digest = digest_of(report)
        while True:
            if self.left() == 0:
                # A reply is not worth waiting for: without this the prompt goes 3 minutes later.
                self.ask(encode(
                    "WITHDRAW", id=self.ident, reason="origin", origin=self.origin,
                    digest=self.digest), 1000)
                return "EXPIRED", {"id": self.ident}
            if awaiting:
                request = encode("AWAIT", id=self.ident, wait_ms=self.wait())
            else:
                self.attempt += 1
                request = encode(
                    "PRESENT", report, id=self.ident, attempt=self.attempt, origin=self.origin,
                    path=self.origin, left_ms=self.left(), wait_ms=self.wait())
            reply = self.ask(request, self.wait() + 2000)
            if reply is None:
                awaiting = False
                continue
            verb, fields = reply
            if verb == "PENDING":
                awaiting = True
            elif verb == "REJECT" and (
                    fields.get("code") == "404"
                    or fields.get("code") == "403" and awaiting and "retry-ms" not in fields):
                awaiting = False
            elif verb == "REJECT" and fields.get("code") in WAITING and "retry-ms" in fields:
                awaiting = False
                left = self.left()
                pause = int(fields["retry-ms"])
                time.sleep((pause if left is None else min(pause, left)) / 1000)
            else:
                return verb, fields

    def settle(self, answer, result):
        """Sends the result of the answer until it is acknowledged, at most five times."""
        for _ in range(5):
            reply = self.ask(
                encode(
                    "SETTLED", id=self.ident, answer=answer, result=result, origin=self.origin,
                    digest=self.digest), 2000)
            if reply is None:
                continue
            verb, fields = reply
            if verb == "REJECT" and fields.get("code") in WAITING and "retry-ms" in fields:
                time.sleep(int(fields["retry-ms"]) / 1000)
                continue
            return verb == "OK"
        return False


def apply(fields, report, recovering):
    """Carries out the answer: here only its name. Returns the result to report."""
    if "did-recover" in fields:
        return "recovered" if fields["did-recover"] == "true" else "failed"
    options = report.get("recoveryOptions") or [{"id": "ok"}]
    option = next((each for each in options if each["id"] == fields["option"]), None)
    if option is None:
        problem = "not offered"
    elif option.get("twoPeople") and not is_of_two(fields):
        problem = "it needs two people"
    else:
        problem = misfit(option, fields["extras"])
    if problem:
        print(f"{fields['option']}: {problem}", file=sys.stderr)
        return "invalid"
    return "recovered" if fields["option"] in recovering else "failed"


def status_of(verb, fields):
    """The exit status for a reply."""
    is_expired = fields.get("via") == "expiry" and "did-recover" in fields
    if verb == "EXPIRED" or fields.get("code") == "408" or is_expired:
        return 75
    if verb == "ANSWER":
        return 0
    return 69 if fields.get("code") == "503" else 1


def main():
    options = argparse.ArgumentParser(description="Presents one error and prints its answer.")
    options.add_argument("--endpoint", default="tcp://127.0.0.1:7701")
    options.add_argument("--origin", default="cron", help="with keys the name of its own")
    options.add_argument("--secret", help="its own certificate, in a topology with keys")
    options.add_argument("--parent", help="the public certificate of the node at the endpoint")
    options.add_argument("--id", default=str(uuid.uuid4()))
    options.add_argument("--report", help="a file with the report, - for standard input")
    options.add_argument("--wait-ms", type=int, default=WAIT_MS)
    options.add_argument("--deadline", type=float, help="seconds; none: asks for ever")
    options.add_argument("--recovering", default="retry", help="option ids that recover, by comma")
    given = options.parse_args()
    report = {
        "domain": "org.example.cron", "description": "The nightly backup failed.",
        "recoveryOptions": [{"id": "retry", "title": "Retry", "role": "default"},
                            {"id": "cancel", "title": "Cancel", "role": "cancel"}]}
    if given.report == "-":
        report = json.load(sys.stdin)
    elif given.report:
        with open(given.report, encoding="utf-8") as file:
            report = json.load(file)
    if any(option.get("signed") for option in report.get("recoveryOptions") or []):
        print("req_client: an option is signed; this client knows no signer's key (section 18)",
              file=sys.stderr)
        return 64

    client = Client(given.endpoint, given.origin, given.id, given.wait_ms, given.deadline,
                    given.secret, given.parent)
    verb, fields = client.present(json.dumps(report).encode())
    printed = {"verb": verb, **fields}
    if verb == "ANSWER":
        extras = printed.pop("extras") or {}
        printed.update({key: extras[key] for key in ("values", "comment") if key in extras})
        if "secrets" in extras:
            printed["secrets"] = sorted(extras["secrets"])
        printed["result"] = apply(fields, report, given.recovering.split(","))
        printed["settled"] = client.settle(fields["answer"], printed["result"])
    print(json.dumps(printed))
    return status_of(verb, fields)


if __name__ == "__main__":
    sys.exit(main())
