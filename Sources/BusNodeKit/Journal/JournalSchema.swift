import ErrorBus
package import Foundation
import GRDB

/// The journal's tables, by the version that introduced them. A migration never changes: a change
/// needs a new migration.
enum JournalSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 presentations") { database in
            try database.create(table: JournalRow.databaseTableName) { table in
                table.primaryKey("id", .text)
                table.column("origin", .text).notNull()
                table.column("digest", .text).notNull()
                table.column("report", .blob).notNull()
                table.column("shownAt", .text).notNull()
                for column in [
                    "answer", "option", "decidedBy", "via", "decidedAt", "result", "settledAt",
                    "endReason", "endedAt",
                ] {
                    table.column(column, .text)
                }
                table.column("checksum", .integer).notNull()
            }
            try database.create(indexOn: JournalRow.databaseTableName, columns: ["shownAt"])
        }
        migrator.registerMigration("2 silences") { database in
            try database.create(table: SilenceRow.databaseTableName) { table in
                table.primaryKey("number", .integer)
                for column in ["pattern", "by", "comment", "createdAt", "endsAt"] {
                    table.column(column, .text).notNull()
                }
                for column in ["option", "endedBy", "lastAt"] { table.column(column, .text) }
                for column in ["answered", "withheld"] {
                    table.column(column, .integer).notNull().defaults(to: 0)
                }
            }
        }
        migrator.registerMigration("3 owner") { database in
            try database.create(table: "owner") { table in
                table.column("node", .text).notNull()
            }
        }
        migrator.registerMigration("4 history") { database in
            try database.create(table: HistoryRow.databaseTableName) { table in
                table.primaryKey {
                    table.column("console", .integer)
                    table.column("id", .text)
                }
                for column in [
                    "path", "domain", "severity", "description", "options", "openedAt", "changedAt",
                    "stage", "takenBack",
                ] {
                    table.column(column, .text).notNull()
                }
                for column in [
                    "origin", "claimedBy", "claimedUntil", "answer", "option", "answeredBy", "via",
                    "result", "reason", "failedAgain",
                ] {
                    table.column(column, .text)
                }
                table.column("code", .integer)
                table.column("retryCount", .integer).notNull()
                table.column("wasShownBefore", .boolean).notNull()
            }
            try database.create(
                indexOn: HistoryRow.databaseTableName, columns: ["console", "openedAt"])
            try database.create(
                indexOn: HistoryRow.databaseTableName, columns: ["console", "stage", "changedAt"])
            try database.create(table: HistoryEventRow.databaseTableName) { table in
                table.autoIncrementedPrimaryKey("number")
                table.column("console", .integer).notNull()
                for column in ["time", "event", "id", "fields", "sentence"] {
                    table.column(column, .text).notNull()
                }
                for column in ["person", "count"] { table.column(column, .text) }
            }
            for column in ["id", "time"] {
                try database.create(
                    indexOn: HistoryEventRow.databaseTableName, columns: [column])
            }
        }
        migrator.registerMigration("5 silences that only withhold") { database in
            try database.alter(table: SilenceRow.databaseTableName) { table in
                table.add(column: "onlyWithholds", .boolean).notNull().defaults(to: false)
            }
        }
        migrator.registerMigration("6 two people") { database in
            try database.alter(table: JournalRow.databaseTableName) { table in
                table.add(column: "second", .text)
            }
            try database.alter(table: HistoryRow.databaseTableName) { table in
                for column in [
                    "second", "proposal", "proposed", "proposedBy", "proposedAt", "proposedUntil",
                ] {
                    table.add(column: column, .text)
                }
                table.add(column: "proposedReport", .blob)
            }
        }
        migrator.registerMigration("7 causes") { database in
            try database.alter(table: HistoryRow.databaseTableName) { table in
                table.add(column: "cause", .text)
            }
            try database.create(
                indexOn: HistoryRow.databaseTableName, columns: ["cause", "openedAt"])
        }
        migrator.registerMigration("8 values") { database in
            try database.alter(table: JournalRow.databaseTableName) { table in
                table.add(column: "answerValues", .text)
            }
            try database.alter(table: HistoryRow.databaseTableName) { table in
                table.add(column: "answerValues", .text)
                table.add(column: "proposedValues", .text)
            }
        }
        migrator.registerMigration("9 notes") { database in
            try database.alter(table: HistoryRow.databaseTableName) { table in
                table.add(column: "notes", .text)
            }
        }
        migrator.registerMigration("10 silences of each console") { database in
            // Those of earlier versions become the first console's.
            try database.rename(table: SilenceRow.databaseTableName, to: "formerSilence")
            try database.create(table: SilenceRow.databaseTableName) { table in
                table.primaryKey {
                    table.column("console", .integer)
                    table.column("number", .integer)
                }
                for column in ["pattern", "by", "comment", "createdAt", "endsAt"] {
                    table.column(column, .text).notNull()
                }
                for column in ["option", "endedBy", "lastAt"] { table.column(column, .text) }
                for column in ["answered", "withheld"] {
                    table.column(column, .integer).notNull().defaults(to: 0)
                }
                table.column("onlyWithholds", .boolean).notNull().defaults(to: false)
            }
            try database.execute(
                sql: """
                    INSERT INTO silence (console, number, pattern, by, comment, createdAt, endsAt,
                        option, endedBy, lastAt, answered, withheld, onlyWithholds)
                    SELECT 0, number, pattern, by, comment, createdAt, endsAt,
                        option, endedBy, lastAt, answered, withheld, onlyWithholds
                    FROM formerSilence
                    """)
            try database.drop(table: "formerSilence")
        }
        migrator.registerMigration("11 ends") { database in
            try database.execute(
                sql: "CREATE INDEX presentation_end ON presentation (\(JournalRow.endTime))")
        }
        migrator.registerMigration("12 identities") { database in
            try database.alter(table: HistoryRow.databaseTableName) { table in
                for column in ["claimedIdentity", "proposedIdentity"] {
                    table.add(column: column, .text)
                }
            }
        }
        migrator.registerMigration("13 dead letters of hooks") { database in
            try database.create(table: LetterRow.databaseTableName) { table in
                table.primaryKey("number", .integer)
                for column in ["hook", "message", "content", "madeAt", "problem", "diedAt"] {
                    table.column(column, .text).notNull()
                }
                table.column("tries", .integer).notNull()
            }
        }
        migrator.registerMigration("14 ends in words") { database in
            try database.alter(table: HistoryRow.databaseTableName) { table in
                table.add(column: "ending", .text)
            }
            try database.execute(
                sql: """
                    UPDATE history SET ending = CASE
                        WHEN result = 'recovered' AND failedAgain IS NOT NULL THEN 'failed again'
                        WHEN result = 'failed' THEN 'not recovered'
                        WHEN result = 'late' THEN 'too late'
                        WHEN result = 'invalid' THEN 'refused by its owner'
                        WHEN result = 'unknown' THEN 'no result known'
                        WHEN reason = 'declined' THEN 'passed on'
                        ELSE COALESCE(result, reason) END
                    WHERE stage IN ('settled', 'closed')
                    """)
        }
        migrator.registerMigration("15 saved views") { database in
            try database.create(table: ViewRow.databaseTableName) { table in
                table.primaryKey {
                    table.column("console", .integer)
                    table.column("owner", .text)
                    table.column("name", .text)
                }
                for column in ["filter", "sort", "show"] {
                    table.column(column, .text).notNull()
                }
            }
        }
        migrator.registerMigration("16 rows set aside") { database in
            try database.create(table: "setAside") { table in
                table.autoIncrementedPrimaryKey("number")
                for column in ["source", "content", "at"] {
                    table.column(column, .text).notNull()
                }
            }
        }
        migrator.registerMigration("17 ends of cancelled ones") { database in
            try HistoryRow.nameCancelled(in: database)
        }
        migrator.registerMigration("18 counted events") { database in
            // A chart reads nothing else of them.
            try database.execute(
                sql: """
                    CREATE INDEX event_count ON event (console, time, count)
                    WHERE count IS NOT NULL
                    """)
        }
        migrator.registerMigration("19 titles of chosen options") { database in
            try database.alter(table: HistoryRow.databaseTableName) { table in
                table.add(column: "optionTitle", .text)
            }
            // The chart has a count of its own for what is not known.
            try database.execute(
                sql: """
                    UPDATE event SET count = 'unknown'
                    WHERE count IN ('failed', 'cancelled')
                        AND json_extract(fields, '$.result') = 'unknown'
                    """)
        }
        migrator.registerMigration("20 requests of proposals") { database in
            try database.alter(table: HistoryRow.databaseTableName) { table in
                table.add(column: "proposalRequest", .text)
            }
        }
        migrator.registerMigration("23 failure reasons") { database in
            try HistoryRow.addReasons(in: database)
        }
        return migrator
    }
}

