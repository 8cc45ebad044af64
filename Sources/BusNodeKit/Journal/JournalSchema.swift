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
        migrator.registerMigration("21 shares of origins") { database in
            try database.alter(table: HistoryEventRow.databaseTableName) { table in
                table.add(column: "origin", .text).notNull().defaults(to: "")
                table.add(column: "rank", .integer).notNull()
                    .defaults(to: HistoryRank.byPeople.rawValue)
            }
            try database.execute(
                sql: """
                    UPDATE event SET rank = 0
                    WHERE event IN ('report', 'present', 'change', 'complete')
                    """)
            for (table, shares) in [
                (JournalRow.databaseTableName, JournalRow.shares),
                (HistoryRow.databaseTableName, HistoryRow.shares),
                (HistoryEventRow.databaseTableName, "rank, origin, time"),
            ] {
                try database.execute(sql: "CREATE INDEX \(table)_share ON \(table) (\(shares))")
            }
        }
        migrator.registerMigration("22 sign-outs") { database in
            try database.create(table: SignOutRow.databaseTableName) { table in
                table.autoIncrementedPrimaryKey("number")
                table.column("console", .integer).notNull()
                table.column("user", .text)
                table.column("label", .text).notNull()
            }
            try database.create(
                indexOn: SignOutRow.databaseTableName, columns: ["console", "user", "number"])
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
