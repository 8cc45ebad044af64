import ErrorBusTesting
import Foundation
import Logging
import Synchronization
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

@Suite(.timeLimit(.minutes(10)))
struct JournalRaceTests {
    private struct Booked: Error {}

    /// A journal that was full when the presentation came, and into which another call for the same
    /// id writes its answer at the moment in which this one is entered after all.
    private struct Raced: DecisionJournal {
        let real: SQLiteJournal
        let earlier: Answer
        let calls = Recorder<PresentationID>()

        struct Full: Error {}

        func shown(_ id: PresentationID, _ asked: DecisionRecord.Asked) async throws {
            calls.record(id)
            guard calls.elements.count > 1 else { throw Full() }
            try await real.shown(id, asked)
            try await real.decided(id, earlier)
            try await real.shown(id, asked)
        }

        func record(of id: PresentationID) async throws -> DecisionRecord? {
            try await real.record(of: id)
        }

        func decided(_ id: PresentationID, _ answer: Answer) async throws {
            try await real.decided(id, answer)
        }

        func settled(_ id: PresentationID, answer: UniqueID, _ result: RecoveryResult) async throws
        {
            try await real.settled(id, answer: answer, result)
        }

        func lost(_ id: PresentationID, answer: UniqueID) async throws {
            try await real.lost(id, answer: answer)
        }

        func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {
            try await real.ended(id, reason)
        }
    }

    @Test("C5 of two calls for one id, both of which waited for the disk, one answer counts")
    func twoWaiting() async throws {
        let folder = try TemporaryFolder()
        let earlier = Answer(option: "cancel", by: "ann", via: .person)
        let journal = Raced(
            real: try SQLiteJournal(folder.path + "/central.sqlite"), earlier: earlier)
        let attempts = Recorder<String>()
        let error = Booked().recoverable {
            RecoveryOption("Retry", id: "retry", role: .default) {
                attempts.record("retry")
                return true
            }
            RecoveryOption.cancel
        }
        let outcome = await PresentingResponder(
            "central", presenters: [ScriptedPresenter("person", .answer("retry"))],
            journal: journal, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ).presentError(error)
        #expect(outcome.answer == earlier)
        #expect(attempts.elements.isEmpty)
    }
}
