"""The instructions of one presentation in all its processes, as valgrind counts them.

    scripts/python Benchmarks/instructions.py --bench present-bench --json FILE
        --baseline Benchmarks/instructions.json [--write]

A presentation more is what a longer run has more than a shorter one, over the difference of their
lengths: starting the processes counts for none. Times of a shared machine vary by half; these
figures vary by a few hundredths. It fails if one is a fifth above the baseline, which `--write`
replaces. The baseline counts for the compiler that it names alone.
"""
import argparse
import json
import pathlib
import re
import select
import subprocess
import sys
import tempfile

RUNS = (100, 400)
ALLOWED = 1.2
PATIENCE = 300


def fail(text):
    raise SystemExit(f"bench: {text}")


def start(folder, bench, *words):
    """A process under valgrind, which counts for itself."""
    return subprocess.Popen(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         f"--log-file={folder}/%p", bench, *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def serving(process):
    """The endpoint where it listens, once it does."""
    ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
    endpoint = process.stdout.readline() if ready else ""
    if not endpoint:
        fail(f"a node under valgrind does not listen within {PATIENCE} s")
    return endpoint.strip()


def counted(bench, count, relay):
    """The instructions of all processes, from their start to their end."""
    servers = []
    with tempfile.TemporaryDirectory(prefix="eb-bench-") as folder:
        try:
            servers.append(start(folder, bench, "serve", "--name", "central"))
            endpoint = serving(servers[0])
            if relay:
                servers.append(
                    start(folder, bench, "serve", "--name", "relay", "--next", endpoint))
                endpoint = serving(servers[1])
            steps = start(folder, bench, "steps", "--to", endpoint, "--count", str(count))
            servers.append(steps)
            if steps.wait(PATIENCE):
                fail(f"present-bench steps under valgrind: exit {steps.returncode}")
            # A server ends with its standard input.
            for server in reversed(servers[:-1]):
                server.stdin.close()
                server.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            fail(f"no instructions counted within {PATIENCE} s")
        finally:
            for server in servers:
                server.kill()
        found = [
            re.findall(r"Collected : (\d+)", path.read_text(errors="replace"))
            for path in pathlib.Path(folder).iterdir()]
    if len(found) != len(servers) or not all(found):
        fail(f"valgrind counted in {len(found)} processes, expected: {len(servers)}")
    return sum(int(numbers[-1]) for numbers in found)


def compiler():
    said = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True)
    return re.search(r"Swift version (\S+)", said.stdout + said.stderr).group(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bench", required=True)
    parser.add_argument("--json", required=True)
    parser.add_argument("--baseline", required=True, type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    row = {"name": "instructions", "compiler": compiler()}
    for key, relay in (("direct", False), ("relay", True)):
        few, many = (counted(options.bench, count, relay) for count in RUNS)
        row[key] = round((many - few) / (RUNS[1] - RUNS[0]))
    if options.write:
        options.baseline.write_text(json.dumps(row, indent=1) + "\n", encoding="utf-8")
    before = json.loads(options.baseline.read_text(encoding="utf-8"))
    is_comparable = before["compiler"] == row["compiler"]
    row["before"] = before if is_comparable else None
    pathlib.Path(options.json).write_text(json.dumps(row), encoding="utf-8")
    print(
        f"instructions of one presentation in all processes: {row['direct']:,} directly, "
        f"{row['relay']:,} through a relay", file=sys.stderr)
    if not is_comparable:
        print(f"  not compared: the baseline is of Swift {before['compiler']}", file=sys.stderr)
        return
    for key in ("direct", "relay"):
        ratio = row[key] / before[key]
        print(f"  {key}: {ratio:.2f} x the baseline, at most {ALLOWED}", file=sys.stderr)
        if ratio > ALLOWED:
            fail(
                f"one presentation takes {row[key]:,} instructions ({key}), {ratio:.2f} times the "
                f"{before[key]:,} of {options.baseline}: find what costs more, or write a new "
                "baseline with --write and say why")


if __name__ == "__main__":
    main()
