import ErrorBusTesting
import Synchronization
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Answers that rules do not give in the end, and what decides in their place.
struct RuleDecliningTests {
    private struct NoRunner: CommandRunner {
        struct Unexpected: Error {}

        func run(
            _ command: [String], environment: [String: String], input: [UInt8],
            timeLimit: Duration
        ) async throws -> CommandResult { throw Unexpected() }
    }

    /// A journal that refuses the answer to the first presentation for good.
    private final class RefusingJournal: DecisionJournal {
        struct Refused: LastingFault {}

        private let first = Mutex<PresentationID?>(nil)

        func record(of id: PresentationID) async throws -> DecisionRecord? { nil }
        func shown(_ id: PresentationID, _ asked: DecisionRecord.Asked) async throws {}
        func decided(_ id: PresentationID, _ answer: Answer) async throws {
            let isFirst = first.withLock { first in
                first = first ?? id
                return first == id
            }
            if isFirst { throw Refused() }
        }
        func settled(
            _ id: PresentationID, answer: UniqueID, _ result: RecoveryResult
        ) async throws {}
        func lost(_ id: PresentationID, answer: UniqueID) async throws {}
        func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {}
    }

    /// A journal whose disk takes a minute for a presentation.
    private struct SlowJournal: DecisionJournal {
        let time: ManualTime

        func record(of id: PresentationID) async throws -> DecisionRecord? { nil }
        func shown(_ id: PresentationID, _ asked: DecisionRecord.Asked) async throws {
            time.advance(by: .seconds(60))
        }
        func decided(_ id: PresentationID, _ answer: Answer) async throws {}
        func settled(
            _ id: PresentationID, answer: UniqueID, _ result: RecoveryResult
        ) async throws {}
        func lost(_ id: PresentationID, answer: UniqueID) async throws {}
        func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {}
    }

    private let time = ManualTime()
    private let once = IntensityLimit(1, per: .seconds(600))

    /// A policy with a rule for each answer, in front of a person.
    private func policy(
        _ answers: [RuleAnswer], journal: (any DecisionJournal)? = nil,
        wait: @escaping @Sendable (Duration) async throws -> Void = { _ in }
    ) -> RuleResponder {
        let rules = answers.enumerated().map {
            Rule(match: RuleMatch(), actions: [.answer($1)], position: $0 + 1)
        }
        let person = ClosureResponder(
            "person", next: nil,
            present: { _, _ in Outcome(didRecover: false, reason: .handled, decidedBy: "person") })
        return RuleResponder(
            "central", book: RuleBook(rules, mode: .firstMatch), next: person,
            commands: RuleCommands(runner: NoRunner()), journal: journal, logger: .silent,
            timing: RuleTiming(now: { [time] in time.now.instant }, wait: wait, part: { $0 }))
    }

    /// The author of the answer, or the decider without one, to an error with that deadline.
    private func decider(_ policy: RuleResponder, within limit: Duration? = nil) async -> String {
        let error = SampleError().recoverable {
            RecoveryOption("Retry", id: "retry") { true }
            RecoveryOption("Skip", id: "skip") { true }
        }
        let context = PresentationContext(
            id: .make(), deadline: limit.map { time.now.instant + $0 })
        let outcome = await policy.presentError(error, in: context)
        return outcome.answer?.by ?? outcome.decidedBy
    }

    @Test("Where a rule would answer after the deadline, the next rule that matches decides")
    func nextRule() async {
        let policy = policy([
            RuleAnswer("retry", delay: .seconds(50), jitter: .seconds(10)), RuleAnswer("skip"),
        ])
        #expect(await decider(policy, within: .seconds(60)) == "policy central rule 2")
        #expect(await decider(policy, within: .seconds(61)) == "policy central rule 1")
    }

    @Test("From its deadline on a presentation gets no answer of a rule")
    func deadline() async {
        let policy = policy([RuleAnswer("retry")])
        #expect(await decider(policy, within: .zero) == "person")
        #expect(await decider(policy, within: .nanoseconds(1)) == "policy central rule 1")
    }

    @Test("A rule whose delay ends late, after the deadline, gives no answer and counts none")
    func lateEnd() async {
        let answer = RuleAnswer("retry", limit: once, delay: .seconds(5))
        let policy = policy([answer], wait: { [time] _ in time.advance(by: .seconds(60)) })
        var deciders: [String] = []
        for seconds in [60, 61, 61] {
            deciders.append(await decider(policy, within: .seconds(seconds)))
        }
        #expect(deciders == ["person", "policy central rule 1", "person"])
    }

    @Test("What expires while a slow disk is written gets no answer of a rule, and counts none")
    func slowDisk() async {
        let policy = policy(
            [RuleAnswer("retry", limit: once)], journal: SlowJournal(time: time))
        var deciders: [String] = []
        for seconds in [60, 61, 61] {
            deciders.append(await decider(policy, within: .seconds(seconds)))
        }
        #expect(deciders == ["central", "policy central rule 1", "person"])
    }

    @Test("An answer that the journal refuses does not count against the limit of its rule")
    func refused() async {
        let policy = policy([RuleAnswer("retry", limit: once)], journal: RefusingJournal())
        var deciders: [String] = []
        for _ in 0..<3 { deciders.append(await decider(policy)) }
        #expect(deciders == ["central", "policy central rule 1", "person"])
    }
}
