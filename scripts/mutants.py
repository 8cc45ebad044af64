"""Mutation proof of the node simulator: see scripts/mutants and CONTRIBUTING.md.

Each mutant is a mistake that a reviewer would call one, planted in the shipped sources. The
simulator has to notice it within a bounded number of seeds.
"""

import argparse
import concurrent.futures
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import time

from recompiler import Recompiler

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "Tests/NodeSimulation/mutants.txt"
MODULES = ["ErrorBusCore", "ErrorBus"]
SOURCES = [f"Sources/{module}" for module in MODULES]
# Git ignores it; `make clean` removes it.
WORK = ROOT / ".build-mutants"
PRODUCT = "node-simulator"
COPY_COUNT_MAX = 4
# The seeds that are tried before all others.
RECENT_COUNT = 12
STRICT = "ERRORBUS_WARNINGS_AS_ERRORS"
BUILD_SECONDS = 1_800
RUN_SECONDS = 1_800
FINDING = re.compile(r"^seed (\d+): ([a-z-]+): (.*)$")
FAILED = re.compile(r"^node-simulator: \d+ seeds, (\d+) failed;", re.MULTILINE)


class Mutant:
    """One block of the list: a name, what is wrong, a file, the old lines and the new ones."""

    def __init__(self, block):
        head, self.file, *lines = block
        self.name, separator, self.mistake = head.partition(": ")
        self.old = [line[1:].strip() for line in lines if line.startswith("-")]
        self.new = [line[1:].strip() for line in lines if line.startswith("+")]
        if not separator or not self.old or len(self.old) + len(self.new) != len(lines):
            sys.exit(f"mutants: {LIST.name}: not understood: {block}")

    @property
    def path(self):
        paths = [f"{source}/{self.file}" for source in SOURCES]
        return next((path for path in paths if (ROOT / path).is_file()), paths[-1])

    def plant(self, text):
        """The text with the mistake in it; None where the old lines are not there exactly once.

        Indentation does not count. Without new lines the old ones go.
        """
        pattern = r"\n[ ]*".join(re.escape(line) for line in self.old)
        if len(re.findall(pattern, text)) != 1:
            return None
        return re.sub(pattern, lambda _: "\n".join(self.new), text)


def mutants():
    blocks = [[]]
    for line in LIST.read_text().splitlines():
        if line.startswith("#"):
            continue
        if line.strip():
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    found = [Mutant(block) for block in blocks if block]
    names = [mutant.name for mutant in found]
    doubled = {name for name in names if names.count(name) > 1}
    if doubled:
        sys.exit(f"mutants: {LIST.name}: twice: {', '.join(sorted(doubled))}")
    return found


class Copy:
    """A copy of the sources, in which one mistake at a time is planted, built and judged."""

    def __init__(self, number, options):
        self.tree = WORK / f"tree-{number}"
        self.scratch = WORK / f"build-{number}"
        self.options = options
        # Whether the last build of the whole copy was one with a mistake.
        self.has_mistake = False
        self.recent = []

    def refresh(self):
        """Brings the copy to the working tree's state; what is equal keeps its time."""
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, check=True, capture_output=True, text=True,
        ).stdout.split("\0")
        paths = {path for path in listed if path and (ROOT / path).is_file()}
        # Not tracked: the versions of the dependencies that this working copy is built with.
        if (ROOT / "Package.resolved").is_file():
            paths.add("Package.resolved")
        for path in paths:
            source, target = ROOT / path, self.tree / path
            if target.is_file() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
        for target in self.tree.rglob("*"):
            if target.is_file() and str(target.relative_to(self.tree)) not in paths:
                target.unlink()

    def build(self):
        """None, or what the compiler says."""
        # A mistake may leave a variable unused.
        environment = {key: value for key, value in os.environ.items() if key != STRICT}
        # The debug configuration compiles only the file of the mistake again. Optimized, it runs
        # five times as many seeds a second. No run looks at debug information.
        result = subprocess.run(
            ["swift", "build", "--package-path", self.tree, "--scratch-path", self.scratch,
             "--product", PRODUCT, "--disable-index-store", "-Xswiftc", "-gnone",
             "-Xswiftc", "-O"],
            capture_output=True, text=True, timeout=BUILD_SECONDS, env=environment,
        )
        if result.returncode == 0:
            return None
        return errors(f"{result.stdout}{result.stderr}\nswift build ended with {result.returncode}")

    def plant(self, file, text):
        """The program with the text in a file of the copy, and what the compiler says.

        Where no other file has to be compiled again, the copy and its build stay as they are.
        """
        if self.has_mistake:
            problem = self.build()
            if problem:
                raise Stopped(f"the sources do not compile any more:\n{problem}")
            self.has_mistake = False
        is_built, problem = self.recompiler.build(file, text)
        if is_built or problem:
            return self.recompiler.program, problem and errors(problem)
        original, self.has_mistake = file.read_text(), True
        file.write_text(text)
        try:
            return self.program, self.build()
        finally:
            file.write_text(original)

    @property
    def program(self):
        return self.scratch / "debug" / PRODUCT

    def simulate(self, program):
        """(checker, seed, what it says) of a seed that fails; None where all pass.

        Mistakes of one file fail often in the same seeds: those that failed last come first.
        """
        for seed in self.recent:
            found = self.run(program, seed, 1)
            if found:
                break
        else:
            found = self.run(program, 0, self.options.seeds)
        if found:
            seeds = [found[1], *(seed for seed in self.recent if seed != found[1])]
            self.recent = seeds[:RECENT_COUNT]
        return found

    def run(self, program, first, count):
        """(checker, seed, what it says) of the first of these seeds that fails, or None."""
        command = [program, "--first", str(first), "--seeds", str(count), "--until-failure"]
        if self.options.jobs:
            command += ["--jobs", str(self.options.jobs)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=RUN_SECONDS)
        verdict = FAILED.search(result.stdout)
        if not verdict:
            raise Stopped("the simulator said nothing to the point:\n"
                          f"{result.stdout}{result.stderr}")
        if verdict.group(1) == "0":
            return None
        for line in result.stdout.splitlines():
            found = FINDING.match(line)
            if found:
                return found.group(2), int(found.group(1)), found.group(3)
        raise Stopped(f"a seed failed without a finding:\n{result.stdout}")

    def prepare(self):
        """Builds the simulator without a mistake, and runs it."""
        self.refresh()
        problem = self.build()
        if problem:
            raise Stopped(f"the sources do not compile:\n{problem}")
        self.recompiler = Recompiler(self.scratch, PRODUCT, MODULES, BUILD_SECONDS)
        # Made as the programs with a mistake are: otherwise what is found could come from that.
        file = pathlib.Path(next(iter(self.recompiler.jobs)))
        program, problem = self.plant(file, file.read_text())
        if problem:
            raise Stopped(f"{file.name} does not compile by itself:\n{problem}")
        found = self.simulate(program)
        if found:
            raise Stopped(f"without a mistake seed {found[1]} fails: {found[0]}: {found[2]}")

    def judge(self, mutant):
        """What was found, the seed, whether it is as it must be, and what is to be read of it."""
        file = self.tree / mutant.path
        original = file.read_text() if file.is_file() else ""
        planted = mutant.plant(original)
        if planted is None:
            return "STALE: the old text is not there exactly once", "", False, ""
        program, problem = self.plant(file, planted)
        if problem:
            return "DOES NOT COMPILE", "", False, problem
        found = self.simulate(program)
        if not found:
            return f"SURVIVES {self.options.seeds} seeds", "", False, ""
        checker, seed, detail = found
        return checker, str(seed), True, detail


