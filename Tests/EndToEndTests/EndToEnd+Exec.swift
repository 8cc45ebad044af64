import Foundation
import Glibc
import Testing

extension EndToEnd {
    struct Exec {
        let sandbox: Sandbox
        init() throws { sandbox = try Sandbox() }

        private func policyBus(_ answer: String) async throws -> [Launched] {
            try sandbox.write("policy.yaml", "rules: [{ match: {}, answer: \(answer) }]\n")
            try sandbox.writeTopology(presenters: "policy: policy.yaml")
            return [try await sandbox.start("central"), try await sandbox.start("relay")]
        }

        private func terminalBus(_ pty: Pty) async throws -> [Launched] {
            try sandbox.writeTopology(presenters: "terminal")
            return [
                try await sandbox.start("central", input: .terminal(pty)),
                try await sandbox.start("relay"),
            ]
        }

        @Test("A01 Three terminals: the prompt is at central, Retry runs the command again")
        func threeTerminals() async throws {
            let pty = try Pty()
            let nodes = try await terminalBus(pty)
            let flag = sandbox.path("flag")
            let exec = try sandbox.exec([], "sh", "-c", "echo no flag >&2; test -e \(flag)")
            #expect(await pty.shows("[r] Retry (Return)"))
            #expect(pty.screen.value.contains("failed with exit"))
            #expect(pty.screen.value.contains("no flag"))
            try sandbox.write("flag", "")
            pty.type("r\n")
            #expect(try await exec.ending() == 0)
            withExtendedLifetime(nodes) {}
        }

        @Test("A console without a page is not asked: exec in its node's place ends")
        func consoleWithoutPage() async throws {
            try sandbox.write(
                "topology.yaml",
                """
                version: 1
                nodes:
                  desk: { presenters: [{ console: { listen: "127.0.0.1:8080" } }] }
                """)
            let exec = try Launched([
                "exec", "--topology", sandbox.path("topology.yaml"), "--node", "desk", "--",
                "sh", "-c", "exit 3",
            ])
            #expect(try await exec.ending() == 3)
            #expect(await exec.says("no upstream node has a presenter"))
        }

        @Test("A28 no answer in time: exec applies the declared option")
        func onExpiry() async throws {
            let pty = try Pty()
            let nodes = try await terminalBus(pty)
            let exec = try sandbox.exec(
                ["--deadline", "1s", "--on-expiry", "skip"], "sh", "-c", "exit 3")
            #expect(try await exec.ending() == 0)
            #expect(await exec.says("skip since no answer came in time"))
            let aborted = try sandbox.exec(
                ["--deadline", "1s", "--on-expiry", "abort"], "sh", "-c", "exit 3")
            #expect(try await aborted.ending() == 3)
            let said = aborted.errors.value.components(separatedBy: "no answer came in time")
            #expect(said.count == 2, "\(aborted.errors.value)")
            let wrong = try sandbox.exec(["--on-expiry", "wipe"], "true")
            #expect(try await wrong.ending() == 64)
            withExtendedLifetime(nodes) {}
        }

        @Test(
            "Abort and Skip exit with their statuses",
            arguments: [("abort", Int32(3)), ("skip", 0)])
        func decided(option: String, status: Int32) async throws {
            let nodes = try await policyBus(option)
            let exec = try sandbox.exec([], "sh", "-c", "exit 3")
            #expect(try await exec.ending() == status)
            #expect(await exec.says("bus-node exec: \(option) by "))
            withExtendedLifetime(nodes) {}
        }

        @Test("Ten thousand arguments are run, and reported in part")
        func manyArguments() async throws {
            let nodes = try await policyBus("abort")
            let exec = try Launched(
                ["exec", "--to", sandbox.endpoint("relay"), "--", "sh", "-c", "exit $#", "sh"]
                    + (0..<10_000).map { "\($0)" })
            // 10,000 is 16 in a byte.
            #expect(try await exec.ending() == 16)
            withExtendedLifetime(nodes) {}
        }

