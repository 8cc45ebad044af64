import ErrorBus
import GRDB

extension SQLiteJournal: SilenceStore {
    /// More than can be active and kept at once.
    private static let silenceCountMax = 1_000

    func silences(at now: Moment) throws -> [Silence] {
        let rows = try readNow { database in
            // Those that end last first: all that are active are among them, and the last number.
            try SilenceRow.order(Column("endsAt").desc).limit(Self.silenceCountMax)
                .fetchAll(database)
        }
        return try rows.map { row in
            guard let silence = row.silence(at: now) else {
                throw Failure(
                    .badData, "journal \(path): silence \(row.number) cannot be read; remove it")
            }
            return silence
        }
    }

    func save(_ silence: Silence) async throws {
        let row = SilenceRow(silence)
        try await write { database in
            if let stored = try SilenceRow.fetchOne(database, key: row.number) {
                var row = row
                // Counted apart, and maybe not here yet.
                row.answered = stored.answered
                row.withheld = stored.withheld
                try row.update(database)
            } else {
                try row.insert(database)
                try database.execute(
                    sql: """
                        DELETE FROM silence WHERE number NOT IN
                            (SELECT number FROM silence ORDER BY endsAt DESC LIMIT ?)
                        """,
                    arguments: [Self.silenceCountMax])
            }
        }
    }

    func count(_ number: Int, isAnswered: Bool) async throws {
        let column = isAnswered ? "answered" : "withheld"
        let time = Self.now
        try await write { database in
            try database.execute(
                sql: "UPDATE silence SET \(column) = \(column) + 1, lastAt = ? WHERE number = ?",
                arguments: [time, number])
        }
    }
}
