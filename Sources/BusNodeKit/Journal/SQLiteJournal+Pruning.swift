import ErrorBus
import Foundation
import GRDB
import Logging
import Synchronization

// Retention.
extension SQLiteJournal {
    /// The interval at which a node looks whether its journal is to be pruned.
    static let lookEvery: Duration = .seconds(10)
    /// The most looks from one pruning to the next: ten minutes.
    static let lookCountMax = 60
    /// The part of the allowed size that reports take at most until the next pruning.
    private static let growthPart = 16
    /// The most rows of a table deleted in one transaction, so that no answer waits for long.
    private static let rowCountMax = 1_000
    /// The number of rows of each table to delete before the next look at the size.
    private static let rowStep = 100

    /// The rows of one table that may be deleted.
    private struct Prunable {
        let table: String
        let time: String
        /// The condition on a row, with `start`, the time at which this process opened the journal.
        let condition: String
        /// What goes first, the lowest: see ``HistoryRank``.
        let rank: String
        let origin: String
        /// The number of rows for each presentation of the retention.
        var factor = 1
    }

    /// The tables to prune: never an answer without a result, which may still be delivered, and no
    /// presentation that people have open here. One that they passed on is pruned as an ended one.
    private static let prunables = [
        decisions,
        Prunable(
            table: HistoryRow.databaseTableName, time: "changedAt",
            condition: "stage NOT IN ('open', 'claimed', 'leaving')", rank: HistoryRow.rank,
            origin: HistoryRow.originOrNone),
        Prunable(
            table: HistoryEventRow.databaseTableName, time: "time", condition: "TRUE",
            rank: "rank", origin: "origin", factor: 4),
    ]

    private static let decisions = Prunable(
        table: JournalRow.databaseTableName, time: JournalRow.endTime,
        condition: """
            settledAt IS NOT NULL OR endedAt IS NOT NULL
            OR (answer IS NULL AND shownAt <= start)
            """, rank: JournalRow.rank, origin: "origin")

    /// Prunes if it is time, or if much has come since the last time: so a flood of large reports
    /// does not fill the disk in between.
    func pruneIfDue(_ retention: JournalRetention, _ logger: Logger) async {
        let look = lookCount.add(1, ordering: .relaxed).oldValue
        let growth = reportByteCount.load(ordering: .relaxed)
        let growthMax = retention.byteCount / Self.growthPart
        guard look.isMultiple(of: Self.lookCountMax) || growth >= growthMax else { return }
        await prune(retention, logger)
    }

    /// Deletes rows beyond the retention that are settled, ended, or left open by an earlier
    /// process. By age the oldest go; above the number and the size those without a decision, then
    /// those that no person decided, and of these the oldest of the origins that have the most.
    ///
    /// The age counts from the latest row and the time since the start, if that is earlier than
    /// now: a clock that is ahead when the node starts must not empty the journal.
    func prune(
        _ retention: JournalRetention = JournalRetention(), at now: Moment = .now
    ) async throws {
        reportByteCount.store(0, ordering: .relaxed)
        try await deleteOld(retention, now)
        for prunable in Self.prunables {
            let count = try await access { database in
                try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \(prunable.table)") ?? 0
            }
            try await reduce(prunable, by: count - retention.count * prunable.factor)
        }
        var isMore = true
        while isMore { isMore = try await reduceSize(to: retention.byteCount) }
    }

    private func deleteOld(_ retention: JournalRetention, _ now: Moment) async throws {
        let (time, openedAt) = (TimeText.text(now.date), openedAt)
        let uptime = TimeInterval(openedInstant.duration(to: now.instant).components.seconds)
        var isMore = true
        while isMore {
            isMore = try await access { database in
                guard let latest = try Self.latestTime(database) else { return false }
                let known = try Date(min(latest, time), strategy: TimeText.style)
                let before = min(known + uptime, now.date)
                    .addingTimeInterval(-Double(retention.age.components.seconds))
                var count = 0
                for prunable in Self.prunables {
                    try Self.delete(prunable, before: TimeText.text(before), openedAt, database)
                    count = max(count, database.changesCount)
                }
                return count == Self.rowCountMax
            }
        }
    }

    private static func delete(
        _ prunable: Prunable, before time: String, _ openedAt: String, _ database: Database
    ) throws {
        try database.execute(
            sql: """
                DELETE FROM \(prunable.table) WHERE rowid IN (
                    SELECT \(prunable.table).rowid
                    FROM \(prunable.table), (SELECT :openedAt AS start)
                    WHERE (\(prunable.condition)) AND \(prunable.time) < :time
                    ORDER BY \(prunable.time) LIMIT :count)
                """,
            arguments: ["openedAt": openedAt, "time": time, "count": rowCountMax])
    }

