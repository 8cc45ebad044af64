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
        let (buckets, count) = try await read(database) { database in
            try Self.buckets(span, console: console, at: now, countMax: countMax, database)
        }
        let begins = span.begins(at: now)
        var view = ChartView(span, zip(begins, buckets).map { BucketView(Self.date($0), $1) })
        view.isCut = count == countMax
        return view
    }

    /// The counts of a console's events in the buckets of a span, and the number of these events.
    ///
    /// - Parameter countMax: The most events that are counted, the latest.
    static func buckets(
        _ span: ChartSpan, console: Int, at now: Date,
        countMax: Int = ConsoleLimits.chartEventMax, _ database: Database
    ) throws -> (buckets: [AuditHistory.Bucket], count: Int) {
        let first = span.begins(at: now)[0]
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT (CAST(strftime('%s', time) AS INTEGER) - :first) / :step, count, COUNT(*)
                FROM (
                    SELECT time, count FROM event
                    WHERE console = :console AND time >= :since AND count IS NOT NULL
                    ORDER BY time DESC LIMIT :rowMax)
                GROUP BY 1, 2
                """,
            arguments: [
                "console": console, "since": TimeText.text(date(first)), "first": first,
                "step": span.step, "rowMax": countMax,
            ])
        var buckets = span.begins(at: now).map { _ in AuditHistory.Bucket() }
        var total = 0
        for row in rows {
            guard let place = Int.fromDatabaseValue(row[0]),
                let word = String.fromDatabaseValue(row[1]),
                let rowCount = Int.fromDatabaseValue(row[2])
            else { continue }
            total += rowCount
            guard buckets.indices.contains(place), let count = AuditHistory.Count(rawValue: word)
            else { continue }
            buckets[place][keyPath: count.property] += rowCount
        }
        return (buckets, total)
    }

    /// The counts of a console's last hour, minute by minute, for a console that starts.
    static func lastHour(
        of console: Int, at now: Date, _ database: Database
    ) throws -> [(at: Date, bucket: AuditHistory.Bucket)] {
        let counted = try buckets(.hour, console: console, at: now, database).buckets
        return zip(ChartSpan.hour.begins(at: now), counted).map { (at: date($0), bucket: $1) }
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
}

extension WaitView {
    fileprivate init(_ row: Row) {
        what = String.fromDatabaseValue(row["what"]) ?? ""
        count = row["count"]
        medianMilliseconds = row["median"] ?? 0
        percentile90Milliseconds = row["percentile90"] ?? 0
    }
}
