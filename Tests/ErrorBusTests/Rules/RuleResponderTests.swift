import ErrorBusTesting
import Logging
import Synchronization
import Testing

@testable import ErrorBus

@Suite struct RuleResponderTests {
    private struct Failure: ReportableError {
        var report = ErrorReport(
            domain: "com.acme", code: 7, description: "It failed.",
            userInfo: ["secret": .string("x"), "kept": .integer(1)])
    }

    /// Runs nothing, notes what it was asked to, and ends with a status.
    private final class Runner: CommandRunner {
        let status: CommandResult.Status
        private let noted = Mutex<[(command: [String], environment: [String: String])]>([])
        var commands: [[String]] { noted.withLock { $0.map(\.command) } }
        var environments: [[String: String]] { noted.withLock { $0.map(\.environment) } }

        init(_ status: CommandResult.Status = .exited(0)) { self.status = status }

        func run(
            _ command: [String], environment: [String: String], input: [UInt8],
            timeLimit: Duration
        ) async throws -> CommandResult {
            noted.withLock { $0.append((command, environment)) }
            return CommandResult(status: status, standardOutput: [], standardErrorTail: "")
        }
    }

    /// Notes what arrives and answers with the given option, or with nothing.
    private final class End: Responder {
        let arrived = Mutex<[ErrorReport]>([])
        let option: String?

        init(option: String? = nil) { self.option = option }

        var next: (any Responder)? { get async { nil } }

        func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
            arrived.withLock { $0.append(ErrorReport(describing: error)) }
            guard let option else {
                return Outcome(didRecover: false, reason: .expired, decidedBy: "end")
            }
            let answer = Answer(
                option: option, by: "test", via: .person)
            let result = await error.recoveryAttempter?.attemptRecovery(answer) ?? .noAttempter
            return Outcome(answer: answer, result: result, decidedBy: "end")
        }