        @Test("Arguments and environment that are not UTF-8 reach the command unchanged")
        func rawBytes() async throws {
            let script = """
                export X=$(printf '\\377')
                exec "$0" exec -- sh -c 'printf %s "$1|$X" | od -An -tx1' sh "$(printf 'a\\377b')"
                """
            let shell = try Launched(
                ["-c", script, Launched.busNode], program: "/bin/sh",
                environment: ["BUS_NODE_TO": sandbox.endpoint("none")])
            #expect(try await shell.ending() == 0)
            #expect(await shell.prints(" 61 ff 62 7c ff"))
        }

        @Test(
            "A command that does not start is reported in a shell's words",
            arguments: [
                ("no-such-command", Int32(127), "no-such-command: command not found"),
                ("/no/such/command", 127, "/no/such/command: No such file or directory"),
                ("/etc/passwd", 126, "/etc/passwd: Permission denied"),
                ("/etc", 126, "/etc: Is a directory"),
            ])
        func notStarted(command: String, status: Int32, text: String) async throws {
            let exec = try Launched([
                "exec", "--to", sandbox.endpoint("none"), "--grace", "100ms", "--", command,
            ])
            #expect(try await exec.ending() == status)
            #expect(await exec.says("bus-node exec: \(text)\n"))
        }

        @Test("Retry is offered as often as requested")
        func retriesOffered() async throws {
            let pty = try Pty()
            let nodes = try await terminalBus(pty)
            let exec = try sandbox.exec(["--retries-offered", "1"], "sh", "-c", "exit 4")
            #expect(await pty.shows("Retry"))
            let before = pty.screen.value.count
            pty.type("r\n")
            #expect(await pty.shows("[?] details", after: before))
            let second = String(pty.screen.value.dropFirst(before))
            #expect(second.contains("after 1 retry"))
            #expect(!second.contains("] Retry"))
            pty.type("a\n")
            #expect(try await exec.ending() == 4)
            withExtendedLifetime(nodes) {}
        }

        @Test("Only as many of one command wait as allowed, and a killed process is not counted")
        func maxWaiting() async throws {
            let pty = try Pty()
            let nodes = try await terminalBus(pty)
            let flag = sandbox.path("flag")
            func job(_ options: [String] = [], _ script: String) throws -> Launched {
                try Launched(
                    ["exec", "--to", sandbox.endpoint("relay")] + options
                        + ["--", "sh", "-c", script],
                    environment: [
                        "XDG_RUNTIME_DIR": sandbox.folder, "BUS_NODE_EXEC_MAX_WAITING": "1",
                    ])
            }
            // It fails in another way later, which is presented by itself.
            let script = "test ! -e \(flag) || exit 5; exit 3"
            let first = try job([], script)
            #expect(await first.says("waiting for an answer (id …"))
            let second = try job([], script)
            #expect(try await second.ending() == 3)
            #expect(
                second.errors.value == "bus-node exec: not presented: 1 of this command waits for "
                    + "an answer already (--max-waiting)\n")
            let other = try job([], "exit 4")
            #expect(await other.says("waiting for an answer"))
            try sandbox.write("flag", "")
            let option = try job(["--max-waiting", "2"], script)
            #expect(await option.says("waiting for an answer"))
            for process in [first, option] {
                process.send(SIGKILL)
                #expect(try await process.ending() == 128 + SIGKILL)
            }
            let last = try job([], script)
            #expect(await last.says("waiting for an answer"))
            let wrong = try job(["--max-waiting", "0"], script)
            #expect(try await wrong.ending() == 64)
            withExtendedLifetime((nodes, other)) {}
        }

        @Test("Ctrl-C withdraws the presentation and exits 130", arguments: [SIGINT, SIGTERM])
        func interrupted(signal: Int32) async throws {
            let pty = try Pty()
            let nodes = try await terminalBus(pty)
            let exec = try sandbox.exec([], "false")
            #expect(await pty.shows("[?] details"))
            exec.send(signal)
            #expect(try await exec.ending() == 128 + signal)
            #expect(await pty.shows("withdrawn"))
            withExtendedLifetime(nodes) {}
        }

