import GRDB

/// The journal's tables, by the version that brought them. A migration never changes: a later one
/// is added.
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
        return migrator
    }
}
