import ErrorBusTesting
import Foundation
import GRDB
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Texts with U+0000, where SQLite and GRDB end a text.
@Suite struct WholeTextTests {
    private struct Kept: WholeTextRow, Hashable {
        static let databaseTableName = "kept"

        var id: Int
        var text: String
        var other: String?
        var list: [String]
        var bytes: Data
    }

    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("whole-\(UUID().uuidString)/central.sqlite").path
    private let start = ManualTime().now

    private func id(_ number: UInt64) -> PresentationID {
        PresentationID(UniqueID(high: 0, low: number))
    }

    @Test("A row comes back as it was, whatever its texts have; so does one of an earlier version")
    func rows() throws {
        let queue = try DatabaseQueue()
        let rows = ["plain", "a\0b", "\0", "", "é\0"].enumerated().map { number, text in
            Kept(
                id: number, text: text, other: number == 0 ? nil : text, list: [text, "x"],
                bytes: Data([0, 1, 0]))
        }
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE kept (
                        id INTEGER PRIMARY KEY, text TEXT NOT NULL, other TEXT,
                        list TEXT NOT NULL, bytes BLOB NOT NULL)
                    """)
            for row in rows {
                try row.insert(database)
                try row.upsert(database)
                try row.update(database)
            }
            #expect(try Kept.order(Column("id")).fetchAll(database) == rows)
            #expect(try Kept.fetchOne(database, key: 1) == rows[1])
            let copies = try Row.fetchAll(database, sql: "SELECT * FROM kept ORDER BY id")
            #expect(try copies.map { try Kept(row: $0) } == rows)
            // Only a text that needs it is kept as bytes.
            let types = try String.fetchAll(database, sql: "SELECT typeof(text) FROM kept")
            #expect(types == ["text", "blob", "blob", "text", "blob"])
            try database.execute(sql: "INSERT INTO kept VALUES (9, 'old', NULL, '[]', x'00')")
            let old = try Kept.fetchOne(database, key: 9)
            #expect(old == Kept(id: 9, text: "old", other: nil, list: [], bytes: Data([0])))
        }
    }

    private func items() -> [InboxItem] {
        let texts = [
            ("com.acme", "rotate logs\0 and DROP TABLE users"), ("com\0acme", "Disk full"),
            ("com", "rotate"),
        ]
        return texts.enumerated().map { number, text in
            var item = InboxItem(
                InboxPresentation(
                    id: id(UInt64(number)),
                    report: ErrorReport(
                        domain: text.0, description: text.1,
                        options: [.init(id: "retry", title: "Retry")]),
                    origin: "worker-1"),
                group: 0, at: start + .seconds(number), revision: UInt64(number + 1))
            if number == 2 {
                item.notes = [
                    InboxNote(id: id(9).value, by: "eve", text: "called\0Bob", at: start)
                ]
            }
            return item
        }
    }

    @Test("The history and the list find the same, also behind U+0000 and by it")
    func history() async throws {
        let items = items()
        let journal = try SQLiteJournal(path)
        try await journal.keep(items, [], console: 0)
        let archive = try #require(try HistoryArchive(path))
        let all = try await archive.presentations(HistoryFilter(), console: 0, limit: 9)
        #expect(all.entries.reversed().map(\.description) == items.map(\.report.description))
        #expect(all.entries.reversed().map(\.domain) == items.map(\.report.domain))
        #expect(CSVText.text(all.entries).contains("DROP TABLE"))
        let cases: [([String: String], [UInt64])] = [
            (["q": "drop"], [0]), (["q": "logs\0 and"], [0]), (["q": "\0zzz"], []),
            (["q": "\0"], [0, 1, 2]), (["q": "\0acme"], [1]), (["q": "bob"], [2]),
            (["q": "called\0b"], [2]), (["q": "rotate"], [0, 2]), (["domain": "com\0acme"], [1]),
            (["domain": "com\0*"], [1]), (["domain": "com"], [2]), (["domain": "com*"], [0, 1, 2]),
            (["domain": "*e"], [0, 1]), (["by": "e\0"], []), (["origin": "worker-1\0"], []),
        ]
        for (fields, expected) in cases {
            let filter = try HistoryFilter(fields)
            let ids = Set(expected.map(id))
            #expect(Set(items.filter(filter.matches).map(\.id)) == ids, "\(fields)")
            let page = try await archive.presentations(filter, console: 0, limit: 9)
            #expect(Set(page.entries.map(\.id)) == Set(ids.map(\.description)), "\(fields)")
        }
    }

    @Test("Events are found the same in the journal and in memory, also behind U+0000")
    func events() async throws {
        let history = AuditHistory()
        for item in items() {
            history.note(
                .note(InboxNote(id: id(9).value, by: "eve", text: "Bob\0Tim", at: start)),
                item.id, by: "eve")
            history.record(.presented(item.id, item.report.description))
        }
        let journal = try SQLiteJournal(path)
        try await journal.keep([], history.events(after: 0, limit: 9).events, console: 0)
        let archive = try #require(try HistoryArchive(path))
        let all = try await archive.events(HistoryFilter(), console: 0, limit: 9)
        let inMemory = try await history.page(HistoryFilter(), limit: 9)
        #expect(all.entries.map(\.sentence) == inMemory.entries.map(\.sentence))
        #expect(all.entries.contains { $0.sentence == "Note by eve: Bob\0Tim" })
        for (text, count) in [("tim", 3), ("b\0t", 3), ("drop", 1), ("\0zzz", 0)] {
            let filter = try HistoryFilter(["q": text])
            let stored = try await archive.events(filter, console: 0, limit: 9)
            #expect(stored.entries.count == count, "\(text)")
            #expect(try await history.page(filter, limit: 9).entries.count == count, "\(text)")
        }
    }
}