def errors(said):
    """The errors of what a compiler says, or the end of it."""
    lines = said.splitlines()
    return "\n".join([line for line in lines if "error:" in line][:5] or lines[-15:])


class Stopped(Exception):
    """The reason why no mistake can be judged."""


def main():
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", metavar="NAME",
                        help="only the mutant of this name; may be given several times")
    parser.add_argument("--seeds", type=int, default=1_000,
                        help="how many seeds each has to be noticed in (1000)")
    parser.add_argument("--jobs", type=int, help="seeds at a time (one for each processor)")
    parser.add_argument("--copies", type=int, metavar="N",
                        default=min(os.cpu_count() or 1, COPY_COUNT_MAX),
                        help="mistakes at a time, each in a copy of the sources with a build of "
                             "its own (one for each processor, at most "
                             f"{COPY_COUNT_MAX})")
    options = parser.parse_args()
    if options.copies < 1:
        parser.error(f"--copies: found {options.copies}; at least 1 is allowed")
    chosen = mutants()
    if options.only:
        unknown = set(options.only) - {mutant.name for mutant in chosen}
        if unknown:
            sys.exit(f"mutants: {LIST.name} has no {', '.join(sorted(unknown))}")
        chosen = [mutant for mutant in chosen if mutant.name in options.only]

    began, count = time.monotonic(), min(options.copies, len(chosen))
    print(f"{len(chosen)} mistakes; first the simulator is built and run without one, in each of "
          f"{count} copies", flush=True)
    copies = queue.SimpleQueue()

    def prepare(copy):
        copy.prepare()
        copies.put(copy)

    def judged(mutant):
        copy = copies.get()
        planted = time.monotonic()
        try:
            return mutant, *copy.judge(mutant), f"{time.monotonic() - planted:.0f}"
        finally:
            copies.put(copy)

    rows, good = [], 0
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        try:
            for ready in [pool.submit(prepare, Copy(number, options))
                          for number in range(1, count + 1)]:
                ready.result()
            running = [pool.submit(judged, mutant) for mutant in chosen]
            for number, each in enumerate(concurrent.futures.as_completed(running), 1):
                mutant, found, seed, is_good, detail, seconds = each.result()
                good += is_good
                rows.append((mutant.name, mutant.file, found, seed, seconds))
                print(f"{number}/{len(chosen)} {mutant.name}: {mutant.mistake}\n"
                      + (f"    {detail}\n" if detail else "")
                      + f"    {found}{f', seed {seed}' if seed else ''}, {seconds} s", flush=True)
        except Stopped as problem:
            sys.exit(f"mutants: {problem}")
        finally:
            # The mistakes that are left, where a problem or Ctrl-C ends the run.
            pool.shutdown(wait=False, cancel_futures=True)
    order = {mutant.name: place for place, mutant in enumerate(chosen)}
    rows.sort(key=lambda row: order[row[0]])
    print_table(rows)
    slowest = max(rows, key=lambda row: int(row[3] or -1))
    print(f"mutants: {good} of {len(chosen)} noticed, the last in seed {slowest[3] or '-'} "
          f"({slowest[0]}), in {(time.monotonic() - began) / 60:.0f} minutes")
    sys.exit(0 if good == len(chosen) else 1)


def print_table(rows):
    rows = [("mutant", "file", "caught by checker", "seed", "seconds")] + rows
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for row in rows:
        texts = [text.ljust(width) for text, width in zip(row[:3], widths)]
        numbers = [text.rjust(width) for text, width in zip(row[3:], widths[3:])]
        print(" | ".join(texts + numbers))


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    sys.stdout.reconfigure(line_buffering=True)
    main()
