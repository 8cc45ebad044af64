import ErrorBusTesting
import Logging
import Synchronization
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("A presentation has one recorded answer, and that is the one delivered")
struct DecisionsTests {
    private let attempts = Recorder<String>()

    private var error: some Error {
        let attempts = attempts
        return SampleError().recoverable {
            RecoveryOption("Retry", id: "retry") {
                attempts.record("retry")
                return true
            }
            RecoveryOption("Skip", id: "skip") {
                attempts.record("skip")
                return true
            }
        }
    }

    /// A journal in which another answer is on record.
    private struct DecidedJournal: DecisionJournal {
        struct DecidedBefore: Error {}
        let earlier = Answer(
            option: "skip", by: "ann", via: .person)
        var result: RecoveryResult?
        let refused = Recorder<Answer>()

        func record(of id: PresentationID) async throws -> DecisionRecord? {
            DecisionRecord(origin: nil, digest: nil, state: .decided(earlier, result))
        }
        func shown(_ id: PresentationID, _ asked: DecisionRecord.Asked) async throws {}
        func decided(_ id: PresentationID, _ answer: Answer) async throws {
            refused.record(answer)
            throw DecidedBefore()
        }
        func settled(
            _ id: PresentationID, answer: UniqueID, _ result: RecoveryResult
        ) async throws {}
        func lost(_ id: PresentationID, answer: UniqueID) async throws {}
        func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {}
    }

    @Test(
        "A second answer to one id is refused by the journal, and the recorded one counts",
        arguments: [nil, .unknown, .recovered, .failed] as [RecoveryResult?])
    func decidedBefore(result: RecoveryResult?) async throws {
        let journal = DecidedJournal(result: result)
        let presenter = ScriptedPresenter("screen", .answer("retry", by: "bob"))
        let chain = PresentingResponder(
            "P", presenters: [presenter], journal: journal, logger: .silent)
        let outcome = await chain.presentError(error)
        #expect(outcome.answer == journal.earlier)
        #expect(outcome.didRecover == (result != .failed))
        #expect(journal.refused.elements.map(\.option) == ["retry"])
        // What has a result was attempted before.
        let hasResult = result != nil && result != .unknown
        #expect(attempts.elements == (hasResult ? [] : ["skip"]))
        let isRecorded = Recorder<Bool>()
        presenter.prompts.first?.record.observe { isRecorded.record($0) }
        #expect(isRecorded.elements == [false])
    }

    /// A journal whose writing of a presentation takes until a gate opens.
    private struct SlowJournal: DecisionJournal {
        let writing = Recorder<PresentationID>()
        let gate = Gate()
        let decisions = Recorder<Answer>()

        func record(of id: PresentationID) async throws -> DecisionRecord? { nil }
        func shown(_ id: PresentationID, _ asked: DecisionRecord.Asked) async throws {
            writing.record(id)
            await gate.wait()
        }
        func decided(_ id: PresentationID, _ answer: Answer) async throws {
            decisions.record(answer)
        }
        func settled(
            _ id: PresentationID, answer: UniqueID, _ result: RecoveryResult
        ) async throws {}
        func lost(_ id: PresentationID, answer: UniqueID) async throws {}
        func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {}
    }

    private struct NoRunner: CommandRunner {
        struct Unexpected: Error {}
        func run(
            _ command: [String], environment: [String: String], input: [UInt8],
            timeLimit: Duration
        ) async throws -> CommandResult { throw Unexpected() }
    }

    @Test("A policy does not answer a presentation withdrawn during its first write")
    func withdrawnWhileShown() async throws {
        let journal = SlowJournal()
        let rule = Rule(
            match: RuleMatch(), actions: [.answer(RuleAnswer("retry"))], position: 1)
        let policy = RuleResponder(
            "P", book: RuleBook([rule], mode: .firstMatch), next: nil,
            commands: RuleCommands(runner: NoRunner()), journal: journal, logger: .silent)
        let error = error
        let asking = Task { await policy.presentError(error) }
        _ = try await journal.writing.next()
        asking.cancel()
        journal.gate.open()
        #expect(await asking.value.reason == .withdrawn)
        #expect(journal.decisions.elements.isEmpty)
        #expect(attempts.elements.isEmpty)
    }

