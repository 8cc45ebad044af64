import GRDB
import Logging

/// A row that a journal keeps beside decisions: a node goes on without a row that it cannot read.
protocol KeptRow: FetchableRecord, TableRecord {
    /// The name of such rows, in the plural, for people.
    static var rows: String { get }
}

extension LetterRow: KeptRow { static let rows = "undelivered messages of hooks" }
extension SilenceRow: KeptRow { static let rows = "silences" }
extension SignOutRow: KeptRow { static let rows = "sign-outs" }
extension ViewRow: KeptRow { static let rows = "saved views" }
extension HistoryRow: KeptRow { static let rows = "presentations of the history" }
extension HistoryEventRow: KeptRow { static let rows = "events of the history" }

/// Rows that could not be read and were set aside.
struct RowsSetAside: CustomStringConvertible, Hashable {
    /// The most rows set aside in a journal; the oldest go.
    static let countMax = 1_000

    let path: String
    let rows: String
    let count: Int

    var description: String {
        "journal \(path): \(count) of the \(rows) cannot be read; the node goes on without, and "
            + "has them in the table setAside: make again what is needed of them, as shown by "
            + "sqlite3 \(path) \"SELECT * FROM setAside\""
    }
}

extension SQLiteJournal {
    /// The values of rows, without unreadable rows, which are set aside and logged.
    ///
    /// - Parameter value: The value of a row; nil for an invalid row.
    func readable<Kept: KeptRow, Value>(
        _ rows: QueryInterfaceRequest<Kept>, in database: Database, _ value: (Kept) -> Value?
    ) throws -> [Value] {
        var values: [Value] = []
        var bad: [Int64] = []
        let place = Column.rowID.forKey("place")
        let found = try Row.fetchCursor(database, rows.annotated(with: place))
        while let row = try found.next() {
            if let kept = try? Kept(row: row), let known = value(kept) {
                values.append(known)
            } else {
                bad.append(row["place"])
            }
        }
        guard !bad.isEmpty else { return values }
        try Self.setAside(bad, of: Kept.databaseTableName, in: database)
        let problem = RowsSetAside(path: path, rows: Kept.rows, count: bad.count)
        logger.warning("journal: rows set aside", metadata: ["problem": "\(problem)"])
        return values
    }

    /// Moves rows, with their values as SQL writes them.
    private static func setAside(
        _ places: [Int64], of table: String, in database: Database
    ) throws {
        let content = try database.columns(in: table)
            .map { "'\($0.name) = ' || quote(\"\($0.name)\")" }.joined(separator: " || ', ' || ")
        for place in places {
            try database.execute(
                sql: """
                    INSERT INTO setAside (source, content, at)
                    SELECT '\(table)', \(content), ? FROM \(table) WHERE rowid = ?
                    """,
                arguments: [TimeText.now, place])
            try database.execute(
                sql: "DELETE FROM \(table) WHERE rowid = ?", arguments: [place])
        }
        try database.execute(
            sql: "DELETE FROM setAside WHERE number <= (SELECT MAX(number) FROM setAside) - ?",
            arguments: [RowsSetAside.countMax])
    }
}
