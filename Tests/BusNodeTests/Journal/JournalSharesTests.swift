import ErrorBusTesting
import Foundation
import GRDB
import Logging
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// What goes first from a journal that has too much: nothing that others need.
struct JournalSharesTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("shares-\(UUID().uuidString)/central.sqlite").path

    /// Shows a presentation, which ends with an answer that recovers, or without one.
    @discardableResult
    private func ended(
        _ origin: NodeName, _ via: Answer.Via? = nil, byteCount: Int = 10,
        in journal: SQLiteJournal
    ) async throws -> PresentationID {
        let id = PresentationID.make()
        let text = String(repeating: "x", count: byteCount)
        let report = ErrorReport(domain: "com.acme", description: text)
        try await journal.shown(id, .init(origin: origin, digest: nil, report: report))
        guard let via else {
            try await journal.ended(id, .withdrawn)
            return id
        }
        let answer = Answer(option: "retry", by: "ann", via: via)
        try await journal.decided(id, answer)
        try await journal.settled(id, answer: answer.id, .recovered)
        return id
    }

    private func isKept(_ id: PresentationID, in journal: SQLiteJournal) async throws -> Bool {
        try await journal.record(of: id) != nil
    }

    @Test("A key that presents and withdraws in a loop pushes out neither decisions nor others")
    func withdrawn() async throws {
        let journal = try SQLiteJournal(path)
        let decided = try await ended("good", .person, in: journal)
        let automatic = try await ended("good", .policy, in: journal)
        let undecided = try await ended("modest", in: journal)
        var flood: [PresentationID] = []
        for number in 0..<50 {
            let name = NodeName(stringLiteral: "bad-\(number)")
            flood.append(try await ended(name, in: journal))
        }
        try await journal.prune(JournalRetention(count: 10))
        for id in [decided, automatic, undecided] {
            #expect(try await isKept(id, in: journal))
        }
        var kept = 0
        for id in flood {
            if try await isKept(id, in: journal) { kept += 1 }
        }
        #expect(kept == 7)
    }

    @Test("What a policy answers pushes out neither what people decided nor what it answers others")
    func automatic() async throws {
        let journal = try SQLiteJournal(path)
        let decided = try await ended("bad", .person, in: journal)
        let modest = try await ended("modest", .policy, in: journal)
        for _ in 0..<20 { try await ended("bad", .policy, in: journal) }
        let last = try await ended("bad", .policy, in: journal)
        try await journal.prune(JournalRetention(count: 3))
        for id in [decided, modest, last] { #expect(try await isKept(id, in: journal)) }
    }

    @Test("Above the size the origin with the most bytes loses its reports, in time")
    func size() async throws {
        let journal = try SQLiteJournal(path)
        let modest = try await ended("modest", byteCount: 2_000, in: journal)
        let retention = JournalRetention(megabytes: 3)
        await journal.pruneIfDue(retention, Logger(label: "test"))
        func flood() async throws {
            for _ in 0..<40 { try await ended("bad", byteCount: 100_000, in: journal) }
        }
        try await flood()
        // Far before the next regular time.
        await journal.pruneIfDue(retention, Logger(label: "test"))
        let count = try await journal.access { database in
            try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM presentation") ?? 0
        }
        #expect((10..<40).contains(count))
        #expect(try await isKept(modest, in: journal))
    }

    @Test("Where reports take the room that have to stay, the rest is pruned")
    func unsettled() async throws {
        let journal = try SQLiteJournal(path)
        let report = ErrorReport(
            domain: "com.acme", description: String(repeating: "x", count: 100_000))
        for _ in 0..<15 {
            let id = PresentationID.make()
            try await journal.shown(id, .init(origin: "good", digest: nil, report: report))
            try await journal.decided(id, Answer(option: "retry", by: "ann", via: .person))
        }
        let history = AuditHistory()
        for _ in 0..<1_000 {
            let what = PresentationEvent.What.presented(report, origin: "bad", path: ["bad"])
            history.record(PresentationEvent(.make(), what))
        }
        try await journal.keep([], history.numbered.map(\.event), console: 0)
        try await journal.prune(JournalRetention(megabytes: 2))
        let counts = try await journal.access { database in
            try ["presentation", "event"].map { table in
                try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \(table)") ?? 0
            }
        }
        #expect(counts[0] == 15 && counts[1] < 1_000)
    }

    @Test("Without growth a look prunes nothing before the time")
    func notDue() async throws {
        let journal = try SQLiteJournal(path)
        let logger = Logger(label: "test")
        let everything = JournalRetention(age: .seconds(-86_400))
        await journal.pruneIfDue(everything, logger)
        let id = try await ended("good", in: journal)
        for _ in 1..<SQLiteJournal.lookCountMax {
            await journal.pruneIfDue(everything, logger)
            #expect(try await isKept(id, in: journal))
        }
        await journal.pruneIfDue(everything, logger)
        #expect(try await !isKept(id, in: journal))
    }

    @Test("The events of what led to no decision go before those of people, fairly")
    func events() async throws {
        let journal = try SQLiteJournal(path)
        let history = AuditHistory()
        func record(_ origin: NodeName, _ via: Answer.Via? = nil) {
            let id = PresentationID.make()
            let report = ErrorReport(domain: "d", description: "x")
            let what = PresentationEvent.What.presented(report, origin: origin, path: [origin])
            history.record(PresentationEvent(id, what))
            guard let via else { return }
            let answer = Answer(option: "retry", by: "ann", via: via)
            history.record(PresentationEvent(id, .decided(answer, isRestored: false)))
        }
        record("good", .person)
        record("good", .policy)
        for _ in 0..<30 { record("bad") }
        try await journal.keep([], history.numbered.map(\.event), console: 0)
        try await journal.prune(JournalRetention(count: 2))
        let left = try await journal.access { database in
            try HistoryEventRow.order(Column("number")).fetchAll(database)
                .map { "\($0.event) \($0.origin)" }
        }
        #expect(left.filter { $0.hasSuffix("good") }.count == 4)
        #expect(left.count == 8)
    }

    @Test("After a restart a console has what people answered, also where more was withdrawn since")
    func restored() async throws {
        let journal = try SQLiteJournal(path)
        let report = ErrorReport(domain: "d", description: "x")
        let start = ManualTime().now
        func item(_ stage: InboxItem.Stage, after seconds: Int) -> InboxItem {
            let presentation = InboxPresentation(id: .make(), report: report)
            var item = InboxItem(presentation, group: 0, at: start, revision: 1)
            item.stage = stage
            item.changedAt = start + .seconds(seconds)
            return item
        }
        let answer = Answer(option: "retry", by: "ann", via: .person)
        let answered = item(.settled(answer, .recovered), after: 0)
        let others = (1...InboxLimits().endedMax).map { item(.closed(.withdrawn), after: $0) }
        let items = [answered] + others
        try await withThrowingTaskGroup(of: Void.self) { group in
            for item in items {
                group.addTask {
                    try await journal.shown(
                        item.id, .init(origin: nil, digest: nil, report: item.report))
                }
            }
            try await group.waitForAll()
        }
        try await journal.keep(items, [], console: 0)
        let kept = try journal.restore(console: 0, at: start + .seconds(10_000))
        #expect(kept.records.first?.presentation.id == answered.id)
        let inbox = Inbox("console")
        inbox.restore(kept.records)
        #expect(try inbox.item(answered.id).answer?.id == answer.id)
        #expect(try inbox.item(others[others.count - 1].id).hasEnded)
    }

    @Test("The shares of an origin are found by an index, in each table")
    func indexed() async throws {
        _ = try SQLiteJournal(path)
        let file = try DatabaseQueue(path: path)
        for (table, rank, origin, time) in [
            ("presentation", JournalRow.rank, "origin", JournalRow.endTime),
            ("history", HistoryRow.rank, HistoryRow.originOrNone, "changedAt"),
            ("event", "rank", "origin", "time"),
        ] {
            let plan = try await file.read { database in
                try Row.fetchAll(
                    database,
                    sql: """
                        EXPLAIN QUERY PLAN SELECT rowid FROM \(table)
                        WHERE \(rank) = 0 AND \(origin) = 'a' ORDER BY \(time)
                        """
                ).map { $0["detail"] as String }
            }
            #expect(plan.count == 1 && plan[0].contains("\(table)_share"), "\(plan)")
        }
    }
}
