import ErrorBusTesting
import Foundation
import Logging
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Presentations that were open when their node ended, and do not come to its console again.
struct HistoryLeftTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("left-\(UUID().uuidString)/central.sqlite").path
    private let report = ErrorReport(
        domain: "com.acme", description: "It failed.",
        options: [.init(id: "retry", title: "Retry")])

    private func entry(_ id: PresentationID) async throws -> HistoryEntry {
        let archive = try #require(try HistoryArchive(path))
        return try #require(try await archive.presentation(id, console: 0))
    }

    /// The journal and the audit of a node that was killed with these presentations open.
    private func restarted(
        _ ids: [PresentationID]
    ) async throws -> (SQLiteJournal, AuditHistory, HistoryKeeper) {
        let now = ManualTime().now
        do {
            let journal = try SQLiteJournal(path)
            for id in ids {
                try await journal.shown(id, .init(origin: "worker", digest: nil, report: report))
                var item = InboxItem(
                    InboxPresentation(id: id, report: report, origin: "worker"), group: 0,
                    at: now, revision: 1)
                item.stage = .claimed(by: "ann", until: now + .seconds(600))
                try await journal.keep([item], [], console: 0)
            }
        }
        let journal = try SQLiteJournal(path)
        let history = AuditHistory()
        let keeper = try HistoryKeeper(
            Inbox("console"), history, in: journal, console: 0, logger: Logger(label: "test"))
        return (journal, history, keeper)
    }

    @Test("What a rule or a silence ends after a restart is in the history with its end")
    func endedSince() async throws {
        let ids = (0..<3).map { _ in PresentationID.make() }
        let (journal, history, keeper) = try await restarted(ids)
        for id in ids { #expect(try await entry(id).stage == HistoryRow.left) }

        let answer = Answer(option: "retry", by: "policy central rule 1", via: .policy)
        try await journal.decided(ids[0], answer)
        history.record(PresentationEvent(ids[0], .decided(answer, isRestored: false)))
        await keeper.write()
        let answered = try await entry(ids[0])
        #expect(answered.stage == "answered" && answered.by == answer.by)
        #expect(answered.optionTitle == "Retry" && answered.claimedBy == nil)
        history.record(PresentationEvent(ids[0], .settled(.recovered, of: answer)))
        history.record(
            PresentationEvent(
                ids[1], .ended(report, .withheld, origin: "worker", by: "silence 1 by ann")))
        await keeper.write()
        #expect(try await entry(ids[0]).ending == "recovered")
        let withheld = try await entry(ids[1])
        #expect(withheld.stage == "closed" && withheld.claimedBy == nil)
        #expect(withheld.ending == Outcome.Reason.withheld.words)
        #expect(try await entry(ids[2]).stage == HistoryRow.left)
    }

    @Test("So is an answer that the journal does not have, as that of a rule in responders")
    func answeredBefore() async throws {
        let id = PresentationID.make()
        let (journal, history, keeper) = try await restarted([id])
        let answer = Answer(
            option: "retry", by: "policy central rule 1", via: .policy, values: ["path": "/srv"],
            secrets: ["pin": "hunter2"], comment: "As ever.")
        history.record(PresentationEvent(id, .decided(answer, isRestored: false)))
        await keeper.write()
        let answered = try await entry(id)
        #expect(answered.stage == "answered" && answered.by == answer.by)
        #expect(answered.optionTitle == "Retry" && answered.claimedBy == nil)
        #expect(answered.values == ["path": "/srv"] && answered.secrets == ["pin"])
        #expect(answered.comment == "As ever.")
        history.record(PresentationEvent(id, .settled(.recovered, of: answer)))
        await keeper.write()
        #expect(try await entry(id).ending == "recovered")
        // The next start leaves it as it is.
        _ = try journal.restore(console: 0, at: ManualTime().now)
        #expect(try await entry(id).ending == "recovered")
    }

    @Test("A presentation that the console has keeps the stage that it has there")
    func stillThere() async throws {
        let id = PresentationID.make()
        let journal = try SQLiteJournal(path)
        try await journal.shown(id, .init(origin: "worker", digest: nil, report: report))
        let item = InboxItem(
            InboxPresentation(id: id, report: report, origin: "worker"), group: 0,
            at: ManualTime().now, revision: 1)
        let event = AuditHistory.Event(
            time: ManualTime().now.date, event: "change", id: id, fields: ["reason": "withheld"],
            sentence: "", count: nil)
        try await journal.keep([item], [event], console: 0)
        #expect(try await entry(id).stage == "open")
    }
}