        @Test("Input, output and error output pass through unchanged, under the command's own name")
        func passesThrough() async throws {
            let cat = try sandbox.exec([], "cat", input: .text("in and out\n"))
            #expect(try await cat.ending() == 0)
            #expect(await cat.prints("in and out\n"))
            let both = try sandbox.exec([], "sh", "-c", "echo out; echo err >&2")
            #expect(try await both.ending() == 0)
            #expect(await both.prints("out\n"))
            #expect(await both.says("err\n"))
            #expect(both.errors.value == "err\n")
            let missing = try sandbox.exec(["--grace", "200ms"], "ls", "/no/such/file")
            #expect(try await missing.ending() == 2)
            #expect(missing.errors.value.hasPrefix("ls: "))
        }

        @Test("Signals pass to the command")
        func signalsPass() async throws {
            let script = "trap 'exit 7' TERM; echo up; while :; do sleep 0.02; done"
            let exec = try sandbox.exec([], "sh", "-c", script)
            #expect(await exec.prints("up"))
            exec.send(SIGTERM)
            #expect(try await exec.ending() == 7)
        }

        /// What a shell makes of itself: exec without a node, after these commands.
        private func exec(after commands: String, _ script: String) throws -> Launched {
            try Launched(
                [
                    "-c", "\(commands); exec \"$0\" \"$@\"", Launched.busNode, "exec", "--to",
                    sandbox.endpoint("none"), "--grace", "200ms", "--", "sh", "-c", script,
                ], program: "/bin/sh")
        }

        @Test(
            "A signal that was ignored when exec started stays ignored, for its command as well",
            arguments: ["HUP", "INT", "PIPE", "QUIT", "TERM", "TTIN", "TTOU", "USR1"])
        func ignored(signal: String) async throws {
            let exec = try exec(
                after: "trap '' \(signal)", "kill -\(signal) $$ $PPID; echo goes on; exit 3")
            #expect(try await exec.ending() == 3)
            #expect(exec.output.value == "goes on\n")
        }

        @Test("The shell runs a script that names no program, as below every shell")
        func scriptWithoutProgram() async throws {
            try sandbox.write("script", "echo \"$1 of $0\"; exit 3\n")
            let script = sandbox.path("script")
            #expect(chmod(script, 0o700) == 0)
            let exec = try sandbox.exec(["--grace", "200ms"], script, "a b")
            #expect(try await exec.ending() == 3)
            #expect(exec.output.value == "a b of \(script)\n")
        }

        @Test("A command has no descriptor but the standard ones, and ends by what exec ignores")
        func ownState() async throws {
            let descriptors = try exec(after: "exec 9>/dev/null", "test ! -e /proc/$$/fd/9")
            #expect(try await descriptors.ending() == 0)
            let pipe = try exec(after: ":", "kill -PIPE $$; exit 3")
            #expect(try await pipe.ending() == 128 + SIGPIPE)
        }

        /// Exec, leading the session and the foreground of the terminal, and its process.
        private func foreground(_ pty: Pty, _ script: String) async throws -> (Launched, pid_t) {
            let (exec, process) = try await Launched.inForeground(
                of: pty,
                [
                    "exec", "--to", sandbox.endpoint("none"), "--grace", "200ms", "--", "sh", "-c",
                    script,
                ])
            #expect(await exec.prints("up\n"), "\(exec.errors.value) \(pty.screen.value)")
            return (exec, process)
        }

        @Test(
            "In the foreground of a terminal a command gets once what a key or a process sends",
            arguments: [true, false])
        func foregroundOnce(isKey: Bool) async throws {
            let pty = try Pty()
            let (exec, process) = try await foreground(
                pty,
                """
                n=0; trap 'n=$((n+1)); echo interrupts $n' INT
                trap 'echo in all $n; exit 7' USR1
                echo up; while :; do sleep 0.02; done
                """)
            if isKey { pty.type("\u{3}") } else { kill(process, SIGINT) }
            #expect(await exec.prints("interrupts 1\n"))
            // Exec passes it on after what came before.
            kill(process, SIGUSR1)
            #expect(await exec.prints("in all 1\n"))
            #expect(try await exec.ending() == 7)
        }

