package import ErrorBus
import Foundation
import GRDB

/// The history in a journal, for searches. Readable whether or not its node runs; no answer waits
/// for it.
package final class HistoryArchive: Sendable {
    let path: String
    let database: DatabaseQueue
    /// A connection of its own for lookups, since a search may take long.
    let lookups: DatabaseQueue

    /// The archive of a journal; nil if there is no journal yet.
    ///
    /// - Throws: When it cannot be read, or is of an earlier version.
    package init?(_ path: String) throws(Failure) {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        self.path = path
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        do {
            database = try DatabaseQueue(path: path, configuration: configuration)
            lookups = try DatabaseQueue(path: path, configuration: configuration)
            try JournalSchema.expectUpdated(lookups, path)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw JournalFiles.unread(path, error)
        }
    }

    /// Reads with ``database`` or ``lookups``.
    func read<Value: Sendable>(
        _ queue: DatabaseQueue, _ value: @Sendable (Database) throws -> Value
    ) async throws(Failure) -> Value {
        do {
            return try await queue.read(value)
        } catch {
            throw JournalFiles.unread(path, error)
        }
    }

    /// The presentations that match, newest first.
    ///
    /// - Parameters:
    ///   - console: The number of the console in its node; nil for all: then a presentation at
    ///     several consoles counts once, as the last console that changed it has it, with the notes
    ///     of each.
    ///   - limit: The most presentations.
    package func presentations(
        _ filter: HistoryFilter, console: Int? = nil, limit: Int
    ) async throws(Failure) -> HistoryPage<HistoryEntry> {
        var query = HistoryQuery(time: "openedAt", place: "id")
        query.add(
            filter,
            texts: [
                "description", "failureReason", "domain", "origin", "id", "option", "optionTitle",
                "answeredBy", "second", "claimedBy", "proposedBy", "reason",
            ],
            json: [(.hasTextInNotes, "notes"), (.hasTextInAnswer, "answerValues")],
            people: ["answeredBy", "second", "claimedBy", "proposedBy"],
            peopleOfNotes: HistoryRow.isNoteBy,
            domain: (.isDomain, "domain")
        ) { $0 }
        if let severities = filter.severities {
            let words = severities.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            query.add("severity IN (\(words))")
        }
        if let end = filter.end { query.add("COALESCE(ending, stage) GLOB ?", end.sql) }
        if console == nil { query.takeFirst(by: "id") }
        let rows: [HistoryRow] = try await rows(query, console, limit + 1)
        let found = Array(rows.prefix(limit))
        return HistoryPage(
            entries: try await (console == nil ? joined(found) : found).map(HistoryEntry.init),
            next: rows.count > limit ? rows[limit - 1].timeKey : nil)
    }

    /// The presentations as all consoles together have them.
    private func joined(_ rows: [HistoryRow]) async throws(Failure) -> [HistoryRow] {
        guard !rows.isEmpty else { return [] }
        return try await read(database) { database in
            let consoles = try Int.fetchAll(database, sql: "SELECT DISTINCT console FROM history")
            guard consoles.count > 1 else { return rows }
            return try rows.map { row in
                let all = try consoles.compactMap { console in
                    try HistoryRow.fetchOne(database, key: ["console": console, "id": row.id])
                }
                var joined = all.max { $0.changedAt < $1.changedAt } ?? row
                joined.openedAt = row.openedAt
                joined.notes = all.flatMap { $0.notes ?? [] }.sorted { $0.at < $1.at }
                return joined
            }
        }
    }

    /// The events that match, newest first.
    ///
    /// - Parameter console: The number of the console in its node; nil for all. Each console has
    ///   the acts of people at it, and all consoles have the events of the node.
    package func events(
        _ filter: HistoryFilter, console: Int? = nil, limit: Int
    ) async throws(Failure) -> HistoryPage<EventView> {
        var query = HistoryQuery(time: "time", place: HistoryEventRow.place)
        query.add(
            filter, texts: ["event", "id", "sentence"], json: [(.hasTextWritten, "fields")],
            people: ["person", "json_extract(fields, '$.second')"],
            domain: (.isDomainWritten, "fields")
        ) { "json_extract(fields, '$.\($0)')" }
        if console == nil { query.add(HistoryEventRow.isCountedOnce) }
        let rows: [HistoryEventRow] = try await rows(query, console, limit + 1)
        return HistoryPage(
            entries: rows.prefix(limit).compactMap { $0.audited?.view },
            next: rows.count > limit ? rows[limit - 1].timeKey : nil)
    }

    /// A presentation by its id; nil if the journal has none.
    func presentation(_ id: PresentationID, console: Int) async throws(Failure) -> HistoryEntry? {
        try await read(lookups) { database in
            try HistoryRow.fetchOne(
                database, sql: "SELECT * FROM history WHERE console = ? AND id = ?",
                arguments: [console, id.description]
            ).map(HistoryEntry.init)
        }
    }

    /// The latest events of a presentation, oldest first.
    ///
    /// - Parameter end: The last moment that counts.
    func events(
        of id: PresentationID, console: Int, upTo end: String
    ) async throws(Failure) -> [EventView] {
        try await read(lookups) { database in
            try HistoryEventRow.fetchAll(
                database,
                sql: """
                    SELECT * FROM event WHERE id = ? AND console = ? AND time <= ?
                    ORDER BY number DESC LIMIT \(ConsoleLimits.pageMax)
                    """, arguments: [id.description, console, end]
            ).reversed().compactMap { $0.audited?.view }
        }
    }

    /// Other presentations of the same cause, and the results of their options.
    ///
    /// - Parameter since: The first moment that counts.
    func earlier(
        than id: PresentationID, of report: ErrorReport, console: Int, since: Date
    ) async throws(Failure) -> EarlierView {
        let condition = "console = ? AND cause = ? AND openedAt >= ? AND id <> ?"
        let arguments: StatementArguments = [
            console, HistoryRow.cause(of: report), TimeText.text(since), id.description,
        ]
        // What it repeats has failed again: the journal has that a moment later.
        let repeated = report.retryOf?.description
        let counted: StatementArguments = [repeated, repeated]
        return try await read(lookups) { database in
            var view = EarlierView()
            view.since = TimeText.text(since)
            view.count =
                try Int.fetchOne(
                    database, sql: "SELECT COUNT(*) FROM history WHERE \(condition)",
                    arguments: arguments) ?? 0
            // A result that the same failure followed did not help.
            view.options = try Row.fetchAll(
                database,
                sql: """
                    SELECT option, COUNT(*) AS answered,
                        SUM(result = 'recovered' AND failedAgain IS NULL AND id IS NOT ?)
                            AS recovered,
                        SUM(result = 'failed' OR failedAgain IS NOT NULL OR id IS ?) AS failed
                    FROM history WHERE \(condition) AND result IS NOT NULL
                    GROUP BY option ORDER BY answered DESC, option
                    LIMIT \(EarlierView.optionMax)
                    """, arguments: counted + arguments
            ).map(EarlierOptionView.init)
            view.latest = try HistoryRow.fetchAll(
                database,
                sql: """
                    SELECT * FROM history WHERE \(condition)
                    ORDER BY openedAt DESC, id DESC LIMIT \(EarlierView.latestMax)
                    """, arguments: arguments
            ).map { HistoryEntry($0.id == repeated ? $0.failingAgain(as: id) : $0) }
            return view
        }
    }

    private func rows<Row: FetchableRecord & TableRecord & Sendable>(
        _ query: HistoryQuery, _ console: Int?, _ limit: Int
    ) async throws(Failure) -> [Row] {
        var query = query
        if let console { query.add("console = ?", console) }
        let request = query
        return try await read(database) { database in
            guard try database.tableExists(Row.databaseTableName) else { return [] }
            request.addFunctions(to: database)
            return try Row.fetchAll(
                database,
                sql: """
                    SELECT \(request.columns) FROM \(Row.databaseTableName)
                    WHERE \(request.condition) \(request.grouping)
                    ORDER BY \(request.time) DESC, \(request.place) DESC LIMIT \(limit)
                    """,
                arguments: StatementArguments(request.arguments))
        }
    }
}

