"""The silences of the mock: matched as rules are, and counted."""
import fnmatch
import re
import time

from mock_support import Refused, stamp

FIELDS = ("domain", "code", "severity", "origin")
SEVERITIES = ["debug", "info", "warning", "error", "critical"]


def fits(pattern, value):
    if isinstance(pattern, list):
        return any(fits(each, value) for each in pattern)
    text, pattern = str(value), str(pattern)
    if value is None:
        return False
    if pattern.startswith("/") and pattern.endswith("/") and len(pattern) > 1:
        return re.search(pattern[1:-1].replace("\\/", "/"), text) is not None
    if pattern.startswith(">="):
        return SEVERITIES.index(text) >= SEVERITIES.index(pattern[2:])
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))


def checked(match):
    if not isinstance(match, dict) or not match:
        raise Refused(400, "badRequest", "match: allowed: at least one of domain, code, "
                      "severity, origin, userInfo")
    for name, pattern in [*match.items(), *match.get("userInfo", {}).items()]:
        for text in map(str, pattern if isinstance(pattern, list) else [pattern]):
            where = f"match.{name}" if name in match else f"match.userInfo.{name}"
            if text.startswith(">=") and text[2:] not in SEVERITIES:
                raise Refused(400, "badRequest", f"{where}: found \"{text}\"; allowed: "
                              f"{', '.join(SEVERITIES)}")
            if name != "userInfo" and text.startswith("/"):
                try:
                    re.compile(text.strip("/"))
                except re.error as error:
                    raise Refused(400, "badRequest", f"{where}: not a regex: {error}")
    return match


class MockSilences:
    def __init__(self, inbox):
        self.inbox = inbox
        self.all = []

    def post(self, parts, body):
        with self.inbox.changed:
            if not parts:
                return self.make(body)
            if parts == ["preview"]:
                found = self.open_ones(checked(body["match"]))
                return {"open": len(found), "ids": [item["id"] for item in found[:100]]}
            return self.end(parts[0], body["by"])

    def listed(self):
        with self.inbox.changed:
            return {"isKept": False, "silences": [self.told(each) for each in reversed(self.all)]}

    def told(self, silence):
        is_active = silence["ends"] > time.time()
        told = {name: value for name, value in silence.items() if name != "ends"}
        return {**told, "endsAt": stamp(silence["ends"]), "stage": "active" if is_active
                else "ended"}

    def make(self, body):
        match = checked(body.get("match"))
        for name in ("by", "comment"):
            if not str(body.get(name) or "").strip():
                raise Refused(400, "badRequest",
                              f"{name}: allowed: a text of 1 to 200 characters")
        time_limit = body.get("forMilliseconds", 0)
        if not 1000 <= time_limit <= 2_592_000_000:
            raise Refused(400, "badRequest", "forMilliseconds: allowed: a whole number from 1000 "
                          "to 2592000000")
        silence = {"number": len(self.all) + 1, "match": match, "by": body["by"],
                   "comment": body["comment"], "option": body.get("option"),
                   "createdAt": stamp(), "endedBy": None, "answered": 0, "withheld": 0,
                   "lastAt": None, "ends": time.time() + time_limit / 1000}
        self.all.append(silence)
        found = self.open_ones(match) if body.get("alsoOpen") else []
        found = [item for item in found if item["stage"] == "open"]
        for item in found:
            self.apply(silence, item)
        return {"silence": self.told(silence), "applied": len(found)}

    def end(self, number, by):
        silence = next((each for each in self.all if str(each["number"]) == number), None)
        if not silence:
            raise Refused(404, "unknownSilence", f"no silence {number} here")
        if silence["ends"] <= time.time():
            raise Refused(409, "ended", f"silence {number} has ended")
        silence.update(ends=time.time(), endedBy=by)
        return self.told(silence)

    def open_ones(self, match):
        return [item for item in self.inbox.items.values() if item["stage"] in ("open", "claimed")
                and self.matches(match, self.inbox.reports[item["id"]], item["path"])]

    def matches(self, match, report, path):
        facts = {"severity": "error", **report, "origin": path[0] if path else None}
        info = report.get("userInfo", {})
        return (all(fits(match[name], facts.get(name)) for name in FIELDS if name in match)
                and all(fits(pattern, info.get(key))
                        for key, pattern in match.get("userInfo", {}).items()))

    def count(self, silence, option):
        silence["answered" if option else "withheld"] += 1
        silence["lastAt"] = stamp()

    def option(self, silence, report):
        offered = [option["id"] for option in report.get("recoveryOptions", [])]
        wanted = (silence["option"], report.get("onExpiry"))
        return next((option for option in wanted if option in offered), None)

    def takes(self, report, path):
        """Whether nobody is to be asked about it."""
        now = time.time()
        for silence in self.all:
            if silence["ends"] > now and self.matches(silence["match"], report, path):
                self.count(silence, self.option(silence, report))
                return True
        return False

    def apply(self, silence, item):
        option = self.option(silence, self.inbox.reports[item["id"]])
        self.count(silence, option)
        by = f"silence {silence['number']} ({silence['by']})"
        if option:
            self.inbox.leave(item, {"id": item["id"], "option": option, "via": "policy", "by": by})
        else:
            self.inbox.note("change", item, reason="withheld", by=by)
            self.inbox.touch(item, stage="closed", reason="withheld")
