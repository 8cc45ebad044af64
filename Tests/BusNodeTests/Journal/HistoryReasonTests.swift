import ErrorBusTesting
import Foundation
import GRDB
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// The reasons of failures in the history of a journal.
struct HistoryReasonTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("reasons-\(UUID().uuidString)/central.sqlite").path

    private func item(_ number: UInt64, reason: String?) -> InboxItem {
        var report = ErrorReport(
            domain: "com.acme", description: "backup failed",
            options: [.init(id: "retry", title: "Retry")])
        report.failureReason = reason
        let presentation = InboxPresentation(
            id: PresentationID(UniqueID(high: 0, low: number)), report: report, origin: "worker-1")
        return InboxItem(
            presentation, group: 0, at: ManualTime().now + .seconds(Int(number)), revision: number)
    }

    private func found(_ text: String) async throws -> [HistoryEntry] {
        let archive = try #require(try HistoryArchive(path))
        let filter = try HistoryFilter(["q": text])
        return try await archive.presentations(filter, console: 0, limit: 9).entries
    }

    @Test("The history is searched by the failure reason, as the list is, and has it")
    func search() async throws {
        let items = [
            item(1, reason: "rsync: No space left on device"), item(2, reason: nil),
            item(3, reason: "lock\0file is held"),
        ]
        let journal = try SQLiteJournal(path)
        try await journal.keep(items, [], console: 0)
        for (text, number) in [("no SPACE", 0), ("file is", 2)] {
            let entries = try await found(text)
            #expect(entries.map(\.id) == [items[number].id.description])
            #expect(entries.map(\.failureReason) == [items[number].report.failureReason])
            let filter = try HistoryFilter(["q": text])
            #expect(items.filter(filter.matches).map(\.id) == [items[number].id])
        }
        #expect(try await found("backup").count == 3)
        let entries = try await found("no space")
        #expect(CSVText.text(entries).contains("rsync: No space left on device"))
    }

    @Test("Of a long reason the end is kept, which says most")
    func long() async throws {
        let length = ConsoleLimits.descriptionScalarMax
        let reason = "begin" + String(repeating: "x", count: length - 3) + "end"
        let journal = try SQLiteJournal(path)
        try await journal.keep([item(1, reason: reason)], [], console: 0)
        #expect(try await found("begin").isEmpty)
        #expect(try await found("xend").map(\.failureReason) == [String(reason.suffix(length))])
    }

    @Test("Rows of an earlier version get the reasons of the reports that are still known")
    func earlierVersion() async throws {
        let items = [
            item(1, reason: "No space left"), item(2, reason: "lock\0file"), item(3, reason: nil),
            item(4, reason: "the report is gone"),
        ]
        do {
            let journal = try SQLiteJournal(path)
            try await journal.keep(items, [], console: 0)
            for item in items.dropLast() {
                try await journal.shown(
                    item.id, .init(origin: nil, digest: nil, report: item.report))
            }
            try await journal.access { database in
                try database.execute(sql: "ALTER TABLE history DROP COLUMN failureReason")
                try database.execute(
                    sql: "DELETE FROM grdb_migrations WHERE identifier LIKE '23 %'")
            }
        }
        _ = try SQLiteJournal(path, of: "central")
        let reasons = try await found("backup").reversed().map(\.failureReason)
        #expect(reasons == ["No space left", "lock\0file", nil, nil])
        #expect(try await found("space").map(\.id) == [items[0].id.description])
    }
}
