import ErrorBus
import GRDB

/// The ended sign-ins of one console in its node's journal.
struct JournalSignOuts: Sendable {
    let journal: SQLiteJournal
    /// The console's number in its node.
    let console: Int
    /// The most of one user that are remembered one by one; the journal keeps one more, which marks
    /// those up to it as ended.
    var countMax = ConsoleSessions.endedCountMax

    /// Those of all users, the oldest first.
    func signOuts() throws -> [SignOutRow] {
        try journal.writeNow { database in
            let own = SignOutRow.filter(Column("console") == console).order(Column("number"))
            return try journal.readable(own, in: database) { $0 }
        }
    }

    /// Stores a sign-out, in place of the user's oldest sign-in above the limit. Durable when this
    /// returns.
    ///
    /// - Parameter user: The name of the user; nil if people share one token.
    func keep(_ label: ConsoleSessions.Label, of user: String?) async throws {
        let row = SignOutRow(console: console, user: user, label: label)
        try await journal.access { [countMax] database in
            try row.insert(database)
            try database.execute(
                sql: """
                    DELETE FROM signOut WHERE console = ?1 AND user IS ?2 AND label < (
                        SELECT label FROM signOut WHERE console = ?1 AND user IS ?2
                        ORDER BY label DESC LIMIT 1 OFFSET ?3)
                    """,
                arguments: [row.console, row.user, countMax])
        }
    }
}

/// One ended sign-in in the journal.
struct SignOutRow: WholeTextRow, Hashable {
    static let databaseTableName = "signOut"

    /// The order of the rows; nil before the row is stored.
    var number: Int64?
    /// The number of the console in its node.
    var console: Int
    /// The name of the user; nil if people share one token.
    var user: String?
    /// The label of the sign-in, without the token.
    var label: String
}