/// A part of a list, newest first.
package struct HistoryPage<Entry: JSONObject & Sendable>: Sendable {
    package var entries: [Entry]
    /// The `until` of the next part; nil for the last part.
    package var next: String?
}

/// Other presentations of the same cause within a time.
package struct EarlierView: JSONObject, Sendable {
    /// The number of days that the search goes back.
    static let days = 7
    static let optionMax = 32
    static let latestMax = 5
    /// The characters of an answer's values in a line; the presentation has all of them.
    private static let valueScalarMax = 160

    package var since = ""
    package var count = 0
    /// The chosen options with a result, the most frequent first.
    package var options: [EarlierOptionView] = []
    /// The latest presentations, newest first.
    package var latest: [HistoryEntry] = []

    package init() {}

    package static let members: [JSONMember<EarlierView>] = [
        .init("since", \.since), .init("count", \.count), .init("options", \.options),
        .init("latest", \.latest),
    ]
}

/// The results of an option in earlier presentations.
package struct EarlierOptionView: JSONObject, Sendable {
    package var option = ""
    package var answered = 0
    /// The number of recoveries without another failure of the same operation.
    package var recovered = 0
    package var failed = 0

    package init() {}

    package static let members: [JSONMember<EarlierOptionView>] = [
        .init("option", \.option), .init("answered", \.answered), .init("recovered", \.recovered),
        .init("failed", \.failed),
    ]

    fileprivate init(_ row: Row) {
        option = row["option"] ?? ""
        answered = row["answered"] ?? 0
        recovered = row["recovered"] ?? 0
        failed = row["failed"] ?? 0
    }
}

