import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

struct CommandFailureTests {
    private func report(
        _ command: [String], _ status: CommandEnding.Status = .exited(4), said: String = "",
        in directory: String = "/srv"
    ) -> ErrorReport {
        CommandFailure(
            command: command.map { Array($0.utf8) }, in: directory,
            ending: CommandEnding(status: status, errorTail: said, duration: .zero)
        ).report
    }

    private static let job = ["backup", "/data", "--to", "a b"]

    @Test(
        "The suggestion names what can be chosen",
        arguments: [
            (.notOffered, "Choose Skip or Abort."),
            (.plain, "Fix the cause and choose Retry, or choose Skip or Abort."),
            (
                .withValues,
                "Fix the cause and choose Retry, or choose Retry with values, Skip or Abort."
            ),
        ] as [(CommandFailure.Repetition, String)])
    func suggestion(repetition: CommandFailure.Repetition, expected: String) {
        let failure = CommandFailure(
            command: [Array("backup".utf8)], in: "/srv",
            ending: CommandEnding(status: .exited(4), errorTail: "", duration: .zero),
            repetition: repetition)
        #expect(failure.report.recoverySuggestion == expected)
    }

    @Test(
        "Every command has a report that nodes take, however its words are escaped",
        arguments: ["\u{FFFD}", "\u{1}", "\"", "\\", "x", " ", "\u{301}"])
    func size(text: String) throws {
        let word = String(repeating: text, count: 1_024)
        for count in [1, 63, 64, 65, 200] {
            let report = report(
                Array(repeating: word, count: count),
                said: String(repeating: text, count: 8_192 / text.utf8.count))
            #expect(report.payload().count < Int(WireLimits.standard.payloadByteCountMax))
            let isCut = report.userInfo["argumentsAreCut"] == true
            #expect(count == 1 ? !isCut : count <= 64 || isCut)
            let arguments = try #require(report.userInfo["arguments"]?.arrayValue)
            #expect(!arguments.isEmpty)
        }
    }

    @Test("The reason is the end of standard error, at most its last ten lines")
    func lastLines() {
        let lines = (1...CommandFailure.errorLineMax + 2).map { "line \($0)" }
        let said = lines.joined(separator: "\n") + "\n"
        #expect(
            report(Self.job, said: said).failureReason
                == lines.dropFirst(2).joined(separator: "\n"))
        #expect(report(Self.job, said: "\n").failureReason == nil)
    }

    @Test(
        "Each sort of end is in the report under its own name, for rules",
        arguments: [
            (.exited(4), "exitCode", 4), (.signaled(9), "signal", 9),
            (.notStarted("no such file", exitCode: 127), "notStarted", "backup: no such file"),
        ] as [(CommandEnding.Status, String, JSONValue)])
    func ends(status: CommandEnding.Status, name: String, value: JSONValue) {
        let userInfo = report(Self.job, status).userInfo
        #expect(userInfo[name] == value)
        for other in ["exitCode", "signal", "notStarted"] where other != name {
            #expect(userInfo[other] == nil)
        }
    }

    @Test(
        "Secrets of a command that could not be started are masked, also in the reason",
        arguments: [
            "DB_PASSWORD=pl4nted", "DB_PASSWORD=pl4nted and, pl4nted", "curl -u ann:pl4nted db",
            "echo x; curl https://ann:pl4nted@db.example/x",
        ])
    func notStarted(program: String) {
        let report = report([program, "run"], .notStarted("command not found", exitCode: 127))
        #expect(report.failureReason?.hasSuffix(": command not found") == true)
        #expect(report.userInfo["notStarted"] == report.failureReason.map(JSONValue.string))
        let payload = String(decoding: report.payload(), as: UTF8.self)
        #expect(payload.contains("***") && !payload.contains("pl4nted"), "\(payload)")
    }

    @Test("The same command that failed in the same way is one group, whatever its output")
    func sameGroup() {
        #expect(
            CoalescingKey(report(Self.job, said: "disk a is full"))
                == CoalescingKey(report(Self.job, said: "disk b is full")))
    }

    @Test(
        "Other commands, arguments and endings are other groups",
        arguments: [
            (["restore", "/data", "--to", "a b"], .exited(4)), (["backup", "/data"], .exited(4)),
            (["backup", "/data", "--to", "a", "b"], .exited(4)),
            (["backup", "/data", "--to", "a b", ""], .exited(4)), (job, .exited(5)),
            (job, .signaled(4)), (job, .notStarted("no such file", exitCode: 4)),
        ] as [([String], CommandEnding.Status)])
    func otherGroup(command: [String], status: CommandEnding.Status) {
        #expect(CoalescingKey(report(command, status)) != CoalescingKey(report(Self.job)))
    }

    @Test("The same command in another directory is another group")
    func otherDirectory() {
        #expect(
            CoalescingKey(report(Self.job, in: "/home"))
                != CoalescingKey(report(Self.job, in: "/srv")))
    }

    @Test("Words cut from the report still distinguish commands", arguments: [false, true])
    func cut(isManyWords: Bool) {
        func key(_ end: String) -> CoalescingKey {
            let many = Array(repeating: "x", count: CommandFailure.argumentMax + 1)
            let long = String(repeating: "x", count: CommandFailure.argumentByteMax)
            return CoalescingKey(report(isManyWords ? many + [end] : [long + end]))
        }
        #expect(key("a") == key("a"))
        #expect(key("a") != key("b"))
    }

    @Test("The allowed number of words is in the report; one more is cut, with a note")
    func arguments() {
        let words = (0...CommandFailure.argumentMax).map { "\($0)" }
        let whole = report(Array(words.dropLast()))
        #expect(whole.userInfo["arguments"] == .array(words.dropLast().map { .string($0) }))
        #expect(whole.userInfo["argumentsAreCut"] == nil)
        let cut = report(words)
        #expect(cut.userInfo["arguments"] == .array(words.dropLast().map { .string($0) }))
        #expect(cut.userInfo["argumentsAreCut"] == true)
        #expect(cut.description.hasSuffix("… failed with exit code 4."))
    }

    @Test("A long command is cut in the description", arguments: [200, 201])
    func long(count: Int) {
        let text = report([String(repeating: "x", count: count)]).description
        #expect(text.contains("…") == (count > 200))
    }
}
