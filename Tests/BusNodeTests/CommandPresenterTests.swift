import ErrorBusTesting
import Logging
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// What a program answers as a presenter.
struct CommandPresenterTests {
    private struct Printing: CommandRunner {
        let output: String
        var errors = ""

        func run(
            _ command: [String], environment: [String: String], input: [UInt8],
            timeLimit: Duration
        ) async throws -> CommandResult {
            CommandResult(
                status: .exited(0), standardOutput: Array(output.utf8),
                standardErrorTail: errors)
        }
    }

    /// A program that prints `retry`, ends in some way, and notes its environment.
    private final class Ending: CommandRunner {
        let environments = Recorder<[String: String]>()
        private let status: CommandResult.Status

        init(_ status: CommandResult.Status) { self.status = status }

        func run(
            _ command: [String], environment: [String: String], input: [UInt8],
            timeLimit: Duration
        ) async throws -> CommandResult {
            environments.record(environment)
            return CommandResult(
                status: status, standardOutput: Array("retry\n".utf8), standardErrorTail: "")
        }
    }

    private func answer(printing output: String) async throws -> Answer? {
        let report = ErrorReport(
            domain: "d", description: "Boom",
            options: Prompts.options(("retry", "Retry", nil, true)))
        let presenter = CommandPresenter(
            command: ["ask"], runner: Printing(output: output), logger: Logger(label: "test"))
        return try await presenter.present(Prompts.prompt(report))
    }

    private static func reply(_ output: String) throws(CommandReply.Fault) -> CommandReply? {
        try CommandReply(Array(output.utf8), offered: ["retry", "{odd}"])
    }

    @Test("A program answers with an id alone, or with a comment that goes with the answer")
    func answers() async throws {
        #expect(try await answer(printing: " retry\n")?.option == "retry")
        #expect(try await answer(printing: "retry")?.comment == nil)
        #expect(try await answer(printing: "\n") == nil)
        let output = #"{"option": "retry", "comment": "It is full."}"#
        let commented = try #require(try await answer(printing: output))
        #expect(commented.option == "retry" && commented.comment == "It is full.")
        await #expect(throws: AnswerRefusal.self) {
            try await answer(printing: #"{"option": "wipe"}"#)
        }
    }

    @Test("A program answers with the values that an option asks for, which are checked")
    func values() async throws {
        var options = Prompts.options(("move", "Use another folder", nil, false))
        options[0].fields = [.text("path", label: "Path"), .secret("pin", label: "PIN")]
        let report = ErrorReport(domain: "d", description: "Boom", options: options)
        func answer(_ values: String) async throws -> Answer? {
            let output = #"{"option": "move", "values": \#(values)}"#
            let presenter = CommandPresenter(
                command: ["ask"], runner: Printing(output: output), logger: Logger(label: "test"))
            return try await presenter.present(Prompts.prompt(report))
        }
        let given = try #require(try await answer(#"{"path": "/srv", "pin": "1234"}"#)).given
        #expect(given.values == ["path": "/srv"] && given.secrets == ["pin": "1234"])
        for wrong in [#"{"path": 7, "pin": "1234"}"#, #"{"pin": "1234"}"#, #"{"other": "x"}"#] {
            let refusal = await #expect(throws: AnswerRefusal.self) { try await answer(wrong) }
            #expect(refusal?.description.contains("1234") == false)
        }
    }

    @Test(
        "A program that fails declines, also once it has printed an option",
        arguments: [.exited(0), .exited(1), .signaled(15)] as [CommandResult.Status])
    func failed(status: CommandResult.Status) async throws {
        let report = ErrorReport(
            domain: "d", description: "Boom",
            options: Prompts.options(("retry", "Retry", nil, true)))
        let presenter = CommandPresenter(
            command: ["ask"], runner: Ending(status), logger: Logger(label: "test"))
        let answer = try await presenter.present(Prompts.prompt(report))
        #expect(answer?.option == (status == .exited(0) ? "retry" : nil))
    }

    @Test("A program has the id, the origin, the ids of the options and the number of retries")
    func environment() async throws {
        var report = ErrorReport(
            domain: "d", description: "Boom",
            options: Prompts.options(
                ("retry", "Try it", nil, true), ("cancel", "Leave it", .cancel, false)))
        report.retryCount = 2
        let runner = Ending(.exited(1))
        let presenter = CommandPresenter(
            command: ["ask"], runner: runner, logger: Logger(label: "test"))
        let prompt = Prompts.prompt(report)
        #expect(try await presenter.present(prompt) == nil)
        let expected = [
            "ERRORBUS_ID": prompt.id.description, "ERRORBUS_ORIGIN": "worker",
            "ERRORBUS_OPTIONS": "retry cancel", "ERRORBUS_RETRIES": "2",
        ]
        #expect(runner.environments.elements == [expected])
    }

