import ErrorBus
import Foundation
import GRDB

// The history of consoles: their presentations and events, for people. A decision never depends on
// it.
extension SQLiteJournal: HistoryStore {
    private static var openCountMax: Int { InboxLimits().openMax }
    private static var endedCountMax: Int { InboxLimits().endedMax }

    func restore(console: Int, at now: Moment) throws -> KeptHistory {
        try writeNow { database in
            var history = KeptHistory()
            for row in try latest(of: console, database) {
                var row = row
                let before = row
                let journaled = try JournalRow.find(row.id, in: database)
                if let journaled, journaled.isIntact { row.add(journaled) }
                row.leave()
                if row != before { try row.update(database) }
                let report = journaled.flatMap { try? ErrorReport(payload: Array($0.report)) }
                guard let report else { continue }
                if let record = row.record(report, at: now) { history.records.append(record) }
            }
            let events = HistoryEventRow.filter(Column("console") == console)
                .order(Column("number").desc).limit(ConsoleLimits.auditEventMax)
            history.events = try readable(events, in: database) { $0.audited }.reversed()
            history.chart = try HistoryArchive.lastHour(of: console, at: now.date, database)
            return history
        }
    }

    /// Marks as left what is open at consoles that the topology no longer has: else it would be
    /// open for ever, and kept.
    ///
    /// - Parameter first: The number of the first such console.
    func leaveFormerConsoles(from first: Int, at now: Moment) throws {
        let former = try writeNow { database in
            try Int.fetchAll(
                database,
                sql: """
                    SELECT DISTINCT console FROM history
                    WHERE console >= ? AND stage IN ('open', 'claimed', 'leaving')
                    """,
                arguments: [first])
        }
        for console in former { _ = try restore(console: console, at: now) }
    }

    /// The rows that were open, then the latest ended ones, in the order of their ends: of those
    /// with an answer and of those without one as many as an inbox keeps in all.
    private func latest(of console: Int, _ database: Database) throws -> [HistoryRow] {
        let rows = HistoryRow.filter(Column("console") == console)
        let isOpen = HistoryRow.openStages.contains(Column("stage"))
        let open = try readable(
            rows.filter(isOpen).order(Column("openedAt").desc).limit(Self.openCountMax),
            in: database
        ) { $0 }
        var ended: [HistoryRow] = []
        for sort in [Column("answer") != nil, Column("answer") == nil] {
            ended += try readable(
                rows.filter(!isOpen && sort).order(Column("changedAt").desc)
                    .limit(Self.endedCountMax),
                in: database
            ) { $0 }
        }
        return open + ended.sorted { $0.changedAt < $1.changedAt }
    }

    func keep(
        _ items: [InboxItem], _ events: [AuditHistory.Event], console: Int
    ) async throws {
        let rows = items.map { HistoryRow($0, console: console) }
        let eventRows = events.map { HistoryEventRow($0, console: console) }
        try await access { database in
            for row in rows { try row.upsert(database) }
            for row in eventRows {
                try row.insert(database)
                try Self.follow(row, database)
            }
        }
    }

    /// Brings the row of a presentation up to date that the console does not have: one that it has
    /// forgotten, or that was open at the end of an earlier life and did not come to it again,
    /// since a rule or a silence ended it first.
    private static func follow(_ event: HistoryEventRow, _ database: Database) throws {
        switch PresentationEvent.Word(rawValue: event.event) {
        case .decide:
            try amend(event, from: [HistoryRow.left, "closed"], database) { row in
                let journaled = try? JournalRow.find(event.id, in: database)
                if let journaled, journaled.isIntact { row.add(journaled) }
                guard row.answer == nil else { return }
                let report = journaled.flatMap { try? ErrorReport(payload: Array($0.report)) }
                row.add(answerOf: event, to: report)
            }
        case .change:
            try amend(event, from: [HistoryRow.left], database) { $0.end(with: event) }
        case .done: try settle(event, database)
        case .report, .present, .complete, nil: break
        }
    }

    private static func amend(
        _ event: HistoryEventRow, from stages: [String], _ database: Database,
        _ change: (inout HistoryRow) -> Void
    ) throws {
        let rows = HistoryRow.filter(Column("console") == event.console)
            .filter(Column("id") == event.id).filter(stages.contains(Column("stage")))
        // One that cannot be read is set aside at the next start.
        guard var row = try? rows.fetchOne(database) else { return }
        let before = row
        change(&row)
        if row != before { try row.update(database) }
    }

    /// Records a result that came when the console had forgotten the presentation.
    private static func settle(_ row: HistoryEventRow, _ database: Database) throws {
        let result = row.fields["result"]
        let known = result.flatMap { RecoveryResult(rawValue: $0) }
        let journaled = try? JournalRow.find(row.id, in: database)
        try database.execute(
            sql: """
                UPDATE history
                SET stage = 'settled', result = :result, ending = :ending, changedAt = :time
                WHERE console = :console AND id = :id AND answer = :answer AND stage = 'answered'
                """,
            arguments: [
                "result": result,
                "ending": known.map { journaled?.words($0) ?? $0.words },
                "time": row.time, "console": row.console, "id": row.id,
                "answer": row.fields["answer"],
            ])
    }
}

extension JournalRow {
    /// The result of the row's answer in words, also of an answer to give up.
    func words(_ result: RecoveryResult) -> String {
        guard result == .failed, let option,
            let report = try? ErrorReport(payload: Array(report)), report.isCancel(option)
        else { return result.words }
        return result.words(isCancel: true)
    }
}

extension HistoryRow {
    /// Corrects the ends of rows of earlier versions, which have answers to give up as failures, if
    /// the report is still known.
    static func nameCancelled(in database: Database) throws {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT history.rowid, history.option, presentation.report FROM history
                JOIN presentation ON presentation.id = history.id
                WHERE history.ending = ? AND history.result = ?
                """,
            arguments: [RecoveryResult.failed.words, RecoveryResult.failed.rawValue])
        var cancelled: [DatabaseValue] = []
        while let row = try rows.next() {
            guard let option = String.fromDatabaseValue(row[1]),
                let payload = Data.fromDatabaseValue(row[2]),
                let report = try? ErrorReport(payload: Array(payload)), report.isCancel(option)
            else { continue }
            cancelled.append(row[0])
        }
        for place in cancelled {
            try database.execute(
                sql: "UPDATE history SET ending = ? WHERE rowid = ?",
                arguments: [RecoveryResult.cancelledWord, place])
        }
    }

    /// Adds the failure reasons, those of rows of earlier versions from their reports, where these
    /// are still known.
    static func addReasons(in database: Database) throws {
        try database.alter(table: databaseTableName) { table in
            table.add(column: "failureReason", .text)
        }
        let reasonOf = DatabaseFunction("reasonOf", argumentCount: 1) { values in
            guard let payload = Data.fromDatabaseValue(values[0]),
                let reason = try? ErrorReport(payload: Array(payload)).endOfReason
            else { return nil }
            // SQLite would read a text up to its first U+0000.
            if reason.utf8.contains(0) { return Data(reason.utf8) }
            return reason
        }
        database.add(function: reasonOf)
        try database.execute(
            sql: """
                UPDATE history SET failureReason = (
                    SELECT reasonOf(report) FROM presentation WHERE presentation.id = history.id)
                """)
    }
}