extension [UInt8] {
    /// The bytes as a column: null for no bytes.
    var column: String? { isEmpty ? nil : String(decoding: self, as: UTF8.self) }
}

/// One presentation in the journal: a row with a checksum over its fields.
package struct JournalRow: WholeTextRow, Hashable {
    package static let databaseTableName = "presentation"
    /// The time of the end: a presentation may have been open for longer than rows are kept.
    /// Indexed.
    static let endTime = "COALESCE(settledAt, endedAt, shownAt)"

    package var id: String
    /// The origin; empty for an error of the presenter's own process.
    var origin: String
    var digest: String
    package var report: Data
    var shownAt: String
    var answer: String?
    package var option: String?
    var decidedBy: String?
    var via: String?
    var decidedAt: String?
    /// The person who confirmed the answer.
    var second: String?
    /// The values of the option's fields, as JSON, with only the names of secrets, and the comment.
    var answerValues: String?
    var result: String?
    var settledAt: String?
    /// The reason of an end without an answer.
    package var endReason: String?
    var endedAt: String?
    var checksum: Int64

    init(_ id: PresentationID, _ asked: DecisionRecord.Asked, at time: String) {
        self.id = id.description
        origin = asked.origin?.description ?? ""
        digest = asked.digest?.description ?? ""
        report = Data(asked.report.payload())
        shownAt = time
        checksum = 0
        seal()
    }

    /// Sets the checksum for the current fields.
    mutating func seal() { checksum = computedChecksum }

    package var isIntact: Bool { checksum == computedChecksum }

    /// The checksum over the fields with their lengths, so that it detects text moved from one
    /// field to the next.
    private var computedChecksum: Int64 {
        let fields = [
            id, origin, digest, shownAt, answer, option, decidedBy, via, decidedAt, result,
            settledAt, endReason, endedAt,
        ]
        var bytes: [UInt8] = []
        // Rows of one person have the checksum that they had before there was a second one, and so
        // have those without values.
        var later: [String?] = []
        if let second { later.append(second) }
        if let answerValues { later += ["values", answerValues] }
        for field in fields + later {
            bytes += (field.map { "\($0.utf8.count):\($0)" } ?? "-").utf8
        }
        bytes += report
        return Int64(bitPattern: ReportDigest(of: bytes).value)
    }

    /// The row as a record; nil when its fields are invalid.
    var record: DecisionRecord? {
        let origin = NodeName(origin)
        guard origin != nil || self.origin.isEmpty, let state else { return nil }
        return DecisionRecord(origin: origin, digest: ReportDigest(digest), state: state)
    }

    private var state: DecisionRecord.State? {
        if let answer, let option, let decidedBy, let via {
            guard let id = UniqueID(answer), let via = Answer.Via(rawValue: via) else { return nil }
            let known = result.map { RecoveryResult(rawValue: $0) }
            if case .some(.none) = known { return nil }
            return .decided(
                Answer(
                    id: id, option: option, by: decidedBy, via: via, second: second,
                    stored: Array((answerValues ?? "").utf8)),
                known.flatMap { $0 })
        }
        guard answer == nil else { return nil }
        if let endReason { return .ended(Outcome.Reason(rawValue: endReason)) }
        return .shown
    }
}

