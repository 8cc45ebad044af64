import ErrorBus
import ErrorBusTesting
import Foundation
import GRDB
import Testing

@testable import BusNodeKit

struct JournalSilencesTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("journal-\(UUID().uuidString)/central.sqlite").path

    @Test("silences and their counts survive into the next life")
    func silences() async throws {
        let now = ManualTime().now
        let pattern: JSONValue = ["domain": "com.acme.*"]
        let silence = Silence(
            number: 3,
            request: .init(
                pattern: pattern, match: try RuleMatch(json: pattern), option: "skip",
                onlyWithholds: true, by: "ann", comment: "known"),
            createdAt: now, endsAt: Moment(instant: now.instant, date: now.date + 3_600))
        do {
            let kept = JournalSilences(journal: try SQLiteJournal(path), console: 0)
            #expect(try kept.silences(at: now).isEmpty)
            try await kept.save(silence)
            try await kept.count(3, isAnswered: true)
            try await kept.count(3, isAnswered: false)
            // Ended by a person: its counts stay.
            try await kept.save(
                Silence(
                    number: 3, request: silence.request, createdAt: now, endsAt: silence.endsAt,
                    endedBy: "bob"))
        }
        let kept = JournalSilences(journal: try SQLiteJournal(path), console: 0)
        let stored = try #require(try kept.silences(at: now).first)
        #expect(stored.number == 3)
        #expect(stored.request == silence.request)
        #expect(stored.endedBy == "bob")
        #expect(stored.answeredCount == 1)
        #expect(stored.withheldCount == 1)
        #expect(stored.isActive(at: now))
        let left = now.instant.duration(to: stored.endsAt.instant)
        #expect(left > .seconds(3_590) && left <= .seconds(3_600))
    }

    private func silence(
        _ number: Int, created: Moment, endsAfter seconds: TimeInterval
    ) throws -> Silence {
        let pattern: JSONValue = ["domain": "d"]
        let ends = Moment(
            instant: created.instant + .seconds(seconds), date: created.date + seconds)
        return Silence(
            number: number,
            request: .init(
                pattern: pattern, match: try RuleMatch(json: pattern), by: "ann", comment: "c"),
            createdAt: created, endsAt: ends)
    }

    @Test("a long silence stays in force after many short ones; the oldest are deleted")
    func manySilences() async throws {
        let journal = try SQLiteJournal(path)
        let kept = JournalSilences(journal: journal, console: 0)
        let now = ManualTime().now
        try await kept.save(try silence(1, created: now, endsAfter: 86_400))
        for number in 2...1_010 {
            try await kept.save(try silence(number, created: now, endsAfter: Double(number)))
        }
        let stored = try kept.silences(at: now)
        #expect(stored.count == 1_000)
        #expect(stored.contains { $0.number == 1 })
        #expect(stored.contains { $0.number == 1_010 })
        let count = try await journal.access { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM silence")
        }
        #expect(count == 1_000)
    }

    @Test("A new silence of one console leaves those of another one")
    func othersStay() async throws {
        let journal = try SQLiteJournal(path)
        let now = ManualTime().now
        let second = JournalSilences(journal: journal, console: 1)
        for number in 1...2 {
            try await second.save(try silence(number, created: now, endsAfter: 60))
        }
        try await JournalSilences(journal: journal, console: 0)
            .save(try silence(1, created: now, endsAfter: 60))
        #expect(try second.silences(at: now).map(\.number).sorted() == [1, 2])
    }

    @Test("Each console has silences of its own; those of an earlier version are the first one's")
    func silencesOfTwoConsoles() async throws {
        let now = ManualTime().now
        do {
            let journal = try SQLiteJournal(path)
            for (console, seconds) in [(0, 60.0), (1, 3_600)] {
                let kept = JournalSilences(journal: journal, console: console)
                try await kept.save(try silence(1, created: now, endsAfter: seconds))
                try await kept.count(1, isAnswered: console == 0)
                let stored = try #require(try kept.silences(at: now).first)
                #expect(stored.answeredCount == 1 - console && stored.withheldCount == console)
            }
            #expect(try JournalSilences(journal: journal, console: 2).silences(at: now).isEmpty)
            let first = try JournalSilences(journal: journal, console: 0).silences(at: now)
            #expect(
                first.map { now.instant.duration(to: $0.endsAt.instant) < .seconds(61) }
                    == [true])
            // As an earlier version wrote it.
            try await journal.access { database in
                try database.execute(
                    sql: """
                        CREATE TABLE earlier AS
                            SELECT number, pattern, by, comment, createdAt, endsAt, option, endedBy,
                                lastAt, answered, withheld, onlyWithholds
                            FROM silence WHERE console = 0;
                        DROP TABLE silence;
                        ALTER TABLE earlier RENAME TO silence;
                        DELETE FROM grdb_migrations WHERE identifier LIKE '10 %'
                        """)
            }
        }
        let journal = try SQLiteJournal(path, of: "central")
        let stored = try JournalSilences(journal: journal, console: 0).silences(at: now)
        #expect(stored.map(\.answeredCount) == [1])
        #expect(try JournalSilences(journal: journal, console: 1).silences(at: now).isEmpty)
    }

    @Test("a clock that was set back does not extend a silence")
    func clockPutBack() async throws {
        let kept = JournalSilences(journal: try SQLiteJournal(path), console: 0)
        let now = ManualTime().now
        let year = Moment(instant: now.instant, date: now.date + 365 * 86_400)
        try await kept.save(try silence(1, created: year, endsAfter: 60))
        let stored = try #require(try kept.silences(at: now).first)
        let left = now.instant.duration(to: stored.endsAt.instant)
        #expect(left > .seconds(59) && left < .seconds(61))
    }
}
