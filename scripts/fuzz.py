"""libFuzzer on each target of Tests/Fuzzing, and Schemathesis on a node's console: see scripts/fuzz
and CONTRIBUTING.md."""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ROOT / "Tests/Fuzzing/Corpus"
# Git ignores it; `make clean` removes it.
WORK = ROOT / ".build-fuzz"
GOLDEN = ROOT / "Tests/ErrorBusTests/Golden"
BUILD_SECONDS = 3_600
# One input that takes longer, or more memory, is a finding.
INPUT_SECONDS = 5
MEMORY_MEGABYTES = 2_048
INPUT_BYTES = 4_096
# The target that is no part of the library: a node's HTTP interface.
CONSOLE = "console"
TOPOLOGY = """\
version: 1
nodes:
  central:
    listen: ["ipc://{folder}/central"]
    presenters: [{{ console: {{ listen: "127.0.0.1:*" }} }}]
    journal: "{folder}/central.sqlite"
"""
ADDRESS = re.compile(r"(http://[^/\s]+)/\?token=(\S+)")
# Not an error of the server's: some rules of a request are no part of its schema, such as that `by`
# is required where all share one token.
EXCLUDED_CHECKS = "positive_data_acceptance"
FIGURES = re.compile(r"^#(\d+)\s+DONE\s+cov: (\d+).*corp: (\d+)/", re.MULTILINE)


def targets():
    return sorted(folder.name for folder in KEPT.iterdir() if folder.is_dir()) + [CONSOLE]


def build():
    # Optimized, for more inputs, and with what the library keeps to itself.
    command = ["swift", "build", "--product", "fuzz", "--scratch-path", WORK,
               "--sanitize=fuzzer", "-Xswiftc", "-O"]
    subprocess.run(command, cwd=ROOT, check=True, timeout=BUILD_SECONDS, stdout=sys.stderr,
                   env={**os.environ, "ERRORBUS_FUZZING": "1"})
    return WORK / "debug/fuzz"


def golden_frames():
    """The frames of each golden message."""
    for file in sorted(GOLDEN.glob("*.txt")):
        frames = []
        for line in file.read_text().splitlines():
            head = re.match(r"frame \d+: ?(.*)$", line)
            if head:
                frames.append([head.group(1)] if head.group(1) else [])
            elif frames and line.startswith("    "):
                frames[-1].append(line[4:] + "\n")
        yield file.stem, ["".join(frame).encode() for frame in frames]


def beginnings(target):
    """(name, input) of what other tests have for this target."""
    if target == "frames":
        for name, frames in golden_frames():
            yield name, b"\xff".join(frames)
            yield f"{name}-routed", b"\xff".join([b"peer", b"", *frames])
    if target == "header":
        for name, frames in golden_frames():
            if len(frames) > 2:
                yield name, frames[2]
    if target == "report":
        for file in (ROOT / "Examples/reports").glob("*.json"):
            yield file.stem, file.read_bytes()
    if target in ("report", "values", "status"):
        for name, frames in golden_frames():
            if len(frames) > 3:
                yield name, frames[3]
    if target == "policy":
        for file in (ROOT / "Examples").glob("*/policy*.yaml"):
            yield f"{file.parent.name}-{file.stem}", file.read_bytes()


def run(program, target, minutes):
    """Whether nothing is found, and what to say of it."""
    corpus, artifacts = WORK / "corpus" / target, WORK / "found" / target
    shutil.rmtree(artifacts, ignore_errors=True)
    for folder in corpus, artifacts:
        folder.mkdir(parents=True, exist_ok=True)
    for name, content in beginnings(target):
        (corpus / f"begin-{name}").write_bytes(content)
    result = subprocess.run(
        [program, target, f"-max_total_time={minutes * 60}", f"-timeout={INPUT_SECONDS}",
         f"-rss_limit_mb={MEMORY_MEGABYTES}", f"-max_len={INPUT_BYTES}", "-use_value_profile=1",
         "-print_final_stats=1", f"-artifact_prefix={artifacts}/", corpus, KEPT / target],
        capture_output=True, text=True, errors="replace",
        # libFuzzer keeps the input of a crash; Swift's backtrace would be before it.
        env={**os.environ, "SWIFT_BACKTRACE": "enable=no"},
        timeout=minutes * 60 + BUILD_SECONDS)
    figures = FIGURES.search(result.stderr)
    found = sorted(artifacts.iterdir())
    if result.returncode == 0 and figures and not found:
        runs, coverage, inputs = figures.groups()
        return True, [f"{runs} inputs, {coverage} places reached, "
                      f"{inputs} inputs kept for the next run"]
    said = []
    for file in found:
        kept = KEPT / target / f"found-{file.name[-8:]}"
        shutil.copy(file, kept)
        said += [f"FOUND {kept.relative_to(ROOT)}; again:",
                 f"{program.relative_to(ROOT)} {target} {kept.relative_to(ROOT)}"]
    return False, said + result.stderr.splitlines()[-40:]