/// One silence in the journal.
struct SilenceRow: WholeTextRow, Hashable {
    static let databaseTableName = "silence"

    /// The number of the console in its node.
    var console: Int
    var number: Int
    /// The pattern as JSON, as it was written.
    var pattern: String
    var option: String?
    var onlyWithholds: Bool
    var by: String
    var comment: String
    var createdAt: String
    var endsAt: String
    var endedBy: String?
    var answered: Int
    var withheld: Int
    var lastAt: String?

    init(_ silence: Silence, of console: Int) {
        self.console = console
        number = silence.number
        pattern = String(decoding: silence.request.pattern.encoded(), as: UTF8.self)
        option = silence.request.option
        onlyWithholds = silence.request.onlyWithholds
        by = silence.request.by
        comment = silence.request.comment
        createdAt = TimeText.text(silence.createdAt.date)
        endsAt = TimeText.text(silence.endsAt.date)
        endedBy = silence.endedBy
        answered = silence.answeredCount
        withheld = silence.withheldCount
        lastAt = silence.lastAt.map { TimeText.text($0.date) }
    }

    /// The silence of this row; nil when invalid. Its end is counted from now by the wall clock,
    /// the only one that continues between two lives of a node.
    func silence(at now: Moment) -> Silence? {
        guard JournalSilences.numbers.contains(number),
            [answered, withheld].allSatisfy(JournalSilences.counts.contains),
            let json = try? JSONValue.parse(Array(pattern.utf8)),
            let match = try? RuleMatch(json: json), let created = Moment(createdAt, at: now),
            let ends = Moment(endsAt, at: now)
        else { return nil }
        // A clock set back since then must not extend it beyond its meant duration.
        let meant = Moment(
            instant: now.instant + created.instant.duration(to: ends.instant),
            date: now.date + ends.date.timeIntervalSince(created.date))
        return Silence(
            number: number,
            request: Silence.Request(
                pattern: json, match: match, option: option, onlyWithholds: onlyWithholds, by: by,
                comment: comment),
            createdAt: created,
            endsAt: now < created ? meant : ends,
            endedBy: endedBy, answeredCount: answered,
            withheldCount: withheld, lastAt: lastAt.flatMap { Moment($0, at: now) })
    }
}