        @Test(
            "A signal sent to exec alone ends its command in the foreground of a terminal",
            arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
        func foregroundEnds(signal: Int32) async throws {
            let pty = try Pty()
            let (exec, process) = try await foreground(
                pty, "ulimit -c 0; echo up; while :; do sleep 0.02; done")
            kill(process, signal)
            #expect(try await exec.ending() == 128 + signal)
            #expect(!pty.screen.value.contains("waiting"))
        }

        @Test("A hangup after a termination does not make a decision of it")
        func hangupAfterTermination() async throws {
            let script = """
                trap '' HUP; trap 'echo ends; sleep 0.3; exit 7' TERM
                echo up; while :; do sleep 0.02; done
                """
            let exec = try Launched(
                ["exec", "--to", sandbox.endpoint("none"), "--", "sh", "-c", script])
            #expect(await exec.prints("up"))
            exec.send(SIGTERM)
            #expect(await exec.prints("ends"))
            exec.send(SIGHUP)
            #expect(try await exec.ending() == 7)
            #expect(!exec.errors.value.contains("waiting"))
        }

        @Test("What is piped into the command answers no prompt")
        func pipedInput() async throws {
            let topology = try sandbox.write(
                "solo.yaml", "version: 1\nnodes: { solo: { presenters: [terminal] } }\n")
            let exec = try Launched(
                [
                    "exec", "--topology", topology, "--node", "solo", "--", "sh", "-c",
                    "read a; exit 3",
                ], input: .text("row1\nskip\nrow3\n"))
            #expect(try await exec.ending() == 3)
            #expect(!exec.errors.value.contains("skip"))
        }

        @Test(
            "No parent reachable: exits with the command's status and a message",
            arguments: [
                ("sh -c exit_5", Int32(5)), ("sh -c kill_-9_$$", 137), ("/no/such/command", 127),
                ("no-such-command", 127), ("sh -c head_-c_300000_/dev/urandom_>&2;_exit_6", 6),
            ])
        func unreachable(line: String, status: Int32) async throws {
            let command = line.split(separator: " ")
                .map { String($0).replacing("_", with: " ") }
            let exec = try Launched(
                ["exec", "--to", sandbox.endpoint("none"), "--grace", "200ms", "--"] + command)
            #expect(try await exec.ending() == status)
            #expect(await exec.says("no node could be reached"))
        }

        @Test("Processes that hold the command's standard error do not delay exec")
        func leftBehind() async throws {
            let exec = try Launched([
                "exec", "--to", sandbox.endpoint("none"), "--grace", "100ms", "--", "sh", "-c",
                "sleep 900 & echo $! >\(sandbox.path("pid")); exit 4",
            ])
            #expect(try await exec.ending() == 4)
            let text = try sandbox.read("pid").trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(kill(try #require(pid_t(text)), SIGKILL) == 0)
        }

        @Test("Text that would drive a terminal is escaped")
        func hostileText() async throws {
            let pty = try Pty()
            let nodes = try await terminalBus(pty)
            let exec = try sandbox.exec(
                [], "sh", "-c", "printf '\\033]0;owned\\007\\033[2J' >&2; exit 1")
            #expect(await pty.shows("[?] details"))
            #expect(pty.screen.value.contains("\\u{1B}[2J"))
            let before = pty.screen.value.count
            pty.type("?\n")
            #expect(await pty.shows("option   ", after: before))
            #expect(!pty.screen.value.contains("\u{1B}[2J"))
            #expect(!pty.screen.value.contains("\u{1B}]"))
            exec.send(SIGTERM)
            _ = try await exec.ending()
            withExtendedLifetime(nodes) {}
        }
    }
}
