"""The figures of one run of scripts/bench as a table, and each goal with a mark.

    scripts/python Benchmarks/table.py Benchmarks/out
"""
import json
import pathlib
import sys


def rows(folder):
    """The measured rows by name; a peer that is not installed has none."""
    found = {}
    for path in sorted(pathlib.Path(folder).glob("*.json")):
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
    """(what, value, at least, aim, unit): smaller is better. Value None: not measured."""
    echo, proxy = found["raw libzmq echo"], found["echo through zmq_proxy"]
    direct, relayed = found["ErrorBus"], found["ErrorBus with relay"]
    nats, storm = found.get("NATS request-reply"), found["storm"]

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
        ("memory of an open one, presenter", storm["presenterBytes"], 3_000, 1_500, "bytes"),
        ("memory of an open one, relay", storm["relayBytes"], 1_500, 800, "bytes"),
        ("presenter's memory after the end, over the start", storm["presenterLeft"], 1.2, 1.2,
         "x"),
    ]


def mark(value, least, aim):
    return "not measured" if value is None else (
        "aim reached" if value <= aim else "reached" if value <= least else "NOT reached")


def print_goals(found):
    print(f"\n{'':55}{'is':>10}{'at most':>10}{'aim':>8}")
    for what, value, least, aim, unit in goals(found):
        text = "-" if value is None else f"{value:.1f}" if value < 100 else f"{value:.0f}"
        print(f"{what:55}{text:>10}{least:>10}{aim:>8} {unit:6}{mark(value, least, aim)}")


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
    found = rows(sys.argv[1])
    print_peers(found)
    print_goals(found)
    print_keys(found["ErrorBus"], found["ErrorBus with keys"])
    print_storm(found["storm"])


if __name__ == "__main__":
    main()
