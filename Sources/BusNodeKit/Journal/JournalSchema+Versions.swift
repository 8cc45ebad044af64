import ErrorBus
import GRDB

// Journals of other versions.
extension JournalSchema {
    /// Brings the tables up to date.
    ///
    /// - Throws: When a later version has changed them: a row of this one could lack what that one
    ///   needs.
    static func update(_ database: DatabaseQueue, _ path: String) throws {
        guard try !database.read(migrator.hasBeenSuperseded) else {
            throw Failure(
                .badConfiguration,
                "journal \(path): found tables of a later version of bus-node, expected: those of "
                    + "this version or an earlier one; run the later version, or restore a backup "
                    + "made before it ran")
        }
        try migrator.migrate(database)
    }

    /// Refuses tables that lack what this version reads. A reader changes nothing.
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
