"""What a process of bus-node costs: its commands as a whole, its idle links, and its size.

    scripts/python Benchmarks/process.py --node BINARY --load present-bench --json FILE

The binary is a release build, stripped. Times are medians, with the bare command in turn with the
measured ones, so that a busy moment meets all of them.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

from node import fail, loaded, running


def milliseconds(words, status=0):
    """How long one process takes from its start to its end."""
    quiet = [(os.POSIX_SPAWN_OPEN, number, "/dev/null", os.O_RDWR, 0) for number in (0, 1, 2)]
    start = time.perf_counter()
    pid = os.posix_spawn(words[0], words, os.environ, file_actions=quiet)
    _, ended = os.waitpid(pid, 0)
    took = (time.perf_counter() - start) * 1000
    if os.waitstatus_to_exitcode(ended) != status:
        fail(f"{' '.join(words)} exits {os.waitstatus_to_exitcode(ended)}, expected: {status}")
    return took


def commands(binary, runs):
    """The median times of whole processes, with a node that answers by a policy."""
    bare = ["/bin/true"]
    with running(binary, "policy") as node:
        measured = {
            "bare": bare,
            "version": [binary, "--version"],
            "exec": [binary, "exec", "--to", node.endpoint, "--", *bare],
            "present": [
                binary, "present", "--to", node.endpoint, "--description", "Disk full",
                "--option", "retry=Retry", "--option", "cancel=Cancel:cancel"],
        }
        times = {name: [] for name in measured}
        # The first of each reads the binary from the disk.
        for index in range(runs + 1):
            for name, words in measured.items():
                took = milliseconds(words)
                if index:
                    times[name].append(took)
    return {name: statistics.median(each) for name, each in times.items()}


def idle(binary, bench, links, seconds):
    """CPU and memory of a presenter with a console whose children have nothing to ask."""
    with running(binary, "console") as node, loaded(bench, node, count=0, workers=links):
        node.until(f"not {links} children", lambda: links <= children(binary, node))
        begin, start = node.cpu_seconds(), time.monotonic()
        time.sleep(seconds)
        percent = 100 * (node.cpu_seconds() - begin) / (time.monotonic() - start)
        return percent, node.resident_bytes()


def children(binary, node):
    """How many children have a link; the log leaves lines out when many come at once."""
    status = subprocess.run(
        [binary, "status", "--to", node.endpoint, "--json"], capture_output=True, check=False)
    listed = json.loads(status.stdout)["children"] if status.returncode == 0 else []
    return sum(child["state"] == "live" for child in listed)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--node", required=True)
    parser.add_argument("--load", required=True)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--links", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--json", required=True)
    options = parser.parse_args()
    medians = commands(options.node, options.runs)
    percent, resident = idle(options.node, options.load, options.links, options.seconds)
    row = {
        "name": "process", "runs": options.runs, "bareMilliseconds": medians["bare"],
        "versionMilliseconds": medians["version"], "presentMilliseconds": medians["present"],
        "execMilliseconds": medians["exec"] - medians["bare"], "links": options.links,
        "idleSeconds": options.seconds, "idlePercent": percent, "idleBytes": resident,
        "binaryBytes": os.stat(options.node).st_size,
    }
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump(row, file)
    print(
        f"bus-node, medians of {options.runs} runs: --version {medians['version']:.1f} ms, "
        f"present {medians['present']:.1f} ms, exec {medians['exec']:.1f} ms of "
        f"{medians['bare']:.1f} ms\n"
        f"  idle for {options.seconds:g} s with {options.links} links: {percent:.2f} % of a core, "
        f"{resident / 1e6:.1f} MB resident; the binary has {row['binaryBytes'] / 1e6:.1f} MB",
        file=sys.stderr)


if __name__ == "__main__":
    main()
