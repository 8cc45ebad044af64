import ErrorBus
import GRDB

/// The silences of one console in its node's journal.
struct JournalSilences: SilenceStore {
    /// The most silences to read, more than can be active and kept at once.
    private static let countMax = 1_000
    /// The numbers that a console gives. Another number means a damaged row: the number after it
    /// might be too large for JSON or for this process.
    static let numbers: ClosedRange<Int> = 1...(1 << 53)
    /// The numbers of presentations that a silence can have answered or withheld, for the same
    /// reason.
    static let counts: ClosedRange<Int> = 0...(1 << 53)

    let journal: SQLiteJournal
    /// The console's number in its node.
    let console: Int

    func silences(at now: Moment) throws -> [Silence] {
        try journal.writeNow { database in
            // Latest end first: this includes all active ones, and the last number.
            let latest = SilenceRow.filter(Column("console") == console)
                .order(Column("endsAt").desc).limit(Self.countMax)
            return try journal.readable(latest, in: database) { $0.silence(at: now) }
        }
    }

    func lastNumber() throws -> Int {
        // What is set aside has its values as text, in the order of the columns.
        let beginning = "console = \(console), number = "
        return try journal.writeNow { database in
            try Int.fetchOne(
                database,
                sql: """
                    SELECT max(number) FROM (
                        SELECT number FROM silence WHERE console = ?1
                        UNION ALL
                        SELECT CAST(substr(content, length(?2) + 1) AS INTEGER) FROM setAside
                        WHERE source = 'silence' AND substr(content, 1, length(?2)) = ?2)
                    WHERE number <= ?3
                    """,
                arguments: [console, beginning, Self.numbers.upperBound])
        } ?? 0
    }

    func save(_ silence: Silence) async throws {
        let row = SilenceRow(silence, of: console)
        try await journal.access { database in
            if let stored = try SilenceRow.fetchOne(
                database, key: ["console": row.console, "number": row.number])
            {
                var row = row
                // Counts are stored separately, and may not be in `stored` yet.
                row.answered = stored.answered
                row.withheld = stored.withheld
                try row.update(database)
            } else {
                try row.insert(database)
                try database.execute(
                    sql: """
                        DELETE FROM silence WHERE console = ?1 AND number NOT IN
                            (SELECT number FROM silence WHERE console = ?1
                             ORDER BY endsAt DESC LIMIT ?2)
                        """,
                    arguments: [row.console, Self.countMax])
            }
        }
    }

    func count(_ number: Int, isAnswered: Bool) async throws {
        let column = isAnswered ? "answered" : "withheld"
        let time = TimeText.now
        try await journal.access { [console] database in
            try database.execute(
                sql: """
                    UPDATE silence SET \(column) = \(column) + 1, lastAt = ?
                    WHERE console = ? AND number = ?
                    """,
                arguments: [time, console, number])
        }
    }
}
