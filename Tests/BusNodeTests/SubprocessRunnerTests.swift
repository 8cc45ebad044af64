import ErrorBusTesting
import Foundation
import Glibc
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

@Suite(.timeLimit(.minutes(10)))
struct SubprocessRunnerTests {
    private func run(
        _ script: String, input: [UInt8] = [], limit: Duration = .seconds(300)
    ) async throws -> CommandResult {
        try await SubprocessRunner(folder: nil).run(
            ["sh", "-c", script], environment: ["ERRORBUS_TEST": "x y"], input: input,
            timeLimit: limit)
    }

    @Test("Input, environment, output and status are the command's")
    func plain() async throws {
        let result = try await run(
            "cat; echo $ERRORBUS_TEST; echo why >&2; exit 3", input: Array("in\n".utf8))
        #expect(result.status == .exited(3))
        #expect(String(decoding: result.standardOutput, as: UTF8.self) == "in\nx y\n")
        #expect(result.standardErrorTail == "why\n")
        #expect(try await run("kill -9 $$").status == .signaled(9))
    }

    @Test("A command may leave its input unread, or write much")
    func much() async throws {
        let input = [UInt8](repeating: 65, count: 1_000_000)
        #expect(try await run("exec <&-; exit 0", input: input).status == .exited(0))
        let much = try await run("head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2")
        #expect(much.status == .exited(0))
        #expect(much.standardOutput.count == SubprocessRunner.outputMax)
        #expect(much.standardErrorTail == "(a line of more than 4095 bytes was left out)\n")
    }

    @Test(
        "Of standard error whole lines are kept: the rest of a line that was cut may be a secret",
        arguments: [
            ("head -c 4096 /dev/zero | tr '\\0' x", String(repeating: "x", count: 4_096)),
            ("head -c 4097 /dev/zero | tr '\\0' x", nil),
            ("head -c 4096 /dev/zero | tr '\\0' x; echo", nil),
            ("head -c 4095 /dev/zero | tr '\\0' x; echo; echo last", "last\n"),
            ("seq 9; head -c 4078 /dev/zero | tr '\\0' x; echo", "2"),
        ])
    func wholeLines(script: String, expected: String?) async throws {
        let tail = try await run("(\(script)) >&2").standardErrorTail
        if let expected {
            #expect(tail.hasPrefix(expected))
            #expect(tail.utf8.count <= SubprocessRunner.errorTailMax)
        } else {
            #expect(tail == "(a line of more than 4095 bytes was left out)\n")
        }
    }

    private struct LoginFailed: Error {}

    @Test("A secret that the command of an option prints is masked whole, whatever is in it")
    func secret() async throws {
        let added = AddedOption(
            id: "login", title: "Log in",
            run: ["sh", "-c", #"echo "refused: $ERRORBUS_VALUE_KEY" >&2; exit 3"#],
            fields: [.secret("key", label: "Key")])
        let end = ClosureResponder(
            "end", next: nil,
            present: { error, _ in
                let key = #"{"token":"pl4nted-1","id":"pl4nted-2"}"#
                let answer = Answer(
                    option: "login", by: "test", via: .person, secrets: ["key": .string(key)])
                let result = await error.recoveryAttempter?.attemptRecovery(answer)
                return Outcome(
                    answer: answer, result: result ?? .noAttempter, decidedBy: "end")
            })
        let log = RecordedLog()
        let rule = Rule(match: RuleMatch(), actions: [.addOption(added)], position: 1)
        let chain = RuleResponder(
            "relay", book: RuleBook([rule], mode: .everyMatch), next: end,
            commands: RuleCommands(runner: SubprocessRunner(folder: nil)), logger: log.logger)
        #expect(await !chain.presentError(LoginFailed()).didRecover)
        let line = try #require(log.lines.elements.last)
        #expect(line.hasSuffix("text=refused: ***\n"), "\(line)")
    }

    @Test(
        "A command's background processes do not delay it, and go on",
        arguments: ["sleep 900 & echo $!", "setsid sleep 900 & echo $!"])
    func leftBehind(script: String) async throws {
        let result = try await run(script)
        #expect(result.status == .exited(0))
        let text = String(decoding: result.standardOutput, as: UTF8.self)
        let pid = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(pid, SIGKILL) == 0)
    }

    @Test("A background process that writes without end does not delay its command")
    func noisyLeftBehind() async throws {
        let result = try await run("yes >&2 & echo $!")
        #expect(result.status == .exited(0))
        let text = String(decoding: result.standardOutput, as: UTF8.self)
        let pid = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(pid, SIGKILL) == 0)
    }

    @Test(
        "The time limit ends the command and its processes, even stubborn ones and daemons",
        arguments: [
            "trap '' TERM; sleep 900 & echo $! >FILE; wait; wait; sleep 900",
            "(setsid sh -c 'trap \"\" TERM; echo $$ >FILE; sleep 900; :' &); sleep 900",
        ])
    func limit(script: String) async throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("eb-run-\(UInt64.random(in: 0...UInt64.max))").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        var limit = Duration.milliseconds(500)
        var text = ""
        // Longer each time, until the shell came so far before its time was over.
        while !text.hasSuffix("\n") {
            await #expect(throws: SubprocessRunner.TimedOut.self) {
                try await run(script.replacing("FILE", with: file), limit: limit)
            }
            text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            limit = limit * 4
        }
        let pid = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        while !Self.isGone(pid) { await Task.yield() }
    }

    @Test("The end of one command leaves the daemons of others")
    func otherDaemons() async throws {
        let other = try await run("setsid sleep 900 & echo $!")
        let text = String(decoding: other.standardOutput, as: UTF8.self)
        let pid = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        await #expect(throws: SubprocessRunner.TimedOut.self) {
            try await run("sleep 900", limit: .milliseconds(10))
        }
        #expect(!Self.isGone(pid))
        #expect(kill(pid, SIGKILL) == 0)
    }

    @Test("A command within another has the marks of both")
    func marks() {
        let outer = CommandTree.marks(adding: "outer", environment: [:])
        #expect(outer == "outer")
        let inner = CommandTree.marks(
            adding: "inner", environment: [CommandTree.markName: outer])
        #expect(inner == "outer inner")
    }

    @Test("Past its limit what a command started has time to end, too")
    func lastWords() async throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("eb-run-\(UInt64.random(in: 0...UInt64.max))").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let script = """
            (trap 'sleep 0.2; echo bye >>\(file); exit' TERM; echo hello >\(file)
            while :; do sleep 0.05; done) &
            wait
            """
        var limit = Duration.milliseconds(500)
        var text = ""
        // Longer each time, until the shell came so far before its time was over. Again where a
        // busy machine let it not come to its words within its 2 s.
        while text != "hello\nbye\n" {
            await #expect(throws: SubprocessRunner.TimedOut.self) {
                try await run(script, limit: limit)
            }
            text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            limit = min(limit * 4, .seconds(8))
        }
    }

    /// Ended; where no process collects orphans, as a zombie.
    private static func isGone(_ pid: pid_t) -> Bool {
        guard kill(pid, 0) == 0 else { return true }
        let status = FileManager.default.contents(atPath: "/proc/\(pid)/stat") ?? Data()
        return String(decoding: status, as: UTF8.self).contains(") Z ")
    }

    @Test("A missing program is an error, not a status")
    func missing() async {
        await #expect(throws: (any Error).self) {
            try await SubprocessRunner(folder: nil).run(
                ["/no/such/program"], environment: [:], input: [], timeLimit: .seconds(5))
        }
    }
}