        var last: ErrorReport? { arrived.withLock { $0.last } }
        var count: Int { arrived.withLock { $0.count } }
    }

    private let attempts = Counter()
    private let time = ManualTime()

    private final class Counter: Sendable {
        private let value = Mutex(0)
        func count() { value.withLock { $0 += 1 } }
        var total: Int { value.withLock { $0 } }
    }

    private func responder(
        _ actions: [RuleAction], mode: RuleBook.Mode = .everyMatch, runner: Runner = Runner(),
        next: any Responder,
        routes: RouteTable = RouteTable()
    ) -> RuleResponder {
        let rules = actions.enumerated().map {
            Rule(match: RuleMatch(), actions: [$1], position: $0 + 1)
        }
        return RuleResponder(
            "relay", book: RuleBook(rules, mode: mode), next: next,
            routes: routes, commands: RuleCommands(runner: runner) { Array($0.domain.utf8) },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            timing: RuleTiming(now: { [time] in time.now.instant }))
    }

    private func failure() -> Recoverable {
        let attempts = attempts
        return Failure().recoverable {
            RecoveryOption("Retry", id: "retry") {
                attempts.count()
                return true
            }
            RecoveryOption.cancel
        }
    }

    @Test("A07 withheld errors complete and reach no responder")
    func withhold() async {
        let end = End()
        let outcome = await responder([.withhold], next: end).presentError(failure())
        #expect(outcome.reason == .withheld)
        #expect(outcome.decidedBy == "relay")
        #expect(end.count == 0)
    }

    @Test("A06 the rewritten text travels, domain and code stay, the options still work")
    func rewrite() async {
        let end = End(option: "retry")
        let rewrite = ReportRewrite(description: "New", reason: "Why", severity: .critical)
        let outcome = await responder([.rewrite(rewrite)], next: end).presentError(failure())
        #expect(end.last?.description == "New")
        #expect(end.last?.failureReason == "Why")
        #expect(end.last?.severity == .critical)
        #expect(end.last?.domain == "com.acme")
        #expect(end.last?.code == 7)
        let change = end.last?.changes.first
        #expect(change?.by == "relay")
        #expect(change?.rewritten == ["description", "reason"])
        #expect(change?.severityBefore == .error)
        #expect(outcome.didRecover)
        #expect(attempts.total == 1)
    }

    @Test("a rule answers with no option that needs two people, and may add one")
    func twoPeople() async {
        let end = End()
        var added = AddedOption(id: "drop", title: "Drop", run: ["x"])
        added.needsTwoPeople = true
        let runner = Runner()
        let outcome = await responder(
            [.addOption(added), .answer(RuleAnswer("drop"))], runner: runner, next: end
        ).presentError(failure())
        #expect(outcome.reason == .expired && end.count == 1)
        #expect(end.last?.options.last?.needsTwoPeople == true)
        #expect(runner.commands.isEmpty && attempts.total == 0)
        let next = await responder(
            [.addOption(added), .answer(RuleAnswer("drop")), .answer(RuleAnswer("retry"))],
            runner: runner, next: end
        ).presentError(failure())
        #expect(next.answer?.option == "retry" && end.count == 1)
    }

    @Test("a routed error goes there instead of to next, with the changes so far")
    func route() async {
        let end = End()
        let other = End(option: "retry")
        let routes = RouteTable()
        routes.set(["ops": other])
        let actions: [RuleAction] = [
            .rewrite(ReportRewrite(severity: .critical)), .route("ops"),
            .rewrite(ReportRewrite(description: "Not reached")),
        ]
        let outcome = await responder(actions, next: end, routes: routes).presentError(failure())
        #expect(outcome.didRecover)
        #expect(end.count == 0)
        #expect(other.last?.severity == .critical)
        #expect(other.last?.description == "It failed.")
    }

    @Test("an error with an unknown route goes on to next")
    func routeUnknown() async {
        let end = End(option: "retry")
        let outcome = await responder([.route("ops")], next: end).presentError(failure())
        #expect(outcome.didRecover)
        #expect(end.count == 1)
    }

    @Test("an answer above its limit leaves the error to the rule that routes")
    func routeAfterLimit() async {
        let end = End()
        let other = End()
        let routes = RouteTable()
        routes.set(["ops": other])
        let answer = RuleAnswer("retry", limit: IntensityLimit(1, per: .seconds(60)))
        let responder = responder(
            [.answer(answer), .route("ops")], mode: .everyMatch, next: end, routes: routes)
        #expect(await responder.presentError(failure()).didRecover)
        #expect(await !responder.presentError(failure()).didRecover)
        #expect([end.count, other.count] == [0, 1])
    }

    @Test("redacted keys are gone, in underlying errors as well")
    func redact() async {
        let end = End()
        var error = Failure()
        error.report.underlyingErrors = [Failure().report]
        _ = await responder([.redact(["secret"])], next: end).presentError(error)
        #expect(end.last?.userInfo == ["kept": .integer(1)])
        #expect(end.last?.underlyingErrors.first?.userInfo == ["kept": .integer(1)])
    }

    @Test("Masked secrets are gone from texts and userInfo; an error without one stays itself")
    func maskSecrets() async {
        let end = End()
        var error = Failure()
        error.report.failureReason = "refused: token=abc"
        _ = await responder([.maskSecrets], next: end).presentError(error)
        #expect(end.last?.userInfo == ["secret": "***", "kept": .integer(1)])
        #expect(end.last?.failureReason == "refused: token=***")
        error.report.userInfo = [:]
        error.report.failureReason = nil
        _ = await responder([.maskSecrets], next: end).presentError(error)
        #expect(end.last == error.report)
    }

    @Test(
        "A10 an added option's command runs here, the others where they came from",
        arguments: [
            (CommandResult.Status.exited(0), true), (.exited(1), false), (.signaled(9), false),
        ])
    func addOption(status: CommandResult.Status, recovers: Bool) async {
        let runner = Runner(status)
        let added = AddedOption(id: "login", title: "Log in", run: ["./login.sh", "now"])
        let chain = responder([.addOption(added)], runner: runner, next: End(option: "login"))
        let outcome = await chain.presentError(failure())
        #expect(outcome.didRecover == recovers)
        #expect(outcome.reason == .answered)
        #expect(runner.commands == [["./login.sh", "now"]])
        #expect(
            runner.environments == [
                [
                    "ERRORBUS_DOMAIN": "com.acme", "ERRORBUS_CODE": "7", "ERRORBUS_ORIGIN": "relay",
                    "ERRORBUS_OPTION": "login",
                ]
            ])
        #expect(attempts.total == 0)
    }

    @Test("an option that a rule adds as the first is before the others, and first of defaults")
    func addFirst() async {
        let end = End()
        let places: [RecoveryOption.Place] = [.last, .first]
        let actions = places.map { place in
            RuleAction.addOption(
                AddedOption(id: "\(place)", title: "T", role: .default, run: ["x"], place: place))
        }
        _ = await responder(actions, next: end).presentError(failure())
        #expect(end.last?.options.map(\.id) == ["first", "retry", "cancel", "last"])
        #expect(end.last?.options.defaultOption?.id == "first")
    }

    @Test("a rule does not replace an option that has an owner")
    func addOfferedOption() async {
        let runner = Runner()
        let added = AddedOption(id: "retry", title: "Mine", run: ["x"])
        let chain = responder([.addOption(added)], runner: runner, next: End(option: "retry"))
        #expect(await chain.presentError(failure()).didRecover)
        #expect(attempts.total == 1)
        #expect(runner.commands.isEmpty)
    }

    @Test("a report with 32 options gets no more")
    func optionLimit() async {
        let end = End()
        let actions = (0..<40).map {
            RuleAction.addOption(AddedOption(id: "o\($0)", title: "O", run: ["x"]))
        }
        _ = await responder(actions, next: end).presentError(Failure())
        #expect(end.last?.options.count == ErrorReport.Limits.optionCount)
    }

    @Test("a report has no more than 32 fields, with those of added options")
    func fieldLimit() async {
        let end = End()
        let actions = (0..<8).map { number in
            var added = AddedOption(id: "o\(number)", title: "O", run: ["x"])
            added.fields = (0..<5).map { .text("f\($0)", label: "F") }
            return RuleAction.addOption(added)
        }
        _ = await responder(actions, next: end).presentError(Failure())
        #expect(end.last?.options.map(\.fields.count).reduce(0, +) == 30)
    }

    @Test("removed options are not offered")
    func removeOption() async {
        let end = End()
        _ = await responder([.removeOption(["retry"])], next: end).presentError(failure())
        #expect(end.last?.options.map(\.id) == ["cancel"])
    }

    @Test("A01 an answer runs the option where it came from, with the decider's name")
    func answer() async {
        let end = End()
        let chain = responder([.answer(RuleAnswer("retry"))], next: end)
        let outcome = await chain.presentError(failure())
        #expect(outcome.didRecover)
        #expect(outcome.answer?.by == "policy relay rule 1")
        #expect(outcome.answer?.via == .policy)
        #expect(attempts.total == 1)
        #expect(end.count == 0)
    }

    @Test("A22 an option that is not offered is not chosen: the rule declines")
    func answerNotOffered() async {
        let end = End()
        let rules: [RuleAction] = [
            .answer(RuleAnswer("skip")), .answer(RuleAnswer("cancel")),
        ]
        let outcome = await responder(rules, mode: .firstMatch, next: end).presentError(failure())
        #expect(outcome.answer?.option == "cancel")
        #expect(outcome.answer?.by == "policy relay rule 2")
    }

    @Test("A41 a rule gives the values of the option that it answers with")
    func answerWithValues() async {
        let got = Recorder<FieldValues>()
        let error = Failure().recoverable {
            RecoveryOption(
                "Move", id: "move",
                fields: [.text("path", label: "P", pattern: "/*"), .secret("pin", label: "PIN")]
            ) {
                got.record($0)
                return true
            }
        }
        let end = End()
        for values in [[:], ["path": "srv", "pin": "1"], ["path": "/srv", "pin": "1", "x": 1]]
            as [[String: JSONValue]]
        {
            let chain = responder([.answer(RuleAnswer("move", values: values))], next: end)
            _ = await chain.presentError(error)
        }
        // The rule declines, as if it had not matched.
        #expect(got.elements.isEmpty && end.count == 3)
        let given: [String: JSONValue] = ["path": "/srv", "pin": "hunter2"]
        let chain = responder(
            [.answer(RuleAnswer("move", values: given, comment: "It is full."))], next: end)
        let outcome = await chain.presentError(error)
        #expect(outcome.didRecover && end.count == 3)
        #expect(outcome.answer?.comment == "It is full.")
        #expect(got.elements.map { $0.text("pin") } == ["hunter2"])
    }

    @Test("A41 the command of an added option gets its values as environment variables")
    func addedOptionWithFields() async throws {
        let runner = Runner()
        var added = AddedOption(id: "move", title: "Move", run: ["mv"])
        added.fields = [.text("new-path", label: "P"), .number("domain", label: "N", default: 2)]
        let presenter = ScriptedPresenter(
            "screen",
            .run { prompt in
                try prompt.answer("move", by: "ann", via: .person, values: ["new-path": "/srv"])
            })
        let chain = responder(
            [.addOption(added)], runner: runner, next: PresentingResponder.asking(presenter))
        let outcome = await chain.presentError(Failure())
        #expect(outcome.didRecover)
        #expect(presenter.prompts.first?.report.options.first?.fields == added.fields)
        let environment = try #require(runner.environments.first)
        #expect(environment["ERRORBUS_VALUE_NEW_PATH"] == "/srv")
        #expect(environment["ERRORBUS_VALUE_DOMAIN"] == "2")
        #expect(environment["ERRORBUS_DOMAIN"] == "com.acme")
    }

    @Test("A38 above its limit a policy declines, until time has passed")
    func limit() async {
        let end = End()
        let chain = responder(
            [.answer(RuleAnswer("retry", limit: IntensityLimit(2, per: .seconds(60))))], next: end)
        for _ in 0..<5 { _ = await chain.presentError(failure()) }
        #expect(attempts.total == 2)
        #expect(end.count == 3)
        time.advance(by: .seconds(60))
        _ = await chain.presentError(failure())
        #expect(attempts.total == 3)
    }

    @Test("A16 a user cancellation is not answered")
    func userCancelled() async {
        let chain = responder([.answer(RuleAnswer("retry"))], next: End())
        let cancelled = Failure(
            report: ErrorReport(domain: "NSCocoaErrorDomain", code: 3072, description: "x"))
        let attempts = attempts
        _ = await chain.presentError(
            cancelled.recoverable {
                RecoveryOption("Retry", id: "retry") {
                    attempts.count()
                    return true
                }
            })
        #expect(attempts.total == 0)
    }

    @Test("every rule applies to the changes of earlier ones; in a policy only the first")
    func order() async {
        let rewrites = [ReportRewrite(description: "one"), ReportRewrite(reason: "two")]
            .map(RuleAction.rewrite)
        let (every, first) = (End(), End())
        _ = await responder(rewrites, next: every).presentError(failure())
        _ = await responder(rewrites, mode: .firstMatch, next: first).presentError(failure())
        #expect(every.last?.description == "one")
        #expect(every.last?.failureReason == "two")
        #expect(first.last?.description == "one")
        #expect(first.last?.failureReason == nil)
    }

    @Test("rules can be replaced while the node runs")
    func replace() async {
        let end = End()
        let chain = responder([.withhold], next: end)
        chain.replaceRules(RuleBook([], mode: .everyMatch))
        _ = await chain.presentError(failure())
        #expect(end.count == 1)
    }
}
