import ErrorBusTesting
import Foundation
import Logging
import Synchronization
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Rules that wait, that are in force at times only, and that run dry.
@Suite struct RuleTimingTests {
    private struct Failure: ReportableError {
        var report = ErrorReport(domain: "com.acme", code: 7, description: "It failed.")
    }

    private struct NoCommands: CommandRunner {
        func run(
            _ command: [String], environment: [String: String], input: [UInt8],
            timeLimit: Duration
        ) async throws -> CommandResult {
            throw CancellationError()
        }
    }

    /// The person after the policy: picks `cancel`.
    private struct Person: Responder {
        var next: (any Responder)? { get async { nil } }
        func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
            let answer = Answer(
                option: "cancel", by: "person", via: .person)
            return Outcome(
                answer: answer, result: await error.attemptRecovery(answer), decidedBy: "person")
        }
    }

    private let time = ManualTime()

    /// The time stands still.
    private func timing(
        date: Date? = nil, wait: @escaping @Sendable (Duration) async throws -> Void = { _ in },
        part: @escaping @Sendable (Duration) -> Duration = { $0 }
    ) -> RuleTiming {
        RuleTiming(
            now: { [time] in time.now.instant }, date: { [time] in date ?? time.now.date },
            wait: wait, part: part)
    }

    private func responder(
        _ rules: [Rule], _ timing: RuleTiming, policy: String? = nil, logger: Logger? = nil
    ) -> RuleResponder {
        RuleResponder(
            "central", policy: policy, book: RuleBook(rules, mode: .firstMatch), next: Person(),
            commands: RuleCommands(runner: NoCommands()),
            logger: logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            timing: timing)
    }

    private func rule(
        _ answer: RuleAnswer, position: Int = 1, schedule: RuleSchedule? = nil,
        isDryRun: Bool = false
    ) -> Rule {
        Rule(
            match: RuleMatch(), actions: [.answer(answer)], position: position,
            schedule: schedule, isDryRun: isDryRun)
    }

    private func failure() -> Recoverable {
        Failure().recoverable {
            RecoveryOption("Retry", id: "retry") { true }
            RecoveryOption.cancel
        }
    }

    @Test("a delayed answer comes after its delay and part of its jitter")
    func delay() async {
        let slept = Mutex<[Duration]>([])
        let timing = timing(
            wait: { duration in slept.withLock { $0.append(duration) } }, part: { $0 / 2 })
        let answer = RuleAnswer("retry", delay: .seconds(2), jitter: .seconds(1))
        let outcome = await responder([rule(answer)], timing).presentError(failure())
        #expect(outcome.answer?.by == "policy central rule 1")
        #expect(slept.withLock { $0 } == [.milliseconds(2_500)])
    }

    @Test("an answer of one of a node's several policies has its name in the author")
    func policyName() async {
        let rules = [rule(RuleAnswer("retry"))]
        let chain = responder(rules, timing(), policy: "night.yaml")
        let outcome = await chain.presentError(failure())
        #expect(outcome.answer?.by == "policy central night.yaml rule 1")
    }

    @Test("jitter stays within its bound, and varies")
    func jitter() {
        let parts = (0..<200).map { _ in RuleTiming(now: { time.now.instant }).part(.seconds(1)) }
        #expect(parts.allSatisfy { $0 >= .zero && $0 <= .seconds(1) })
        #expect(Set(parts).count > 1)
    }

    @Test("a delay that ends after the deadline declines at once")
    func deadline() async {
        let timing = timing(wait: { _ in Issue.record("it waits") })
        let answer = RuleAnswer("retry", delay: .seconds(3_000))
        var options = PresentationOptions()
        options.deadline = .seconds(600)
        let outcome = await responder([rule(answer)], timing).presentError(
            failure(), options: options)
        #expect(outcome.decidedBy == "person")
    }

    @Test("a limit counts no answer that a deadline keeps a rule from giving")
    func deadlineBeforeLimit() async {
        let answer = RuleAnswer(
            "retry", limit: IntensityLimit(1, per: .seconds(60)), delay: .seconds(3_000))
        let chain = responder([rule(answer)], timing())
        var options = PresentationOptions()
        options.deadline = .seconds(600)
        var deciders = [await chain.presentError(failure(), options: options).decidedBy]
        for _ in 0..<2 { deciders.append(await chain.presentError(failure()).decidedBy) }
        #expect(deciders == ["person", "central", "person"])
    }

    @Test("a limit counts no answer to a presentation that is withdrawn during the delay")
    func withdrawnBeforeLimit() async {
        let waits = Mutex(0)
        let timing = timing(wait: { _ in
            let count = waits.withLock { count in
                count += 1
                return count
            }
            if count == 1 { throw CancellationError() }
        })
        let answer = RuleAnswer(
            "retry", limit: IntensityLimit(1, per: .seconds(60)), delay: .seconds(2))
        let chain = responder([rule(answer)], timing)
        #expect(await chain.presentError(failure()).reason == .withdrawn)
        var deciders: [String] = []
        for _ in 0..<2 { deciders.append(await chain.presentError(failure()).decidedBy) }
        #expect(deciders == ["central", "person"])
    }

    @Test("a presentation that is withdrawn while a policy waits is not answered")
    func withdrawn() async {
        let timing = timing(wait: { _ in throw CancellationError() })
        let answer = RuleAnswer("retry", delay: .seconds(2))
        let outcome = await responder([rule(answer)], timing).presentError(failure())
        #expect(outcome.reason == .withdrawn)
        #expect(outcome.answer == nil)
    }

    @Test("outside its hours a rule declines", arguments: [true, false])
    func schedule(isIn: Bool) async throws {
        let zone = try #require(TimeZone(identifier: "UTC"))
        let friday = try Date("2026-11-20T12:00:00Z", strategy: .iso8601)
        let schedule = RuleSchedule(days: [isIn ? .friday : .monday], timeZone: zone)
        let outcome = await responder(
            [rule(RuleAnswer("retry"), schedule: schedule)], timing(date: friday)
        ).presentError(failure())
        #expect(outcome.decidedBy == (isIn ? "central" : "person"))
    }

    @Test("a dry run logs its answer and leaves it to later rules")
    func dryRun() async {
        let log = Lines()
        let rules = [
            rule(RuleAnswer("retry", limit: IntensityLimit(1, per: .seconds(60))), isDryRun: true),
            rule(RuleAnswer("cancel"), position: 2),
        ]
        let chain = responder(rules, timing(), logger: log.logger)
        for _ in 0..<2 {
            let outcome = await chain.presentError(failure())
            #expect(outcome.answer?.by == "policy central rule 2")
        }
        // The second time it is past its limit, as it would be in earnest.
        #expect(
            log.all == [
                "dry run: rule would answer retry 1 com.acme",
                "rule declines, its limit is reached 1 com.acme",
            ])
    }

    @Test("a dry run of a rule that withholds or rewrites leaves the error unchanged")
    func dryRunOfChanges() async {
        let log = Lines()
        let rules = [RuleAction.withhold, .rewrite(ReportRewrite(description: "Other"))]
            .enumerated().map {
                Rule(
                    match: RuleMatch(), actions: [$1], position: $0 + 1, isDryRun: true)
            }
        let chain = responder(rules, timing(), logger: log.logger)
        #expect(await chain.presentError(failure()).decidedBy == "person")
        #expect(
            log.all == [
                "dry run: rule would withhold 1 com.acme",
                "dry run: rule would change the report 2 com.acme",
            ])
    }

    @Test("a rule that is not always in force shadows none after it")
    func shadows() throws {
        let zone = try #require(TimeZone(identifier: "UTC"))
        let later = rule(RuleAnswer("cancel"), position: 2)
        for (first, hides) in [
            (rule(RuleAnswer("retry")), true), (rule(RuleAnswer("retry"), isDryRun: true), false),
            (rule(RuleAnswer("retry", delay: .seconds(1))), false),
            (rule(RuleAnswer("retry", jitter: .seconds(1))), false),
            (
                rule(RuleAnswer("retry"), schedule: RuleSchedule(days: [.monday], timeZone: zone)),
                false
            ),
        ] {
            #expect(RuleBook([first, later], mode: .firstMatch).shadowed.isEmpty == !hides)
        }
    }
}

/// Keeps what is logged: message, rule and domain.
private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }

    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(lines: self) }
        logger.logLevel = .info
        return logger
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let rule = event.metadata?["rule"].map { "\($0)" } ?? ""
            let domain = event.metadata?["domain"].map { "\($0)" } ?? ""
            lines.lines.withLock { $0.append("\(event.message) \(rule) \(domain)") }
        }
    }
}
