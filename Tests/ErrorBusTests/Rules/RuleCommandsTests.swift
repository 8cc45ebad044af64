import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("What the command of an added option gets")
struct RuleCommandsTests {
    private struct Failure: ReportableError {
        let report: ErrorReport
    }

    /// Runs nothing, and notes the environments.
    private final class Runner: CommandRunner {
        let environments = Recorder<[String: String]>()

        func run(
            _ command: [String], environment: [String: String], input: [UInt8],
            timeLimit: Duration
        ) async throws -> CommandResult {
            environments.record(environment)
            return CommandResult(status: .exited(0), standardOutput: [], standardErrorTail: "")
        }
    }

    /// Picks the option of the rule.
    private var end: ClosureResponder {
        ClosureResponder(
            "end", next: nil,
            present: { error, _ in
                let answer = Answer(option: "login", by: "test", via: .person)
                let result = await error.recoveryAttempter?.attemptRecovery(answer) ?? .noAttempter
                return Outcome(answer: answer, result: result, decidedBy: "end")
            })
    }

    // A variable of the environment ends at its first NUL: the command would get another domain
    // than the rule has compared.
    @Test(
        "The command gets the whole domain, without its NULs",
        arguments: [
            ("com.acme\0.billing", "com.acme.billing"), ("com.acme\0", "com.acme"),
            // A NUL with a mark after it is another character.
            ("com.acme\0\u{301}.billing", "com.acme\u{301}.billing"),
        ])
    func domain(written: String, expected: String) async throws {
        let runner = Runner()
        let added = AddedOption(id: "login", title: "Log in", run: ["./login.sh"])
        let pattern = try TextPattern("com.acme*")
        let rule = Rule(
            match: RuleMatch(domain: [pattern]), actions: [.addOption(added)], position: 1)
        let chain = RuleResponder(
            "relay", book: RuleBook([rule], mode: .everyMatch), next: end,
            commands: RuleCommands(runner: runner), logger: .silent)
        let failure = Failure(report: ErrorReport(domain: written, description: "It failed."))
        #expect(await chain.presentError(failure).didRecover)
        #expect(runner.environments.elements.map { $0["ERRORBUS_DOMAIN"] } == [expected])
    }
}
