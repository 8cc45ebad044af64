import ErrorBusTesting
import Foundation
import GRDB
import Logging
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Charts and times to answer, from a journal.
struct HistoryChartTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("chart-\(UUID().uuidString)/central.sqlite").path
    // The beginning of a bucket of every span.
    private let start = ManualTime(date: Date(timeIntervalSince1970: 1_795_219_200)).now

    private func archive() throws -> HistoryArchive { try #require(try HistoryArchive(path)) }

    private func event(
        _ count: AuditHistory.Count?, after seconds: TimeInterval
    ) -> AuditHistory.Event {
        AuditHistory.Event(
            time: start.date + seconds, event: "present", id: nil, fields: [:], sentence: "",
            count: count)
    }

    @Test("A chart counts what happened in each bucket of its span", arguments: ChartSpan.allCases)
    func chart(span: ChartSpan) async throws {
        let step = TimeInterval(span.step)
        let first = -step * TimeInterval(span.bucketCount - 1)
        let journal = try SQLiteJournal(path)
        try await journal.keep(
            [],
            [
                event(.presented, after: first - 1), event(.presented, after: first),
                event(.presented, after: -step), event(.answered, after: -1), event(nil, after: -1),
                event(.recovered, after: 0), event(.cancelled, after: step - 1),
                event(.unknown, after: 0),
            ], console: 0)
        try await journal.keep([], [event(.presented, after: 0)], console: 1)
        let now = start.date + step - 0.5
        let chart = try await archive().chart(span, console: 0, at: now)
        #expect(chart.span == span.rawValue && !chart.isCut)
        #expect(chart.stepMilliseconds == span.step * 1_000)
        #expect(chart.buckets.count == span.bucketCount)
        #expect(chart.buckets.first?.at == TimeText.text(start.date + first))
        #expect(chart.buckets.first?.bucket == AuditHistory.Bucket(presented: 1))
        #expect(
            chart.buckets.suffix(2).map(\.bucket) == [
                AuditHistory.Bucket(presented: 1, answered: 1),
                AuditHistory.Bucket(recovered: 1, cancelled: 1, unknown: 1),
            ])
        #expect(chart.buckets.dropFirst().dropLast(2).allSatisfy { $0.bucket == .init() })
        // Of more only the latest count.
        let latest = try await archive().chart(span, console: 0, at: now, countMax: 4)
        #expect(latest.isCut)
        #expect(latest.buckets.first?.bucket == AuditHistory.Bucket())
    }

    /// Presented after some seconds, and answered so many later.
    private func keep(
        _ journal: SQLiteJournal, console: Int = 0, at seconds: Int = 0, wait: Int?,
        _ severity: Severity = .error, domain: String = "disk", via: Answer.Via = .person
    ) async throws {
        let opened = start + .seconds(seconds)
        var report = ErrorReport(domain: domain, description: "It failed.")
        report.severity = severity
        let id = PresentationID.make()
        var item = InboxItem(
            InboxPresentation(id: id, report: report), group: 0, at: opened, revision: 1)
        if wait != nil {
            item.stage = .settled(Answer(option: "ok", by: "ann", via: via), .recovered)
        }
        try await journal.keep([item], [], console: console)
        let shown = TimeText.text(opened.date)
        let decided = wait.map { TimeText.text(opened.date + TimeInterval($0)) }
        try await journal.access { database in
            try database.execute(
                sql: """
                    INSERT INTO presentation
                        (id, origin, digest, report, shownAt, decidedAt, checksum)
                    VALUES (?, '', '', X'', ?, ?, 0)
                    """, arguments: [id.description, shown, decided])
        }
    }

    @Test("Times to answer are those of people, in all, by severity and by domain")
    func waits() async throws {
        let journal = try SQLiteJournal(path)
        for wait in (1...10).reversed() { try await keep(journal, wait: wait) }
        try await keep(journal, wait: 100, .critical, domain: "net")
        try await keep(journal, wait: nil)
        try await keep(journal, wait: 50, via: .policy)
        try await keep(journal, console: 1, wait: 60)
        try await keep(journal, at: -90_000, wait: 70)
        func words(_ views: [WaitView]) -> [String] {
            views.map {
                "\($0.what) \($0.count) \($0.medianMilliseconds) \($0.percentile90Milliseconds)"
            }
        }
        let now = start.date + 60
        let waits = try await archive().waits(.day, console: 0, at: now)
        let all = try #require(waits.all)
        #expect(words([all]) == [" 11 6000 10000"])
        #expect(words(waits.bySeverity) == ["error 10 5000 9000", "critical 1 100000 100000"])
        #expect(words(waits.byDomain) == ["disk 10 5000 9000", "net 1 100000 100000"])
        #expect(waits.countMax == ConsoleLimits.waitCountMax)
        #expect(try await archive().waits(.week, console: 0, at: now).all?.count == 12)
        // Of more only the latest presentations are compared.
        try await keep(journal, at: 10, wait: 30)
        let latest = try await archive().waits(.day, console: 0, at: now, countMax: 1)
        #expect(latest.countMax == 1 && words(latest.byDomain) == ["disk 1 30000 30000"])
    }

    @Test("An answer before its presentation, by a clock that was set back, took no time")
    func waitOfClockSetBack() async throws {
        let journal = try SQLiteJournal(path)
        try await keep(journal, wait: -30)
        let waits = try await archive().waits(.day, console: 0, at: start.date + 60)
        let all = try #require(waits.all)
        #expect(all.count == 1)
        #expect(all.medianMilliseconds == 0 && all.percentile90Milliseconds == 0)
    }

    @Test("Without answers of people there are no times, and of many domains the most frequent")
    func waitsOfNone() async throws {
        let journal = try SQLiteJournal(path)
        let now = start.date + 60
        let none = try await archive().waits(.day, console: 0, at: now)
        #expect(none.all == nil && none.bySeverity.isEmpty && none.byDomain.isEmpty)
        for number in 0...ConsoleLimits.waitPartMax {
            try await keep(journal, wait: 1, domain: "d\(number)")
        }
        let last = "d\(ConsoleLimits.waitPartMax)"
        try await keep(journal, wait: 2, domain: last)
        let waits = try await archive().waits(.day, console: 0, at: now)
        #expect(waits.byDomain.count == ConsoleLimits.waitPartMax)
        #expect(waits.byDomain.first?.what == last)
    }

    @Test("A console has the last hour without a journal, and longer times with one")
    func spans() async throws {
        let console = try Console(
            ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080")), of: "central",
            in: Topology(nodes: [:]), logger: Logger(label: "test"))
        let api = ConsoleAPI(console, clock: ManualClock())
        let problem = await #expect(throws: APIProblem.self) { try await api.chart(.day) }
        #expect(problem?.word == "notKept")
        let hour = try await api.chart(.hour)
        #expect(hour.buckets.count == 60 && hour.waits == nil)
        try console.keepHistory(in: try SQLiteJournal(path), number: 0)
        console.history.record(.decided(.make(), "retry", by: "ann"))
        // What the journal lacks is written first.
        for span in ChartSpan.allCases {
            let chart = try await api.chart(span)
            #expect(chart.buckets.map(\.bucket.answered).reduce(0, +) == 1)
            #expect(chart.waits?.bySeverity.isEmpty == true)
        }
    }

    @Test("The last hour survives a restart, also when it has more events than the audit keeps")
    func restartedHour() async throws {
        let (count, time) = (ConsoleLimits.auditEventMax + 7, TimeText.now)
        let journal = try SQLiteJournal(path)
        try await journal.access { database in
            try database.execute(
                sql: """
                    WITH RECURSIVE place (number) AS (
                        SELECT 1 UNION ALL SELECT number + 1 FROM place WHERE number < :count)
                    INSERT INTO event (console, time, event, id, fields, sentence, count)
                    SELECT 0, :time, 'present', '', '{}', '', 'presented' FROM place
                    """, arguments: ["count": count, "time": time])
        }
        let console = try Console(
            ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080")), of: "central",
            in: Topology(nodes: [:]), logger: Logger(label: "test"))
        try console.keepHistory(in: journal, number: 0)
        let chart = try await ConsoleAPI(console, clock: ManualClock()).chart(.hour)
        #expect(chart.buckets.map(\.bucket.presented).reduce(0, +) == count)
        #expect(console.history.numbered.count == ConsoleLimits.auditEventMax)
        console.history.record(.decided(.make(), "retry", by: "ann"))
        #expect(console.history.chart().map(\.bucket.answered).reduce(0, +) == 1)
    }

    @Test("The last hour is shown while the journal cannot be read, without times to answer")
    func unreadJournal() async throws {
        let console = try Console(
            ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080")), of: "central",
            in: Topology(nodes: [:]), logger: Logger(label: "test"))
        let api = ConsoleAPI(console, clock: ManualClock())
        let journal = try SQLiteJournal(path)
        try console.keepHistory(in: journal, number: 0)
        console.history.record(.decided(.make(), "retry", by: "ann"))
        #expect(try await api.chart(.hour).waits != nil)
        // As in a damaged file.
        try await journal.access { try $0.execute(sql: "DROP TABLE presentation") }
        let hour = try await api.chart(.hour)
        #expect(hour.buckets.map(\.bucket.answered).reduce(0, +) == 1)
        #expect(hour.waits == nil)
        await #expect(throws: APIProblem.self) { try await api.chart(.day) }
    }
}
