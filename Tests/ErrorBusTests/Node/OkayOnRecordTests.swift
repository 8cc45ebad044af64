import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("An OK on record, of an error without options")
struct OkayOnRecordTests {
    /// A journal in which the OK of an earlier life is on record.
    private struct DecidedJournal: DecisionJournal {
        let answer = Answer(option: "ok", by: "ann", via: .person)
        var result: RecoveryResult?

        func record(of id: PresentationID) async throws -> DecisionRecord? {
            DecisionRecord(origin: nil, digest: nil, state: .decided(answer, result))
        }
        func shown(_ id: PresentationID, _ asked: DecisionRecord.Asked) async throws {}
        func decided(_ id: PresentationID, _ answer: Answer) async throws {}
        func settled(
            _ id: PresentationID, answer: UniqueID, _ result: RecoveryResult
        ) async throws {}
        func lost(_ id: PresentationID, answer: UniqueID) async throws {}
        func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {}
    }

    private let presenter = ScriptedPresenter("screen", .answer("ok", by: "bob"))

    private func outcome(_ journal: DecidedJournal, asksAgain: Bool) async -> Outcome {
        let responder = JournalResponder(
            "central", next: PresentingResponder.asking(presenter), journal: journal, audit: nil,
            asksAgain: asksAgain, logger: .silent)
        return await responder.presentError(SampleError())
    }

    @Test(
        "It is delivered after a restart, and no presenter gets a prompt",
        arguments: [nil, .unknown] as [RecoveryResult?])
    func delivered(result: RecoveryResult?) async {
        let journal = DecidedJournal(result: result)
        #expect(await outcome(journal, asksAgain: true).answer == journal.answer)
        #expect(presenter.prompts.isEmpty)
    }

    @Test("A node that shows nothing twice delivers it as well, and does not refuse it")
    func notRefused() async {
        let journal = DecidedJournal()
        let outcome = await outcome(journal, asksAgain: false)
        #expect(outcome.refusalCode == nil && outcome.answer == journal.answer)
    }
}