def build_node():
    subprocess.run(["swift", "build", "--product", "bus-node"], cwd=ROOT, check=True,
                   timeout=BUILD_SECONDS, stdout=sys.stderr)
    return ROOT / ".build/debug/bus-node"


def run_console(bus_node, minutes):
    """Whether every reply is as docs/openapi.yaml says, and the node lives; what to say of it."""
    with tempfile.TemporaryDirectory() as folder:
        topology = pathlib.Path(folder, "topology.yaml")
        topology.write_text(TOPOLOGY.format(folder=folder))
        node = subprocess.Popen([bus_node, "run", topology, "--node", "central"],
                                stderr=subprocess.PIPE, text=True)
        said = []
        while not (address := ADDRESS.search("".join(said))):
            line = node.stderr.readline()
            if not line:
                sys.exit(f"fuzz: the node did not start:\n{''.join(said)}")
            said.append(line)
        # From here on what it logs is of no interest, and must not fill the pipe.
        drain = subprocess.Popen(["cat"], stdin=node.stderr, stdout=subprocess.DEVNULL)
        workers = [subprocess.Popen(
            [bus_node, "present", "--to", f"ipc://{folder}/central", "--description", f"E{number}",
             "--option", "retry=Retry", "--option", "wipe=Wipe:destructive"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for number in range(8)]
        try:
            result = subprocess.run(
                [sys.executable, "-m", "schemathesis.cli", "run", ROOT / "docs/openapi.yaml",
                 "--url", address.group(1), "--header", f"Authorization: Bearer {address.group(2)}",
                 "--exclude-path", "/api/v1/events", "--exclude-checks", EXCLUDED_CHECKS,
                 "--max-time", str(minutes * 60), "--max-examples", "10000",
                 "--request-timeout", str(INPUT_SECONDS), "--phases", "coverage,fuzzing,stateful"],
                cwd=folder, capture_output=True, text=True, timeout=minutes * 60 + BUILD_SECONDS)
            with urllib.request.urlopen(f"{address.group(1)}/healthz", timeout=30) as reply:
                lives = reply.status == 200 and node.poll() is None
        finally:
            for process in [*workers, node, drain]:
                process.kill()
    cases = re.search(r"(\d+) generated.*", result.stdout)
    if result.returncode == 0 and lives and cases:
        return True, [cases.group(0)]
    return False, [*result.stdout.splitlines()[-120:], *result.stderr.splitlines(),
                   f"FOUND; the node {'lives' if lives else 'does not live'}"]


def main():
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--minutes", type=int, default=1, help="for each target (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1,
                        help="targets at a time (one for each processor)")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(targets()))
    options = parser.parse_args()
    unknown = set(options.targets) - set(targets())
    if unknown:
        parser.error(f"found {', '.join(sorted(unknown))}; targets: {', '.join(targets())}")
    if min(options.minutes, options.jobs) < 1:
        parser.error(f"found {min(options.minutes, options.jobs)}; "
                     "--minutes and --jobs are 1 or more")
    chosen = options.targets or targets()
    program = build() if set(chosen) != {CONSOLE} else None
    bus_node = build_node() if CONSOLE in chosen else None

    def judged(target):
        is_good, said = (run_console(bus_node, options.minutes) if target == CONSOLE
                         else run(program, target, options.minutes))
        print("\n".join([f"{target}: {options.minutes} min", *(f"    {line}" for line in said)]),
              flush=True)
        return is_good

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        good = list(pool.map(judged, chosen))
    print(f"fuzz: {sum(good)} of {len(good)} targets without a finding")
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    main()
