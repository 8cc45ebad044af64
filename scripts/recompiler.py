"""One file of a built package compiled again, and the program linked with it.

`swift build` plans the whole package and asks every module above a changed one whether it has to
follow. A mistake inside a function needs the compiler for its file and the linker, no more.
"""

import json
import pathlib
import shlex
import subprocess

# What the compiler writes beside the object for the next build, which knows nothing of this one.
RECORDS = ("-emit-dependencies-path", "-serialize-diagnostics-path",
           "-emit-reference-dependencies-path", "-index-store-path")
# How the driver emits a module for others: with the bodies only that these may take over.
WITHOUT_BODIES = "-experimental-skip-non-inlinable-function-bodies-without-types"


class Recompiler:
    """Builds a program of a package with another text of one file.

    The commands are the package's own: the manifest of the build has the calls of the compiler's
    driver, and the driver prints what it would run. The build itself stays as it is.
    """

    def __init__(self, scratch, product, modules, seconds):
        self.folder = scratch / "recompiled"
        self.folder.mkdir(exist_ok=True)
        self.program, self.seconds = self.folder / product, seconds
        calls = [
            json.loads(line.strip().removeprefix("args: "))
            for line in (scratch / "debug.yaml").read_text().splitlines()
            if line.startswith("    args: [") and "/swiftc\"" in line
        ]
        self.jobs = {}
        for module in modules:
            [call] = [call for call in calls if "-emit-module" in call
                      and call[call.index("-module-name") + 1] == module]
            for job in printed(call):
                if "-primary-file" in job:
                    self.jobs[after("-primary-file", job)] = job
        [call] = [call for call in calls if "-emit-executable" in call
                  and pathlib.Path(after("-o", call)).name == product]
        *before, self.link = printed(call)
        for job in before:
            subprocess.run(job, check=True, timeout=seconds)
        # That of each file's first text.
        self.interfaces = {}

    def build(self, file, text):
        """Whether the program has the text now, and what the compiler says.

        Where the interface of the file differs, other files have to be compiled as well: False.
        """
        path = str(file)
        if path not in self.interfaces:
            self.interfaces[path] = self.interface(path, file.read_text())
        former = self.interfaces[path]
        problem = self.compile(path, text, "-c", self.object)
        if problem or former is None or self.interface(path, text) != former:
            return False, problem
        words = list(self.link)
        words[words.index(after("-o", self.jobs[path]))] = str(self.object)
        words[words.index("-o") + 1] = str(self.program)
        return True, self.run(words)

    @property
    def object(self):
        return self.folder / "file.o"

    def interface(self, path, text):
        """What other files are compiled against; None, which equals no other, without a module."""
        module = self.folder / "file.swiftmodule"
        problem = self.compile(path, text, "-emit-module", module, WITHOUT_BODIES)
        return None if problem else module.read_bytes()

    def compile(self, path, text, kind, output, *options):
        """None, or what the compiler says of another text of the file."""
        copy = self.folder / pathlib.Path(path).name
        copy.write_text(text)
        words = [str(copy) if word == path else word for word in self.jobs[path]]
        for record in RECORDS:
            if record in words:
                place = words.index(record)
                del words[place:place + 2]
        words[words.index("-c")] = kind
        words[words.index("-o") + 1] = str(output)
        return self.run([*words, *options])

    def run(self, words):
        """None, or what the command says: never nothing, also where the system killed it."""
        result = subprocess.run(words, capture_output=True, text=True, timeout=self.seconds)
        if result.returncode == 0:
            return None
        return f"{result.stdout}{result.stderr}\n{words[0]} ended with {result.returncode}".strip()


def printed(call):
    """The commands that the driver would run, one for each file."""
    words = [word for word in call if word not in ("-parseable-output", "-enable-batch-mode")]
    result = subprocess.run(
        [*words, "-driver-print-jobs", "-driver-filelist-threshold", "100000"],
        check=True, capture_output=True, text=True)
    return [shlex.split(line) for line in result.stdout.splitlines()]


def after(option, words):
    return words[words.index(option) + 1]