    /// Deletes some rows if the database is too large: reports by their size, if it is these that
    /// take the room.
    ///
    /// - Returns: Whether to look again.
    private func reduceSize(to byteCount: Int) async throws -> Bool {
        let table = JournalRow.databaseTableName
        let (excess, reports) = try await access { database -> (Int, Int) in
            let excess = try Self.usedBytes(database) - byteCount
            guard excess > 0 else { return (excess, 0) }
            let reports = try Int.fetchOne(
                database, sql: "SELECT SUM(\(JournalRow.reportSize)) FROM \(table)")
            return (excess, reports ?? 0)
        }
        guard excess > 0 else { return false }
        // Reports of answers without a result stay, however many there are.
        if reports > byteCount / 2,
            try await reduce(Self.decisions, by: excess, weighing: JournalRow.reportSize)
        {
            return true
        }
        var isLess = false
        for prunable in Self.prunables {
            let isDeleted = try await reduce(prunable, by: Self.rowStep)
            isLess = isLess || isDeleted
        }
        return isLess
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

// Above the number and the size.
extension SQLiteJournal {
    /// What an origin gives up of the rows of one rank.
    private struct Part {
        let origin: String
        var weight: Int
    }

    /// Deletes rows of a table until so much of their weight is gone: see ``prune(_:at:)``.
    ///
    /// - Parameter weight: The weight of a row, in SQL.
    /// - Returns: Whether any was deleted.
    @discardableResult
    private func reduce(
        _ prunable: Prunable, by excess: Int, weighing weight: String = "1"
    ) async throws -> Bool {
        let openedAt = openedAt
        var (left, rowCount) = (excess, 0)
        for rank in 0...JournalRow.leftOpenRank where left > 0 {
            let weights = try await access { database in
                try Self.weights(of: prunable, rank, weight, openedAt, database)
            }
            let surplus = OriginShares.surplus(of: weights, excess: left)
            left -= surplus.values.reduce(0, +)
            var parts = surplus.map { Part(origin: $0.key, weight: $0.value) }
            while !parts.isEmpty {
                let before = parts
                let step = try await access { database in
                    try Self.delete(before, of: prunable, rank, weight, openedAt, database)
                }
                parts = step.rest
                rowCount += step.rowCount
            }
        }
        return rowCount > 0
    }

    /// The rows of one rank that may be deleted. One that an earlier process left open has the time
    /// at which it was shown.
    private static func rows(of prunable: Prunable) -> String {
        """
        FROM \(prunable.table)
        WHERE \(prunable.rank) = :rank
            AND (:rank < \(JournalRow.leftOpenRank) OR \(prunable.time) <= :openedAt)
        """
    }

    private static func weights(
        of prunable: Prunable, _ rank: Int, _ weight: String, _ openedAt: String,
        _ database: Database
    ) throws -> [String: Int] {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT \(prunable.origin), SUM(\(weight)) \(rows(of: prunable))
                GROUP BY \(prunable.origin)
                """, arguments: ["rank": rank, "openedAt": openedAt])
        var weights: [String: Int] = [:]
        while let row = try rows.next() {
            weights[String.fromDatabaseValue(row[0]) ?? ""] = Int.fromDatabaseValue(row[1]) ?? 0
        }
        return weights
    }

    /// Deletes rows of some origins, the oldest of each.
    ///
    /// - Returns: The parts that are still to be deleted, and the number of deleted rows.
    private static func delete(
        _ parts: [Part], of prunable: Prunable, _ rank: Int, _ weight: String, _ openedAt: String,
        _ database: Database
    ) throws -> (rest: [Part], rowCount: Int) {
        var (rest, count) = (parts, 0)
        while var part = rest.popLast() {
            let most = min(part.weight, rowCountMax - count)
            let found = try Row.fetchAll(
                database,
                sql: """
                    SELECT rowid, \(weight) \(rows(of: prunable)) AND \(prunable.origin) = :origin
                    ORDER BY \(prunable.time) LIMIT :most
                    """,
                arguments: [
                    "rank": rank, "openedAt": openedAt, "origin": part.origin, "most": most,
                ])
            for row in found where part.weight > 0 {
                let place: Int64 = row[0]
                try database.execute(
                    sql: "DELETE FROM \(prunable.table) WHERE rowid = ?", arguments: [place])
                part.weight -= Int.fromDatabaseValue(row[1]) ?? 0
                count += 1
            }
            if part.weight > 0, found.count == most { rest.append(part) }
            if count >= rowCountMax { break }
        }
        return (rest, count)
    }
}
