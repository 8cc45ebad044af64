import ErrorBus
import GRDB
import Logging

// Journals of other versions.
extension JournalSchema {
    /// The number of rows from which on an update is announced: it may take longer than a moment,
    /// in which a person would not know what the node does.
    static let announcedRowCount = 20_000

    /// Brings the tables up to date.
    ///
    /// - Parameters:
    ///   - logger: The logger for an update of many rows.
    ///   - rowCountMin: The number of rows that are many.
    /// - Throws: When a later version has changed them: a row of this one could lack what that one
    ///   needs.
    static func update(
        _ database: DatabaseQueue, _ path: String, logger: Logger,
        rowCountMin: Int = announcedRowCount
    ) throws {
        try expectNoLater(database, path)
        let (stepCount, rowCount) = try database.read { database in
            let done = try migrator.appliedIdentifiers(database)
            let stepCount = migrator.migrations.count { !done.contains($0) }
            return (stepCount, try stepCount == 0 ? 0 : self.rowCount(database))
        }
        let isAnnounced = stepCount > 0 && rowCount >= rowCountMin
        let details: Logger.Metadata = [
            "file": "\(path)", "rows": "\(rowCount)", "steps": "\(stepCount)",
        ]
        if isAnnounced {
            logger.notice(
                "journal: updating tables of an earlier version; the node waits for it",
                metadata: details)
        }
        try migrator.migrate(database)
        if isAnnounced { logger.notice("journal: tables updated", metadata: details) }
    }

    /// The number of rows in the tables that may be long.
    private static func rowCount(_ database: Database) throws -> Int {
        let tables = [
            JournalRow.databaseTableName, HistoryRow.databaseTableName,
            HistoryEventRow.databaseTableName,
        ]
        return try tables.reduce(0) { sum, table in
            guard try database.tableExists(table) else { return sum }
            return try sum + (Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \(table)") ?? 0)
        }
    }

    /// Refuses tables that a later version has changed.
    static func expectNoLater(_ database: DatabaseQueue, _ path: String) throws {
        guard try database.read(migrator.hasBeenSuperseded) else { return }
        throw Failure(
            .badConfiguration,
            "journal \(path): found tables of a later version of bus-node, expected: those of "
                + "this version or an earlier one; run the later version, or restore a backup "
                + "made before it ran")
    }

    /// Refuses tables that lack what this version reads or writes. Only the node itself changes
    /// the tables: its own version may be an earlier one, which could then not open its journal.
    static func expectUpdated(_ database: DatabaseQueue, _ path: String) throws {
        guard try database.read(migrator.hasCompletedMigrations) else {
            throw Failure(
                .badConfiguration,
                "journal \(path.shown()): found tables of an earlier version of bus-node, or none, "
                    + "expected: those of this version; start its node with this version, or read "
                    + "the journal with the version that the node runs")
        }
    }
}
