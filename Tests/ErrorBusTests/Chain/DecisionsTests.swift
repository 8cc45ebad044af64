import ErrorBusTesting
import Synchronization
import Testing

@testable import ErrorBus

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
            id: PresentationID.make().value, option: "skip", by: "ann", via: .person)
        var result: RecoveryResult?
        let refused = Recorder<Answer>()

        func record(of id: PresentationID) async throws -> DecisionRecord? {
            DecisionRecord(origin: nil, digest: nil, state: .decided(earlier, result))
        }
        func shown(_ id: PresentationID, _ question: DecisionRecord.Question) async throws {}
        func decided(_ id: PresentationID, _ answer: Answer) async throws {
            refused.record(answer)
            throw DecidedBefore()
        }
        func settled(
            _ id: PresentationID, answer: UniqueID, _ result: RecoveryResult
        ) async throws {}
        func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {}
    }

    @Test(
        "A second answer to one id is refused at the journal, and the recorded one counts",
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
        func shown(_ id: PresentationID, _ question: DecisionRecord.Question) async throws {
            writing.record(id)
            await gate.wait()
        }
        func decided(_ id: PresentationID, _ answer: Answer) async throws {
            decisions.record(answer)
        }
        func settled(
            _ id: PresentationID, answer: UniqueID, _ result: RecoveryResult
        ) async throws {}
        func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {}
    }

    private struct NoRunner: CommandRunner {
        struct Unexpected: Error {}
        func run(
            _ command: [String], environment: [String: String], input: [UInt8],
            timeLimit: Duration
        ) async throws -> CommandResult { throw Unexpected() }
    }

    @Test("A policy decides nothing about what was withdrawn while it wrote the presentation down")
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
}