extension HistoryRow {
    /// The condition that a note is by a person.
    fileprivate static let isNoteBy =
        "EXISTS (SELECT 1 FROM json_each(notes) WHERE json_extract(value, '$.by') GLOB ?)"

    var timeKey: String { "\(openedAt)/\(id)" }
}

extension HistoryEventRow {
    /// Whether the row is an act at a console, or an event of the node as the node's first console
    /// has it.
    fileprivate static var isCountedOnce: String {
        let words = PresentationEvent.Word.allCases.map { "'\($0.rawValue)'" }
        return "(console = 0 OR event NOT IN (\(words.joined(separator: ", "))))"
    }

    /// The number as a text with the same order.
    static let place = "printf('%012d', number)"

    var timeKey: String { Self.timeKey(time, Int(number ?? 0)) }

    static func timeKey(_ time: String, _ number: Int) -> String {
        let digits = String(number)
        return "\(time)/\(String(repeating: "0", count: max(0, 12 - digits.count)))\(digits)"
    }
}

// Earlier presentations of the same cause, in words. Not escaped.
extension EarlierView {
    /// The number of times that each option helped, by its id.
    var results: [String: String] {
        Dictionary(
            options.map {
                ($0.option, "recovered \($0.recovered) of \($0.answered) in \(Self.days) days")
            }
        ) { first, _ in first }
    }

    /// The number of presentations, and the latest ones; empty without any.
    var lines: [String] {
        guard count > 0 else { return [] }
        let times = count == 1 ? "once" : "\(count) times"
        return ["the same \(times) in \(Self.days) days"]
            + latest.map { past in
                let values = past.valueText.clipped(Self.valueScalarMax)
                let answer = past.optionShown.map { "\($0)\(values) by \(past.authors): " } ?? ""
                return "\(past.openedAt) \(answer)\(past.ending ?? past.stage)"
            }
    }
}
