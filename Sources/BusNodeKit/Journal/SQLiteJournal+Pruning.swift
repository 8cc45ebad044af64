import ErrorBus
import Foundation
import GRDB
import Logging

// Retention.
extension SQLiteJournal {
    /// The interval at which a node prunes its journal.
    static let pruneEvery: Duration = .seconds(600)
    /// The most rows of a table deleted in one transaction, so that no answer waits for long.
    private static let rowCountMax = 1_000
    /// The number of rows to delete before the next look at the size.
    private static let rowStep = 100

    /// A text that is later than every time.
    private static let always = "~"

    /// The rows of one table that may be deleted.
    private struct Prunable {
        let table: String
        let time: String
        /// The condition on a row, with `start`, the time at which this process opened the journal.
        let condition: String
        /// The rank of a row, which precedes the time in the order of deletion.
        var rank = "NULL"
        /// The number of rows for each presentation of the retention.
        var factor = 1
    }

    /// The tables to prune: never an answer without a result, which may still be delivered, and no
    /// presentation that people have open here. One that they passed on is pruned as an ended one.
    private static let prunables = [
        Prunable(
            table: JournalRow.databaseTableName, time: JournalRow.endTime,
            condition: """
                settledAt IS NOT NULL OR endedAt IS NOT NULL
                OR (answer IS NULL AND shownAt <= start)
                """,
            rank: "settledAt IS NULL AND endedAt IS NULL"),
        Prunable(
            table: HistoryRow.databaseTableName, time: "changedAt",
            condition: "stage NOT IN ('open', 'claimed', 'leaving')"),
        Prunable(
            table: HistoryEventRow.databaseTableName, time: "time", condition: "TRUE",
            factor: 4),
    ]

    /// Deletes rows beyond the retention that are settled, ended, or left open by an earlier
    /// process.
    ///
    /// The age counts from the latest row and the time since the start, if that is earlier than
    /// now: a clock that is ahead when the node starts must not empty the journal.
    func prune(
        _ retention: JournalRetention = JournalRetention(), at now: Moment = .now
    ) async throws {
        let (time, openedAt) = (TimeText.text(now.date), openedAt)
        let uptime = TimeInterval(openedInstant.duration(to: now.instant).components.seconds)
        var isMore = true
        while isMore {
            isMore = try await access { database in
                guard let latest = try Self.latestTime(database) else { return false }
                let known = try Date(min(latest, time), strategy: TimeText.style)
                let before = min(known + uptime, now.date)
                    .addingTimeInterval(-Double(retention.age.components.seconds))
                let isTooLarge = try Self.usedBytes(database) > retention.megabytes << 20
                var count = 0
                for prunable in Self.prunables {
                    try Self.delete(
                        prunable, before: TimeText.text(before), openedAt, Self.rowCountMax,
                        database)
                    count = max(count, database.changesCount)
                    let surplus =
                        try Int.fetchOne(
                            database, sql: "SELECT COUNT(*) FROM \(prunable.table)") ?? 0
                    let excess = max(
                        isTooLarge ? Self.rowStep : 0, surplus - retention.count * prunable.factor)
                    guard excess > 0 else { continue }
                    try Self.delete(
                        prunable, before: Self.always, openedAt, min(excess, Self.rowCountMax),
                        database)
                    count = max(count, database.changesCount)
                }
                return count == Self.rowCountMax || (isTooLarge && count > 0)
            }
        }
    }

    private static func delete(
        _ prunable: Prunable, before time: String, _ openedAt: String, _ count: Int,
        _ database: Database
    ) throws {
        try database.execute(
            sql: """
                DELETE FROM \(prunable.table) WHERE rowid IN (
                    SELECT \(prunable.table).rowid
                    FROM \(prunable.table), (SELECT :openedAt AS start)
                    WHERE (\(prunable.condition)) AND \(prunable.time) < :time
                    ORDER BY \(prunable.rank), \(prunable.time) LIMIT :count)
                """,
            arguments: ["openedAt": openedAt, "time": time, "count": count])
    }

    /// The latest time of the presentations, or of the first other table that has any row; nil for
    /// an empty journal.
    private static func latestTime(_ database: Database) throws -> String? {
        for prunable in prunables {
            let time = try String.fetchOne(
                database, sql: "SELECT MAX(\(prunable.time)) FROM \(prunable.table)")
            if let time { return time }
        }
        return nil
    }

    private static func usedBytes(_ database: Database) throws -> Int {
        func value(_ name: String) throws -> Int {
            try Int.fetchOne(database, sql: "PRAGMA \(name)") ?? 0
        }
        return try (value("page_count") - value("freelist_count")) * value("page_size")
    }

    /// Prunes; a failure is logged, and retried the next time.
    func prune(_ retention: JournalRetention, _ logger: Logger) async {
        do { try await prune(retention) } catch {
            logger.error(
                "journal: not pruned", metadata: ["file": "\(path)", "problem": "\(error)"])
        }
    }
}