    /// A journal with one answer, asked by "worker".
    private struct AnsweredJournal: DecisionJournal {
        static let digest = ReportDigest(of: [1])
        let answer = Answer(id: PresentationID(7).value, option: "retry", by: "ann", via: .person)
        var known: RecoveryResult?
        let results = Recorder<RecoveryResult>()

        func record(of id: PresentationID) async throws -> DecisionRecord? {
            DecisionRecord(
                origin: "worker", digest: Self.digest, state: .decided(answer, known))
        }
        func shown(_ id: PresentationID, _ asked: DecisionRecord.Asked) async throws {}
        func decided(_ id: PresentationID, _ answer: Answer) async throws {}
        func settled(
            _ id: PresentationID, answer: UniqueID, _ result: RecoveryResult
        ) async throws { results.record(result) }
        func lost(_ id: PresentationID, answer: UniqueID) async throws {}
        func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {}
    }

    @Test(
        "A withdrawal by the origin is recorded unless a result is known or pending here",
        arguments: [nil, .unknown, .recovered] as [RecoveryResult?], [false, true])
    func withdrawnBefore(known: RecoveryResult?, isHere: Bool) async {
        let journal = AnsweredJournal(known: known)
        let decisions = Decisions(by: "P", journal: journal, logger: .silent)
        await decisions.withdrawnBefore(
            PresentationID(1), of: "worker", AnsweredJournal.digest, isHere: isHere)
        await decisions.withdrawnBefore(
            PresentationID(1), of: "other", AnsweredJournal.digest, isHere: isHere)
        let isOpen = known == .unknown || known == nil && !isHere
        #expect(journal.results.elements == (isOpen ? [.withdrawn] : []))
    }

    /// A journal that cannot be read or written at first.
    private final class FailingJournal: DecisionJournal {
        struct DiskFull: Error {}
        let failures = Mutex(1)
        let answered = AnsweredJournal()

        private func fail() throws {
            try failures.withLock { count in
                guard count > 0 else { return }
                count -= 1
                throw DiskFull()
            }
        }

        func record(of id: PresentationID) async throws -> DecisionRecord? {
            try fail()
            return try await answered.record(of: id)
        }
        func shown(_ id: PresentationID, _ asked: DecisionRecord.Asked) async throws {}
        func decided(_ id: PresentationID, _ answer: Answer) async throws {}
        func settled(
            _ id: PresentationID, answer: UniqueID, _ result: RecoveryResult
        ) async throws {
            try fail()
            answered.results.record(result)
        }
        func lost(_ id: PresentationID, answer: UniqueID) async throws {}
        func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {}
    }

    @Test("F32 a result that cannot be written is written later, and no outcome waits for it")
    func writtenLater() async throws {
        let journal = FailingJournal()
        let presenter = ScriptedPresenter("screen", .answer("retry", by: "bob"))
        let chain = PresentingResponder(
            "P", presenters: [presenter], journal: journal, logger: .silent)
        #expect(await chain.presentError(error).didRecover)
        #expect(journal.answered.results.elements.isEmpty)
        #expect(try await journal.answered.results.next() == .recovered)
    }

    @Test("F32 the result of an earlier life's answer is written later if unreadable now")
    func readLater() async throws {
        let journal = FailingJournal()
        let decisions = Decisions(by: "P", journal: journal, logger: .silent)
        await decisions.settledBefore(
            PresentationID(1), journal.answered.answer.id, .failed, of: "worker",
            AnsweredJournal.digest)
        #expect(journal.answered.results.elements.isEmpty)
        #expect(try await journal.answered.results.next() == .failed)
    }

    @Test("C13 results above the limit are given up, with a log line")
    func tooManyUnwritten() async throws {
        let journal = FailingJournal()
        journal.failures.withLock { $0 = .max }
        let faults = RecentFaults()
        let logger = Logger(label: "test") { StreamLogHandler.standardError(label: $0) }
        let decisions = Decisions(
            by: "P", journal: journal, logger: faults.watching(logger), unwrittenMax: 1)
        let answer = journal.answered.answer
        await decisions.settled(PresentationID(1), answer, .failed)
        #expect(!faults.list().contains { $0.text.contains("too many results") })
        await decisions.settled(PresentationID(2), answer, .recovered)
        #expect(faults.list().contains { $0.text.contains("too many results") })
        journal.failures.withLock { $0 = 0 }
        #expect(try await journal.answered.results.next() == .failed)
    }
}
