import ErrorBus
import Foundation
import GRDB

// What a chart shows. Each query reads a limited number of rows, the latest, by an index.
extension HistoryArchive {
    /// The events of a console, without times to answer.
    ///
    /// - Parameter countMax: The most events that are counted, the latest.
    func chart(
        _ span: ChartSpan, console: Int, at now: Date,
        countMax: Int = ConsoleLimits.chartEventMax
    ) async throws(Failure) -> ChartView {
        let begins = span.begins(at: now)
        let first = begins[0]
        let arguments: StatementArguments = [
            "console": console, "since": TimeText.text(Self.date(first)),
            "first": first, "step": span.step, "rowMax": countMax,
        ]
        let rows = try await counts(
            """
            SELECT (CAST(strftime('%s', time) AS INTEGER) - :first) / :step, count, COUNT(*)
            FROM (
                SELECT time, count FROM event
                WHERE console = :console AND time >= :since AND count IS NOT NULL
                ORDER BY time DESC LIMIT :rowMax)
            GROUP BY 1, 2
            """, arguments)
        var view = ChartView(span, begins.map { BucketView(Self.date($0)) })
        for row in rows where view.buckets.indices.contains(row.place) {
            guard let count = AuditHistory.Count(rawValue: row.word) else { continue }
            view.buckets[row.place].bucket[keyPath: count.property] += row.count
        }
        view.isCut = rows.reduce(0) { $0 + $1.count } == countMax
        return view
    }

    /// The times that people took to answer the presentations of a console.
    ///
    /// - Parameter countMax: The most presentations that are compared, the latest.
    func waits(
        _ span: ChartSpan, console: Int, at now: Date,
        countMax: Int = ConsoleLimits.waitCountMax
    ) async throws(Failure) -> WaitsView {
        let arguments: StatementArguments = [
            "console": console, "since": TimeText.text(Self.date(span.begins(at: now)[0])),
            "rowMax": countMax, "person": Answer.Via.person.rawValue,
            "partMax": ConsoleLimits.waitPartMax,
        ]
        var view = WaitsView()
        view.countMax = countMax
        view.all = try await waits(of: "''", arguments).first
        view.bySeverity = try await waits(of: "history.severity", arguments)
        view.byDomain = try await waits(of: "history.domain", arguments)
        return view
    }

    /// The times to answer, by the value of an expression. A percentile is the time of the answer
    /// at that place in their order.
    private func waits(
        of expression: String, _ arguments: StatementArguments
    ) async throws(Failure) -> [WaitView] {
        try await read(database) { database in
            try Row.fetchAll(
                database,
                sql: """
                    WITH latest AS (
                        SELECT \(expression) AS what, id, openedAt, via FROM history
                        WHERE console = :console AND openedAt >= :since
                        ORDER BY openedAt DESC LIMIT :rowMax
                    ), waited AS (
                        SELECT what, CAST(round(
                            MAX(0, julianday(decidedAt) - julianday(openedAt)) * 86400000
                            ) AS INTEGER) AS wait
                        FROM latest JOIN presentation ON presentation.id = latest.id
                        WHERE latest.via = :person AND decidedAt IS NOT NULL
                    ), ranked AS (
                        SELECT what, wait, ROW_NUMBER() OVER same AS place,
                            COUNT(*) OVER (PARTITION BY what) AS count
                        FROM waited WINDOW same AS (PARTITION BY what ORDER BY wait)
                    )
                    SELECT what, count,
                        MIN(CASE WHEN place * 2 >= count THEN wait END) AS median,
                        MIN(CASE WHEN place * 10 >= count * 9 THEN wait END) AS percentile90
                    FROM ranked GROUP BY what ORDER BY count DESC, what LIMIT :partMax
                    """, arguments: arguments
            ).map(WaitView.init)
        }
    }

    private static func date(_ seconds: Int) -> Date {
        Date(timeIntervalSince1970: TimeInterval(seconds))
    }

    /// The rows of a place, a word and a count.
    private func counts(
        _ sql: String, _ arguments: StatementArguments
    ) async throws(Failure) -> [(place: Int, word: String, count: Int)] {
        try await read(database) { database in
            try Row.fetchAll(database, sql: sql, arguments: arguments).compactMap {
                row -> (place: Int, word: String, count: Int)? in
                guard let place = Int.fromDatabaseValue(row[0]),
                    let word = String.fromDatabaseValue(row[1])
                else { return nil }
                return (place, word, row[2])
            }
        }
    }
}

extension WaitView {
    fileprivate init(_ row: Row) {
        what = String.fromDatabaseValue(row["what"]) ?? ""
        count = row["count"]
        medianMilliseconds = row["median"] ?? 0
        percentile90Milliseconds = row["percentile90"] ?? 0
    }
}
