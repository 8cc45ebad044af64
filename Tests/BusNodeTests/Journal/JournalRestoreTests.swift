import ErrorBusTesting
import Foundation
import GRDB
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// What a console's next life finds in the journal.
struct JournalRestoreTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("restore-\(UUID().uuidString)/central.sqlite").path
    private let now = ManualTime().now
    private let report = ErrorReport(
        domain: "com.acme", description: "It failed.",
        options: [.init(id: "retry", title: "Retry")])
    private let answer = Answer(option: "retry", by: "ann", via: .person)

    private func item(_ number: UInt64, at moment: Moment? = nil) -> InboxItem {
        InboxItem(
            InboxPresentation(
                id: PresentationID(UniqueID(high: 0, low: number)), report: report,
                origin: "worker"),
            group: 0, at: moment ?? now, revision: number)
    }

    private func proposal(
        _ values: GivenValues = GivenValues(), at moment: Moment
    ) -> InboxProposal {
        let id = UniqueID(high: 1, low: 1)
        return InboxProposal(
            id: id, request: id, option: "retry", values: values, by: "ann", since: moment,
            until: moment + .seconds(60), report: [1])
    }

    private func show(_ item: InboxItem, in journal: SQLiteJournal) async throws {
        try await journal.shown(
            item.id, .init(origin: item.origin, digest: nil, report: item.report))
    }

    @Test("A clock that was set back extends neither a claim nor a proposal")
    func clockSetBack() throws {
        let year = now + .seconds(365 * 86_400)
        var item = item(1, at: year)
        item.stage = .claimed(by: "ann", until: year + .seconds(60))
        item.proposal = proposal(at: year)
        let record = try #require(HistoryRow(item, console: 0).record(report, at: now))
        #expect(record.stage == .claimed(by: "ann", until: now + InboxLimits().claimMax))
        #expect(record.proposal?.until == now + InboxLimits().proposalMax)
    }

    @Test("A proposal with a secret is not restored, since the journal has no secrets")
    func proposalWithSecret() throws {
        var item = item(1)
        item.proposal = proposal(GivenValues(values: ["path": "/a"]), at: now)
        let plain = try #require(HistoryRow(item, console: 0).record(report, at: now))
        #expect(plain.proposal?.values.values == ["path": "/a"])
        item.proposal = proposal(GivenValues(secrets: ["pin": "hunter2"]), at: now)
        let secret = try #require(HistoryRow(item, console: 0).record(report, at: now))
        #expect(secret.proposal == nil)
    }

    @Test("An answer that only the journal's record has ends the proposal before it")
    func answeredProposal() async throws {
        let journal = try SQLiteJournal(path)
        var item = item(1)
        item.proposal = proposal(at: now)
        try await journal.keep([item], [], console: 0)
        try await show(item, in: journal)
        try await journal.decided(item.id, answer)
        let record = try #require(try journal.restore(console: 0, at: now).records.first)
        #expect(record.stage == .answered(answer))
        #expect(record.proposal == nil)
    }

    @Test("A damaged record adds no answer to a presentation that was open")
    func damagedDecision() async throws {
        let journal = try SQLiteJournal(path)
        let item = item(1)
        try await journal.keep([item], [], console: 0)
        try await show(item, in: journal)
        try await journal.decided(item.id, answer)
        try await journal.access { database in
            try database.execute(sql: "UPDATE presentation SET option = 'wipe'")
        }
        let records = try journal.restore(console: 0, at: now).records
        #expect(records.map(\.stage) == [.open])
    }

    @Test("Ended presentations are restored in the order of their ends")
    func order() async throws {
        let journal = try SQLiteJournal(path)
        var items = [item(3), item(1), item(2)]
        for index in items.indices {
            items[index].stage = .closed(.withdrawn)
            items[index].changedAt = now + .seconds(index)
            try await show(items[index], in: journal)
        }
        try await journal.keep(items, [], console: 0)
        let records = try journal.restore(console: 0, at: now + .seconds(60)).records
        #expect(records.map(\.presentation.id) == items.map(\.id))
    }

    @Test("A result of another answer does not settle a forgotten presentation")
    func resultOfOtherAnswer() async throws {
        let journal = try SQLiteJournal(path)
        var item = item(1)
        item.stage = .answered(answer)
        try await journal.keep([item], [], console: 0)
        let other = UniqueID(high: 2, low: 2).description
        let event = AuditHistory.Event(
            time: now.date, event: "done", id: item.id,
            fields: ["answer": other, "result": RecoveryResult.recovered.rawValue], sentence: "",
            count: nil)
        try await journal.keep([], [event], console: 0)
        let row = try await journal.access { try HistoryRow.fetchOne($0) }
        #expect(row?.stage == "answered")
        #expect(row?.result == nil)
    }
}
