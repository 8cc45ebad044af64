import ErrorBusTesting
import Foundation
import GRDB
import Logging
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Rows of a journal that cannot be read.
struct JournalAsideTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("journal-\(UUID().uuidString)/central.sqlite").path
    private let log = RecordedLog()
    private let now = ManualTime().now

    /// In another life of its node.
    private func journal() throws -> SQLiteJournal {
        try SQLiteJournal(path, logger: log.logger)
    }

    private func execute(_ sql: String, _ journal: SQLiteJournal) async throws {
        try await journal.access { try $0.execute(sql: sql) }
    }

    /// The table and the written values of each row that was set aside.
    private func aside(_ journal: SQLiteJournal) async throws -> [String] {
        try await journal.access { database in
            try String.fetchAll(
                database,
                sql: "SELECT source || ': ' || content FROM setAside ORDER BY number")
        }
    }

    private func expectWarning(_ rows: String) {
        #expect(
            log.lines.elements == [
                "warning journal: rows set aside problem="
                    + RowsSetAside(path: path, rows: rows, count: 1).description
            ])
    }

    @Test(
        "A silence with a damaged number is set aside, and the next one has a number all the same",
        arguments: [Int.max, (1 << 53) + 1, 0, -1])
    func damagedNumber(number: Int) async throws {
        let journal = try journal()
        try await execute(
            """
            INSERT INTO silence (console, number, pattern, by, comment, createdAt, endsAt) VALUES
                (0, 4, '{"domain":"d"}', 'ann', 'fine', '2026-11-21T10:00:00.000Z',
                 '2026-11-21T11:00:00.000Z'),
                (0, \(number), '{"domain":"e"}', 'bob', 'damaged', '2026-11-21T10:00:00.000Z',
                 '2026-11-21T11:00:00.000Z')
            """, journal)
        for _ in 0..<2 {
            let console = ConsoleSilences(Inbox("console"), logger: log.logger)
            try console.keep(in: JournalSilences(journal: try self.journal(), console: 0))
            #expect(throws: (any Error).self) { try console.silences.silence(number) }
            let pattern: JSONValue = ["domain": "f"]
            let made = try console.silences.add(
                Silence.Request(
                    pattern: pattern, match: try RuleMatch(json: pattern), by: "ann", comment: "c"),
                for: .seconds(60))
            #expect(made.number == 5)
        }
        expectWarning("silences")
    }

    @Test(
        "A silence with a damaged count is set aside: the next error would end the node",
        arguments: ["answered", "withheld"], [Int.max, -1])
    func damagedCount(column: String, count: Int) async throws {
        let journal = try journal()
        try await execute(
            """
            INSERT INTO silence
                (console, number, pattern, by, comment, createdAt, endsAt, \(column)) VALUES
                (0, 4, '{"domain":"d"}', 'ann', 'fine', '2026-11-21T10:00:00.000Z',
                 '2026-11-21T11:00:00.000Z', \(count))
            """, journal)
        #expect(try JournalSilences(journal: journal, console: 0).silences(at: now).isEmpty)
        expectWarning("silences")
    }

    @Test("A silence that cannot be read is set aside, once, and the others stay in force")
    func silences() async throws {
        let journal = try journal()
        try await execute(
            """
            INSERT INTO silence (console, number, pattern, by, comment, createdAt, endsAt) VALUES
                (0, 1, '{"domain":"d"}', 'ann', 'fine', '2026-11-21T10:00:00.000Z',
                 '2026-11-21T11:00:00.000Z'),
                (0, 2, '{"domain":', 'bob', 'it''s cut', '2026-11-21T10:00:00.000Z',
                 '2026-11-21T11:00:00.000Z'),
                (1, 2, '{"domain":"e"}', 'eve', 'another console', '2026-11-21T10:00:00.000Z',
                 '2026-11-21T11:00:00.000Z')
            """, journal)
        for _ in 0..<2 {
            let console = ConsoleSilences(Inbox("console"), logger: log.logger)
            try console.keep(in: JournalSilences(journal: try self.journal(), console: 0))
            #expect(throws: Never.self) { try console.silences.silence(1) }
            #expect(throws: (any Error).self) { try console.silences.silence(2) }
            // Its number is in the audit, and names no other.
            let pattern: JSONValue = ["domain": "f"]
            let made = try console.silences.add(
                Silence.Request(
                    pattern: pattern, match: try RuleMatch(json: pattern), by: "ann", comment: "c"),
                for: .seconds(60))
            #expect(made.number == 3)
        }
        expectWarning("silences")
        let aside = try await aside(journal)
        #expect(aside.count == 1)
        #expect(aside[0].hasPrefix("silence: console = 0, number = 2, pattern = '{\"domain\":'"))
        #expect(aside[0].contains("comment = 'it''s cut'"))
        #expect(
            try JournalSilences(journal: journal, console: 1).silences(at: now).count == 1)
    }

    @Test("A saved view that cannot be read is set aside, once, and the others are listed")
    func views() async throws {
        let views = JournalViews(journal: try journal(), console: 0)
        try await execute(
            """
            -- Without the constraints that a damaged page breaks.
            DROP TABLE savedView;
            CREATE TABLE savedView
                (console, owner, name, filter, sort, show, PRIMARY KEY (console, owner, name));
            INSERT INTO savedView VALUES
                (0, 'user ann', 'Damaged', NULL, 'gravity', 'open'),
                (0, 'user ann', 'Grave', 'severity:critical', 'gravity', 'open'),
                (0, 'user bob', 'Bad', NULL, 'gravity', 'open')
            """, views.journal)
        for _ in 0..<2 {
            #expect(try await views.views(of: ["user ann"]).map(\.name) == ["Grave"])
        }
        expectWarning("saved views")
        #expect(
            try await aside(views.journal) == [
                "savedView: console = 0, owner = 'user ann', name = 'Damaged', filter = NULL, "
                    + "sort = 'gravity', show = 'open'"
            ])
        // Another takes the place of one that was not listed yet.
        let bad = ViewRow(
            console: 0, owner: "user bob", name: "Bad", filter: "", sort: "age", show: "open")
        #expect(try await views.save(bad) == .replaced)
        #expect(try await views.views(of: ["user bob"]) == [bad])
    }

    @Test("A dead letter that cannot be read is set aside, and its number can be given again")
    func letters() async throws {
        let hook = NotifyRig.hook(digest: .zero) {
            $0.tries = 1
            $0.perMinute = 2
        }
        var rig = NotifyRig([hook])
        for number in 0..<3 { rig.open(NotifyRig.report("\(number)")) }
        rig.pass(.seconds(600)) { _ in "refused" }
        let dead = rig.machine.dead
        let kept = JournalLetters(journal: try journal())
        try await kept.keep { dead }
        try await execute("UPDATE letter SET content = '{}' WHERE number = 3", kept.journal)
        #expect(try kept.letters(at: rig.time.now).map(\.number) == [1, 2])
        expectWarning("undelivered messages of hooks")
        #expect(try await aside(kept.journal).count == 1)
        try await kept.keep { dead }
        #expect(try kept.letters(at: rig.time.now).map(\.number) == [1, 2, 3])
    }

    @Test(
        "A row of the history that cannot be read is set aside, and the node starts",
        arguments: [
            ("history SET path = '[' WHERE stage = 'open'", "presentations"),
            ("history SET notes = 'x' WHERE stage = 'closed'", "presentations"),
            ("event SET fields = '{\"by\"' WHERE number = 1", "events"),
            ("event SET time = 'noon' WHERE number = 1", "events"),
        ])
    func history(damage: String, rows: String) async throws {
        try await keep()
        try await execute("UPDATE \(damage)", try journal())
        let kept = try journal().restore(console: 0, at: now)
        expectWarning("\(rows) of the history")
        let isEvent = rows == "events"
        #expect(kept.events.map(\.event) == (isEvent ? ["note"] : ["claim", "note"]))
        #expect(kept.records.count == (isEvent ? 2 : 1))
    }

    @Test("A decision that cannot be trusted is never set aside: it is refused, as ever")
    func decision() async throws {
        let ids = try await keep()
        try await execute("UPDATE presentation SET shownAt = 'noon'", try self.journal())
        let journal = try journal()
        _ = try journal.restore(console: 0, at: now)
        for id in ids {
            await #expect(throws: DamagedRecord.self) { try await journal.record(of: id) }
        }
        #expect(log.lines.elements.isEmpty)
        #expect(try await aside(journal).isEmpty)
    }

    @Test("A journal has the latest rows that were set aside")
    func bound() async throws {
        let kept = JournalLetters(journal: try journal())
        try await execute(
            """
            WITH RECURSIVE counted (number) AS
                (SELECT 1 UNION ALL SELECT number + 1 FROM counted WHERE number < 1005)
            INSERT INTO letter
                (number, hook, message, content, madeAt, tries, problem, diedAt)
            SELECT number, 'hook', '', '{}', '', 1, '', '' FROM counted
            """, kept.journal)
        #expect(try kept.letters(at: now).isEmpty)
        let aside = try await aside(kept.journal)
        #expect(aside.count == RowsSetAside.countMax)
        #expect(aside[0].contains("number = 6,"))
        #expect(log.lines.elements.count == 1)
    }

    /// An open and an ended presentation with two events.
    @discardableResult
    private func keep() async throws -> [PresentationID] {
        let journal = try journal()
        var items: [InboxItem] = []
        for stage in [InboxItem.Stage.open, .closed(.declined)] {
            let report = ErrorReport(domain: "com.acme", description: "It failed.")
            let prompt = Prompts.prompt(report)
            try await journal.shown(
                prompt.id, .init(origin: prompt.origin, digest: nil, report: report))
            var item = InboxItem(InboxPresentation(prompt), group: 0, at: now, revision: 1)
            item.stage = stage
            items.append(item)
        }
        let events = ["claim", "note"].map {
            AuditHistory.Event(
                time: now.date, event: $0, id: items[0].id, fields: ["by": "ann"], sentence: "",
                count: nil)
        }
        try await journal.keep(items, events, console: 0)
        return items.map(\.id)
    }
}
