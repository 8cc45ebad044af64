import ErrorBus
import ErrorBusTesting
import Foundation
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

    /// The number of steps that the tables of a journal have had.
    private func stepCount(_ path: String) throws -> Int {
        try DatabaseQueue(path: path).read { database in
            try JournalSchema.migrator.appliedIdentifiers(database).count
        }
    }

    @Test("Only the node changes the tables: a restored backup and a former journal keep theirs")
    func byNodeAlone() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("update-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (path, backup) = ("\(folder)/central.sqlite", "\(folder)/backup")
        _ = try SQLiteJournal(path, of: "central")
        let all = try stepCount(path)
        try await DatabaseQueue(path: path).write { database in
            try database.execute(sql: "ALTER TABLE history DROP COLUMN failureReason")
            try database.execute(
                sql: "DELETE FROM grdb_migrations WHERE identifier LIKE '23 %'")
        }
        try JournalCopy.backUp(path, to: backup)
        // As `log` and `log --reoffer` do it.
        for access in [{ _ = try SQLiteJournal(path) }, { _ = try DeadLetters(path) }] {
            let refused = #expect(throws: Failure.self) { try access() }
            #expect(refused?.status == .badConfiguration)
            #expect(refused?.text.contains("found tables of an earlier version") == true)
        }
        let former = try JournalCopy.restore(
            backup, to: path, of: "central", at: Date(timeIntervalSince1970: 1_790_000_000))
        #expect(try stepCount(path) == all - 1)
        #expect(try stepCount(try #require(former)) == all - 1)
        _ = try SQLiteJournal(path, of: "central")
        #expect(try stepCount(path) == all)
    }

    @Test("A backup of a later version is refused, and the journal stays as it is")
    func laterBackup() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("update-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (path, backup) = ("\(folder)/central.sqlite", "\(folder)/backup")
        _ = try SQLiteJournal(path, of: "central")
        try JournalCopy.backUp(path, to: backup)
        try await DatabaseQueue(path: backup).write { database in
            try database.execute(sql: "INSERT INTO grdb_migrations VALUES ('9999 later')")
        }
        let refused = #expect(throws: Failure.self) {
            try JournalCopy.restore(
                backup, to: path, of: "central", at: Date(timeIntervalSince1970: 1_790_000_000))
        }
        #expect(refused?.status == .badConfiguration)
        #expect(refused?.text.hasPrefix("journal \(backup): found tables of a later") == true)
        _ = try SQLiteJournal(path, of: "central")
    }
}