    @Test("While a program runs, those below see its name, not where it is")
    func standing() async throws {
        for command in ["/opt/site/ask", "ask", "./ask"] {
            let states = Recorder<PresentationState>()
            let presenter = CommandPresenter(
                command: [command, "now"], runner: Printing(output: ""),
                logger: Logger(label: "test"))
            let report = ErrorReport(domain: "d", description: "Boom")
            let prompt = Prompts.prompt(report, stateChanged: { states.record($0) })
            #expect(try await presenter.present(prompt) == nil)
            #expect(states.elements == [PresentationState(.presented, by: "command ask")])
        }
    }

    @Test("What a program prints in place of an answer is in the log without secrets")
    func secrets() async throws {
        let log = RecordedLog()
        let runner = Printing(output: "", errors: "refused: password=pl4nted\n")
        let presenter = CommandPresenter(command: ["ask"], runner: runner, logger: log.logger)
        let report = ErrorReport(domain: "d", description: "Boom")
        #expect(try await presenter.present(Prompts.prompt(report)) == nil)
        let line = "info presenter said command=ask text=refused: password=***\n"
        #expect(log.lines.elements == [line])
        let refusal = AnswerRefusal.notOffered(option: "password=***", offered: ["retry"])
        await #expect(throws: refusal) { try await answer(printing: "password=pl4nted\n") }
        // A URL that is cut in front of its @ would not be known to have a password.
        let long = String(repeating: "x", count: 230) + " https://ann:pl4nted-pl4nted@db.example/"
        let cut = await #expect(throws: AnswerRefusal.self) { try await answer(printing: long) }
        #expect(cut?.description.contains("https://ann:***@") == true, "\(cut?.description ?? "")")
        let longer = String(repeating: "x", count: 300)
        let shown = AnswerRefusal.notOffered(
            option: String(repeating: "x", count: 255) + "…", offered: ["retry"])
        await #expect(throws: shown) { try await answer(printing: longer) }
    }

    @Test("A secret that a program gives is not in the log, also where the program traces it")
    func tracedSecret() async throws {
        var options = Prompts.options(("login", "Log in", nil, false))
        options[0].fields = [.text("user", label: "User"), .secret("key", label: "Key")]
        let report = ErrorReport(domain: "d", description: "Boom", options: options)
        // The second one is refused for the other value.
        for user in [#""ann""#, "7"] {
            let log = RecordedLog()
            let output = #"{"option": "login", "values": {"user": \#(user), "key": "pl4nted"}}"#
            let runner = Printing(output: output, errors: "+ echo pl4nted\n")
            let presenter = CommandPresenter(command: ["ask"], runner: runner, logger: log.logger)
            let answer = try? await presenter.present(Prompts.prompt(report))
            #expect((answer == nil) == (user == "7"))
            #expect(log.lines.elements == ["info presenter said command=ask text=+ echo ***\n"])
        }
    }

    @Test("An offered id is never read as JSON; a comment may have its whole length, escaped")
    func limits() throws {
        #expect(try Self.reply("{odd}")?.option == "{odd}")
        let limit = ErrorReport.Limits.commentByteCount
        let longest = String(repeating: #"\u0041"#, count: limit)
        let reply = try Self.reply(#"{"option": "retry", "comment": "\#(longest)"}"#)
        #expect(reply?.comment?.utf8.count == limit)
    }

    @Test("A fault has no secret of the output, and no part of one")
    func masked() throws {
        for count in [1, 60, 250] {
            let url = "https://\(String(repeating: "a", count: count)):pl4nted@host"
            for output in [
                #"{"option": "retry", "\#(url)": 1}"#, #"{"\#(url)": 1, "\#(url)": 2}"#,
            ] {
                let fault = try #require(throws: CommandReply.Fault.self) {
                    try Self.reply(output)
                }
                let text = try #require(fault.errorDescription)
                #expect(text.contains("https://"))
                #expect(!text.contains("pl4"), "\(text)")
            }
        }
    }

    @Test(
        "Output that begins as an object and is none of this form is refused with its fault",
        arguments: [
            ("{", "no usable JSON (byte "),
            ("{}", #"an object without a text "option""#),
            (#"{"option": 1}"#, #"an object without a text "option""#),
            (#"{"option": "retry", "value": {}}"#, #"the unknown key "value""#),
            (#"{"option": "retry", "values": ["a"]}"#, #""values" that are no object"#),
            (#"{"option": "retry", "comment": 1}"#, #"another "comment" than a text"#),
            (#"{"option": "retry", "comment": "\u0007"}"#, #"another "comment" than a text"#),
            (
                #"{"option": "retry", "comment": "\#(String(repeating: "x", count: 2_049))"}"#,
                #"another "comment" than a text"#
            ),
            ("{" + String(repeating: " ", count: 65_535), "more than 65535 bytes"),
        ])
    func faults(output: String, found: String) throws {
        let fault = try #require(throws: CommandReply.Fault.self) { try Self.reply(output) }
        let text = try #require(fault.errorDescription)
        #expect(text.hasPrefix("standard output: found \(found)"))
        #expect(
            text.hasSuffix(#"or {"option": "id", "values": {"name": value}, "comment": "text"}"#))
    }
}
