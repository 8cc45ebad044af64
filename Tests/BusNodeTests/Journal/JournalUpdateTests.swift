import ErrorBusTesting
import GRDB
import Logging
import Testing

@testable import BusNodeKit

/// The update of a journal of an earlier version.
struct JournalUpdateTests {
    /// A journal of an earlier version with three events.
    private func journal() throws -> DatabaseQueue {
        let database = try DatabaseQueue()
        try JournalSchema.migrator.migrate(database, upTo: "20 requests of proposals")
        try database.write { database in
            for _ in 1...3 {
                try database.execute(
                    sql: """
                        INSERT INTO event (console, time, event, id, fields, sentence)
                        VALUES (0, '2026-01-01', 'present', 'x', '{}', '')
                        """)
            }
        }
        return database
    }

    @Test("An update of many rows is in the log with their number, before it and after it")
    func announced() throws {
        let (database, log) = (try journal(), RecordedLog())
        let steps = JournalSchema.migrator.migrations.count - 20
        try JournalSchema.update(database, "central.sqlite", logger: log.logger, rowCountMin: 3)
        let details = "file=central.sqlite rows=3 steps=\(steps)"
        #expect(
            log.lines.elements == [
                "notice journal: updating tables of an earlier version; the node waits for it "
                    + details,
                "notice journal: tables updated \(details)",
            ])
        // The next start has nothing to update.
        try JournalSchema.update(database, "central.sqlite", logger: log.logger, rowCountMin: 3)
        #expect(log.lines.elements.count == 2)
    }

    @Test("A short update, or a new journal, says nothing")
    func silent() throws {
        let log = RecordedLog()
        try JournalSchema.update(try journal(), "a.sqlite", logger: log.logger, rowCountMin: 4)
        try JournalSchema.update(
            try DatabaseQueue(), "b.sqlite", logger: log.logger, rowCountMin: 1)
        #expect(log.lines.elements.isEmpty)
    }
}
