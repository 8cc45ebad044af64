import ErrorBus
import Foundation
import GRDB

/// The condition of a search as SQL.
///
/// Texts of others are compared by functions of this process, as lists compare them. They take the
/// texts as bytes: SQLite's own functions read a text up to its first U+0000.
struct HistoryQuery: Sendable {
    /// A function of a search, by its name in SQL.
    enum Function: String, CaseIterable, Sendable {
        /// Whether one of any number of texts contains the wanted one.
        case hasText
        /// Whether the notes, or the values and the comment of an answer, contain it.
        case hasTextInNotes, hasTextInAnswer
        /// Whether it stands in JSON as it is written there.
        case hasTextWritten
        /// Whether a domain matches.
        case isDomain
        /// Whether the domain in a JSON object matches.
        case isDomainWritten
    }

    let time: String
    /// The expression that orders rows of the same time.
    let place: String
    private var filter = HistoryFilter()
    private var conditions = ["TRUE"]
    private(set) var arguments: [DatabaseValue] = []
    private(set) var columns = "*"
    private(set) var grouping = ""

    init(time: String, place: String) { (self.time, self.place) = (time, place) }

    var condition: String { conditions.joined(separator: " AND ") }

    mutating func add(_ condition: String) { conditions.append(condition) }

    /// Takes the first in time of the rows that have the same value in a column.
    mutating func takeFirst(by column: String) {
        // The other columns are of the row with the least time.
        (columns, grouping) = ("*, min(\(time))", "GROUP BY \(column)")
    }

    mutating func add(_ condition: String, _ value: some DatabaseValueConvertible) {
        conditions.append(condition)
        arguments.append(value.databaseValue)
    }

    /// - Parameters:
    ///   - texts: Columns in which the text is searched.
    ///   - json: Columns of JSON in which the text is searched too, each by its function.
    ///   - people: Columns with a person's name.
    ///   - peopleOfNotes: A condition on the authors of notes, with one value.
    ///   - domain: The column with the domain, and its function.
    ///   - column: The column of a field: `origin`, `domain`, `option`.
    mutating func add(
        _ filter: HistoryFilter, texts: [String], json: [(Function, String)], people: [String],
        peopleOfNotes: String? = nil,
        domain: (function: Function, column: String),
        column: (String) -> String
    ) {
        self.filter = filter
        if filter.search != nil {
            let inJSON = json.map { "(\($1) IS NOT NULL AND \(Self.call($0, [$1])))" }
            let all = [Self.call(.hasText, texts)] + inJSON
            conditions.append("(\(all.joined(separator: " OR ")))")
        }
        if let person = filter.person {
            let alternatives = people.map { "\($0) GLOB ?" } + [peopleOfNotes].compactMap(\.self)
            conditions.append("(\(alternatives.joined(separator: " OR ")))")
            arguments += alternatives.map { _ in person.sql.databaseValue }
        }
        if let pattern = filter.domain { add(pattern, of: domain, column("domain")) }
        for (name, pattern) in [("origin", filter.origin), ("option", filter.option)] {
            if let pattern { add("\(column(name)) GLOB ?", pattern.sql) }
        }
        if let since = filter.since { add("\(time) >= ?", since) }
        if let until = filter.until {
            // The first condition is for the index.
            add("\(time) <= ?", String(until.prefix { $0 != "/" }))
            add("\(time) || '/' || \(place) < ?", until)
        }
    }

    private mutating func add(
        _ pattern: HistoryFilter.Pattern, of domain: (function: Function, column: String),
        _ expression: String
    ) {
        let isMatch = Self.call(domain.function, [domain.column])
        guard domain.function == .isDomainWritten else { return add(isMatch) }
        // Reading JSON here takes longer.
        add(
            """
            CASE WHEN instr(\(domain.column), '\\u0000') > 0 THEN \(isMatch)
                ELSE \(expression) GLOB ? END
            """, pattern.sql)
    }

    private static func call(_ function: Function, _ columns: [String]) -> String {
        let bytes = columns.map { "CAST(\($0) AS BLOB)" }
        return "\(function.rawValue)(\(bytes.joined(separator: ", ")))"
    }

    /// Gives a connection the functions of this search.
    func addFunctions(to database: Database) {
        for function in Function.allCases {
            let holds = condition(of: function)
            database.add(
                function: DatabaseFunction(function.rawValue) { values in
                    values.contains { value in Data.fromDatabaseValue(value).map(holds) ?? false }
                })
        }
    }

    private func condition(of function: Function) -> @Sendable (Data) -> Bool {
        let (search, domain) = (filter.search ?? TextSearch(""), filter.domain)
        switch function {
        case .hasText: return { search.isFound(in: String(decoding: $0, as: UTF8.self)) }
        case .hasTextInNotes:
            return { data in
                let notes = try? JSONDecoder().decode([HistoryNote].self, from: data)
                return notes?.contains {
                    search.isFound(in: $0.text) || search.isFound(in: $0.by)
                } ?? false
            }
        case .hasTextInAnswer:
            return { data in
                let given = try? GivenValues(payload: Array(data))
                return given?.searchedTexts.contains { search.isFound(in: $0) } ?? false
            }
        case .hasTextWritten:
            let written = TextSearch(Self.written(search.text))
            return { written.isFound(in: String(decoding: $0, as: UTF8.self)) }
        case .isDomain:
            return { domain?.matches(String(decoding: $0, as: UTF8.self)) ?? true }
        case .isDomainWritten:
            return { data in
                let fields = try? JSONDecoder().decode([String: String].self, from: data)
                return domain?.matches(fields?["domain"]) ?? true
            }
        }
    }

    /// The text as it is written within a string of a JSON column.
    private static func written(_ text: String) -> String {
        guard let json = try? JSONEncoder().encode(text) else { return text }
        return String(decoding: json.dropFirst().dropLast(), as: UTF8.self)
    }
}
