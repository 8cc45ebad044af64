"""The figures of one run of scripts/bench as a table, and each goal with a mark.

    scripts/python Benchmarks/table.py Benchmarks/out

The goals with their marks go into marks.json there as well, and the charts beside it.
"""
import json
import math
import pathlib
import sys

import charts

MARKS = "marks.json"


def rows(folder):
    """The measured rows by name; a peer that is not installed has none."""
    found = {}
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        if path.name == MARKS:
            continue
        content = json.loads(path.read_text(encoding="utf-8"))
        for row in content if isinstance(content, list) else [content]:
            found[row.get("name", path.stem)] = row
    return found


def print_peers(found):
    print(f"{'':24}{'p50 us':>10}{'p99 us':>10}{'per s':>10}{'CPU us':>10}")
    for name, row in found.items():
        if "p50Microseconds" not in row:
            continue
        cpu = f"{row['cpuMicroseconds']:.0f}" if "cpuMicroseconds" in row else ""
        print(f"{name:24}{row['p50Microseconds']:>10.1f}{row['p99Microseconds']:>10.1f}"
              f"{row['roundTripsPerSecond']:>10.0f}{cpu:>10}")


def goals(found):
    """(what, value, at most, aim, unit). Value None: not measured."""
    has_node = "process" in found
    return peer_goals(found) + open_goals(found) + (
        console_goals(found["console"]) + process_goals(found["process"]) if has_node else [])


def peer_goals(found):
    echo, proxy = found["raw libzmq echo"], found["echo through zmq_proxy"]
    direct, relayed = found["ErrorBus"], found["ErrorBus with relay"]
    nats = found.get("NATS request-reply")

    def latency(row, peer):
        return row["p50Microseconds"] / peer["p50Microseconds"] if peer else None

    def rate(row, peer):
        return peer["roundTripsPerSecond"] / row["roundTripsPerSecond"]

    return [
        ("p50, against the raw echo", latency(direct, echo), 3, 2, "x"),
        ("p50 with a relay, against the echo through zmq_proxy", latency(relayed, proxy), 3, 2,
         "x"),
        ("p50, against NATS request-reply", latency(direct, nats), 2, 1, "x"),
        ("rate with many under way: the raw echo's, over it", rate(direct, echo), 8, 4, "x"),
        ("the same with a relay: zmq_proxy's, over it", rate(relayed, proxy), 8, 3, "x"),
        ("CPU for one, all processes", direct["cpuMicroseconds"], 60, 30, "us"),
    ]


def open_goals(found):
    """What many open presentations take and how fast they move."""
    storm, restart = found["storm"], found["restart"]
    # One that did not end has no row, and took longer than any bound.
    large = found.get("large storm", dict.fromkeys(("presentedSeconds", "endedSeconds"), math.inf))
    name = f"{10 * storm['count']} in one group, 2 relays"
    return [
        ("memory of an open one, presenter", storm["presenterBytes"], 3_000, 1_500, "bytes"),
        ("memory of an open one, relay", storm["relayBytes"], 1_500, 800, "bytes"),
        ("presenter's memory after the end, over the start", storm["presenterLeft"], 1.2, 1.2,
         "x"),
        (f"{restart['count']} presented again after a restart", restart["againSeconds"], 2, 1,
         "s"),
        (f"{name}: all are presented", large["presentedSeconds"], 15, 5, "s"),
        (f"{name}: from the answer to the end", large["endedSeconds"], 10, 3, "s"),
    ]


def console_goals(console):
    """What the console's viewers wait for."""
    return [
        (f"console with {console['count']} open: a page loads", console["loadSeconds"], 2, 2,
         "s"),
        (f"console: a change to the last of {console['viewers']} viewers",
         console["changeSeconds"], 0.3, 0.3, "s"),
    ]


def process_goals(row):
    """What a process of bus-node costs."""
    return [
        ("`present`, the whole process", row["presentMilliseconds"], 15, 10, "ms"),
        ("`exec`, over the bare command", row["execMilliseconds"], 10, 5, "ms"),
        ("`--version`, the whole process", row["versionMilliseconds"], 8, 4, "ms"),
        (f"idle with {row['links']} links: CPU", row["idlePercent"], 0.5, 0.1, "%"),
        (f"idle with {row['links']} links: resident memory", row["idleBytes"] / 1e6, 30, 15,
         "MB"),
        ("binary, stripped", row["binaryBytes"] / 1e6, 40, 25, "MB"),
    ]


def mark(value, bound, aim):
    return "not measured" if value is None else (
        "aim reached" if value <= aim else "reached" if value <= bound else "NOT reached")


def shown(value):
    if value is None:
        return "-"
    if math.isinf(value):
        return "no end"
    return f"{value:.{2 if value < 1 else 1 if value < 100 else 0}f}"


def print_goals(found):
    print(f"\n{'':55}{'is':>10}{'at most':>10}{'aim':>8}")
    for what, value, bound, aim, unit in goals(found):
        print(f"{what:55}{shown(value):>10}{bound:>10}{aim:>8} {unit:6}{mark(value, bound, aim)}")


def write_marks(found, file):
    names = ("what", "value", "atMost", "aim", "unit", "mark")
    rows = [
        dict(zip(names, (*goal, mark(*goal[1:4])))) for goal in goals(found)]
    for row in rows:
        if row["value"] is not None and math.isinf(row["value"]):
            row["value"] = None  # JSON has no infinity; the mark says that it was not reached.
    file.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def print_keys(plain, keyed):
    """What encrypted and authenticated links cost."""
    def over(key):
        return keyed[key] / plain[key]

    print(f"\nwith keys against without: p50 {over('p50Microseconds'):.2f} x, "
          f"rate {over('roundTripsPerSecond'):.2f} x, CPU {over('cpuMicroseconds'):.2f} x")


def print_storm(row):
    print(f"\n{row['count']} open at once, {row['relays']} relays between: "
          f"{row['presentedSeconds']:.1f} s until all are presented, "
          f"{row['endedSeconds']:.1f} s from the answer to the last end")


def main():
    folder = pathlib.Path(sys.argv[1])
    found = rows(folder)
    print_peers(found)
    print_goals(found)
    print_keys(found["ErrorBus"], found["ErrorBus with keys"])
    for name in ("storm", "large storm"):
        if name in found:
            print_storm(found[name])
    write_marks(found, folder / MARKS)
    charts.write(found, folder)


if __name__ == "__main__":
    main()
