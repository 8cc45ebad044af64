import ErrorBus
import Foundation
import GRDB
import Testing

@testable import BusNodeKit

/// Which records stay when a journal is pruned, by what was written in them before.
struct JournalPruningTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("pruning-\(UUID().uuidString)/central.sqlite").path
    private let id = PresentationID.make()
    private let asked = DecisionRecord.Asked(
        origin: "worker", digest: nil,
        report: ErrorReport(domain: "com.acme", code: 7, description: "It failed."))
    private let answer = Answer(option: "retry", by: "ann", via: .person)
    /// A time after every other one here.
    private let later = Date(timeIntervalSince1970: 4_000_000_000)
    /// Every record is older than this.
    private let everything = JournalRetention(age: .seconds(-86_400))

    @Test("The answer after a lost one has no result of the lost one, and stays")
    func answerAfterLostOne() async throws {
        let journal = try SQLiteJournal(path)
        try await journal.shown(id, asked)
        try await journal.decided(id, answer)
        try await journal.settled(id, answer: answer.id, .unknown)
        try await journal.lost(id, answer: answer.id)
        let other = Answer(option: "skip", by: "bob", via: .person)
        try await journal.decided(id, other)
        #expect(try await journal.record(of: id)?.state == .decided(other, nil))
        try await journal.prune(everything)
        #expect(try await journal.record(of: id)?.state == .decided(other, nil))
    }

    @Test("An answer without a result stays when its presentation has ended here")
    func endedAfterAnswer() async throws {
        let journal = try SQLiteJournal(path)
        try await journal.shown(id, asked)
        try await journal.decided(id, answer)
        try await journal.ended(id, .withdrawn)
        try await journal.prune(everything)
        #expect(try await journal.record(of: id)?.state == .decided(answer, nil))
    }

    @Test("A presentation of an earlier process that is shown again is one of this process")
    func shownAgain() async throws {
        try await SQLiteJournal(path).shown(id, asked)
        let journal = try SQLiteJournal(path, at: later)
        try await journal.shown(id, asked)
        try await journal.prune(everything)
        #expect(try await journal.record(of: id)?.state == .shown)
    }

    @Test("More old records than one transaction deletes are all deleted")
    func manyOldRecords() async throws {
        let journal = try SQLiteJournal(path)
        try await journal.access { database in
            try database.execute(
                sql: """
                    WITH RECURSIVE numbers (n) AS (
                        SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2500)
                    INSERT INTO presentation
                        (id, origin, digest, report, shownAt, endReason, endedAt, checksum)
                    SELECT 'id-' || n, '', '', X'', '2020-01-01T00:00:00.000Z', 'expired',
                        '2020-01-01T00:00:00.000Z', 0
                    FROM numbers
                    """)
        }
        try await journal.prune(everything)
        let count = try await journal.access { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM presentation")
        }
        #expect(count == 0)
    }

    @Test("An idle node deletes what grows old while it runs, and nothing by a clock that is ahead")
    func idle() async throws {
        let journal = try SQLiteJournal(path)
        let end = Date(timeIntervalSince1970: 1_500_000_000)
        try await journal.access { database in
            try database.execute(
                sql: """
                    INSERT INTO presentation
                        (id, origin, digest, report, shownAt, endReason, endedAt, checksum)
                    VALUES ('id', '', '', X'', ?1, 'expired', ?1, 0)
                    """,
                arguments: [TimeText.text(end)])
        }
        let event = AuditHistory.Event(
            time: end + 200, event: "note", id: nil, fields: [:], sentence: "", count: nil)
        try await journal.keep([], [event], console: 0)
        func left(after uptime: Duration) async throws -> [Int] {
            try await journal.prune(
                JournalRetention(age: .seconds(3_600)),
                at: Moment(instant: journal.openedInstant + uptime, date: later))
            return try await journal.access { database in
                try [JournalRow.databaseTableName, HistoryEventRow.databaseTableName].map {
                    try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \($0)") ?? 0
                }
            }
        }
        #expect(try await left(after: .seconds(3_500)) == [1, 1])
        #expect(try await left(after: .seconds(3_700)) == [0, 1])
        // The events of later times follow when no presentation is left.
        #expect(try await left(after: .seconds(3_700)) == [0, 0])
        #expect(try await left(after: .seconds(3_700)) == [0, 0])
    }

    @Test("Of events four times as many stay as of presentations")
    func events() async throws {
        let journal = try SQLiteJournal(path)
        for id in [id, .make()] {
            try await journal.shown(id, asked)
            try await journal.ended(id, .expired)
        }
        let events = (1...12).map { number in
            AuditHistory.Event(
                time: later + TimeInterval(number), event: "note", id: nil,
                fields: ["number": "\(number)"], sentence: "", count: nil)
        }
        try await journal.keep([], events, console: 0)
        try await journal.prune(JournalRetention(count: 2))
        let left = try await journal.access { database in
            try HistoryEventRow.order(Column("number")).fetchAll(database)
                .compactMap { $0.fields["number"] }
        }
        #expect(left == (5...12).map { "\($0)" })
    }

    @Test("An ended record goes before an older one that an earlier process left open")
    func endedBeforeLeft() async throws {
        let ended = PresentationID.make()
        do {
            let journal = try SQLiteJournal(path)
            try await journal.shown(id, asked)
            try await journal.shown(ended, asked)
            try await journal.ended(ended, .expired)
        }
        let journal = try SQLiteJournal(path, at: later)
        try await journal.prune(JournalRetention(count: 1))
        #expect(try await journal.record(of: id)?.state == .shown)
        #expect(try await journal.record(of: ended) == nil)
    }
}
