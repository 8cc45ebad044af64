import ErrorBus
import ErrorBusTesting
import Foundation
import GRDB
import Glibc
import Testing

@testable import BusNodeKit

@Suite struct SQLiteJournalTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("journal-\(UUID().uuidString)/central.sqlite").path
    private let id = PresentationID.make()
    private let asked = DecisionRecord.Asked(
        origin: "worker", digest: ReportDigest("0123456789abcdef"),
        report: ErrorReport(domain: "com.acme", code: 7, description: "It failed."))

    private func answer(_ option: String) -> Answer {
        Answer(option: option, by: "ann", via: .person)
    }

    @Test("F16 an answer survives into the next life")
    func survives() async throws {
        let answer = answer("retry")
        do {
            let journal = try SQLiteJournal(path)
            #expect(try await journal.record(of: id) == nil)
            try await journal.shown(id, asked)
            #expect(try await journal.record(of: id)?.state == .shown)
            try await journal.decided(id, answer)
        }
        let journal = try SQLiteJournal(path)
        let record = try await journal.record(of: id)
        #expect(record?.state == .decided(answer, nil))
        #expect(record?.origin == "worker")
        #expect(record?.digest == asked.digest)
        try await journal.settled(id, answer: answer.id, .unknown)
        #expect(try await journal.record(of: id)?.state == .decided(answer, .unknown))
        try await journal.settled(id, answer: answer.id, .recovered)
        try await journal.settled(id, answer: answer.id, .failed)
        #expect(try await journal.record(of: id)?.state == .decided(answer, .recovered))
    }

    @Test("C5 another decision for the same id is refused, the same one accepted")
    func oneDecision() async throws {
        let journal = try SQLiteJournal(path)
        let answer = answer("retry")
        try await journal.shown(id, asked)
        try await journal.decided(id, answer)
        try await journal.decided(id, answer)
        await #expect(throws: JournalFault.decidedBefore(id: id.description, option: "retry")) {
            try await journal.decided(id, self.answer("cancel"))
        }
        #expect(try await journal.record(of: id)?.state == .decided(answer, nil))
    }

    @Test(
        "F16 values survive; a row in which they were changed is damaged; a lost answer is dropped")
    func values() async throws {
        let answer = Answer(
            option: "move", by: "ann", via: .person, values: ["path": "/a"],
            secrets: ["pin": "hunter2"])
        do {
            let journal = try SQLiteJournal(path)
            try await journal.shown(id, asked)
            // Not even a caller that forgets it gets a secret onto the disk.
            try await journal.decided(id, answer)
        }
        let journal = try SQLiteJournal(path)
        #expect(try await journal.record(of: id)?.state == .decided(answer.withoutSecrets, nil))
        try await journal.lost(id, answer: PresentationID.make().value)
        #expect(try await journal.record(of: id)?.state == .decided(answer.withoutSecrets, nil))
        try await journal.settled(id, answer: answer.id, .unknown)
        try await journal.lost(id, answer: answer.id)
        #expect(try await journal.record(of: id)?.state == .shown)
        let other = Answer(option: "move", by: "bob", via: .person, values: ["path": "/b"])
        try await journal.decided(id, other)
        try await journal.settled(id, answer: other.id, .recovered)
        try await journal.lost(id, answer: other.id)
        #expect(try await journal.record(of: id)?.state == .decided(other, .recovered))
        try await journal.access { database in
            try database.execute(sql: "UPDATE presentation SET answerValues = '{}'")
        }
        await #expect(throws: DamagedRecord(id: id.description, path: path)) {
            try await journal.record(of: self.id)
        }
    }

    @Test("F16 the comment of an answer survives")
    func comment() async throws {
        let answer = Answer(
            option: "retry", by: "ann", via: .person, comment: "The disk\nis full.")
        do {
            let journal = try SQLiteJournal(path)
            try await journal.shown(id, asked)
            try await journal.decided(id, answer)
        }
        let journal = try SQLiteJournal(path)
        #expect(try await journal.record(of: id)?.state == .decided(answer, nil))
    }

    @Test("an end without a record is not written")
    func endOfNothing() async throws {
        let journal = try SQLiteJournal(path)
        try await journal.ended(id, .withheld)
        try await journal.settled(id, answer: answer("retry").id, .recovered)
        #expect(try await journal.record(of: id) == nil)
    }

    @Test("an answer without a record is refused")
    func unknown() async throws {
        let journal = try SQLiteJournal(path)
        await #expect(throws: JournalFault.unknown(id: id.description)) {
            try await journal.decided(id, answer("retry"))
        }
    }

    @Test("F32 a changed record is detected and not used")
    func damaged() async throws {
        let journal = try SQLiteJournal(path)
        try await journal.shown(id, asked)
        try await journal.decided(id, answer("retry"))
        try await journal.access { database in
            try database.execute(sql: "UPDATE presentation SET option = 'delete'")
        }
        await #expect(throws: DamagedRecord(id: id.description, path: path)) {
            try await journal.record(of: id)
        }
        await #expect(throws: DamagedRecord(id: id.description, path: path)) {
            try await journal.settled(id, answer: PresentationID.make().value, .recovered)
        }
    }

    @Test(
        "F32 a file that is not a journal, or is truncated, keeps a presenter from starting",
        arguments: [
            true, false,
        ])
    func noDatabase(isCut: Bool) async throws {
        if isCut {
            let journal = try SQLiteJournal(path)
            for _ in 0..<200 { try await journal.shown(.make(), asked) }
            try await journal.checkpoint()
            let handle = try #require(FileHandle(forUpdatingAtPath: path))
            try handle.truncate(atOffset: 10_000)
        } else {
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent,
                withIntermediateDirectories: true)
            try Data("this is no database, it is a letter".utf8)
                .write(to: URL(fileURLWithPath: path))
        }
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        #expect { _ = try SQLiteJournal(path) } throws: { error in
            let failure = error as? Failure
            return failure?.status == .badData && failure?.text.contains(path) == true
        }
    }

    @Test("The result of a cancelled presentation is still written")
    func cancelled() async throws {
        let journal = try SQLiteJournal(path)
        try await journal.shown(id, asked)
        let id = id
        let state = try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await journal.ended(id, .withdrawn)
            return try await journal.record(of: id)?.state
        }.value
        #expect(state == .ended(.withdrawn))
        #expect(try #require(try DeadLetters(path)).rows().count == 1)
    }

    @Test("A journal that cannot be opened is reported as that, not as damaged")
    func inTheWay() throws {
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let loop = folder + "/loop"
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        let pipe = folder + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [path, loop, pipe, "/dev/full", "/dev/null/none.sqlite", "/proc/none.sqlite"] {
            #expect {
                _ = try SQLiteJournal(path)
            } throws: { error in
                let failure = error as? Failure
                return failure?.status == .cannotCreate
                    && failure?.text.contains("restore") == false
            }
        }
        #expect {
            _ = try SQLiteJournal(pipe)
        } throws: { error in
            (error as? Failure)?.text == "journal \(pipe): found a pipe, expected a file"
        }
    }

    @Test("F32 a full disk refuses the answer")
    func full() async throws {
        let journal = try SQLiteJournal(path)
        try await journal.shown(id, asked)
        try await journal.limitPages()
        await #expect(throws: (any Error).self) {
            for _ in 0..<5_000 { try await journal.shown(.make(), asked) }
        }
        #expect(try await journal.record(of: id)?.state == .shown)
    }

    @Test("A disk that is full at the start is a failure that names the journal, not a fault")
    func fullAtStart() async throws {
        let journal = try SQLiteJournal(path)
        try await journal.limitPages()
        #expect {
            try journal.writeNow { database in
                try database.execute(
                    sql: """
                        INSERT INTO setAside (source, content, at)
                        VALUES ('', hex(zeroblob(500000)), '')
                        """)
            }
        } throws: { error in
            let failure = error as? Failure
            return failure?.status == .cannotCreate
                && failure?.text.hasPrefix("journal \(path): cannot be written: ") == true
                && failure?.text.contains("make room on its disk") == true
        }
    }

    @Test("a presentation that ended unanswered is a dead letter, until it is presented again")
    func deadLetters() async throws {
        let journal = try SQLiteJournal(path)
        try await journal.shown(id, asked)
        try await journal.ended(id, .withdrawn)
        #expect(try #require(try DeadLetters(path)).rows().map(\.id) == [id.description])
        #expect(try await journal.record(of: id)?.state == .ended(.withdrawn))
        try await journal.shown(id, asked)
        #expect(try #require(try DeadLetters(path)).rows().isEmpty)
        #expect(try await journal.record(of: id)?.state == .shown)
    }

    @Test("a presentation that was passed on is no dead letter, and is pruned as one that ended")
    func passedOn() async throws {
        let journal = try SQLiteJournal(path)
        try await journal.shown(id, asked)
        try await journal.ended(id, .declined)
        #expect(try await journal.record(of: id)?.state == .ended(.declined))
        let letters = try #require(try DeadLetters(path))
        #expect(try letters.rows().isEmpty)
        #expect(try letters.allRows(withPartOfID: id.description).count == 1)
        try await journal.prune(JournalRetention(age: .seconds(-86_400)))
        #expect(try await journal.record(of: id) == nil)
    }

    @Test("An answer after an end is kept until its result is known")
    func answeredAfterAnEnd() async throws {
        let journal = try SQLiteJournal(path)
        let answer = answer("retry")
        try await journal.shown(id, asked)
        try await journal.ended(id, .declined)
        try await journal.decided(id, answer)
        try await journal.prune(JournalRetention(age: .seconds(-86_400)))
        #expect(try await journal.record(of: id)?.state == .decided(answer, nil))
    }

    @Test("A dead letter is found only by the beginning or the end of its id")
    func partOfID() async throws {
        let journal = try SQLiteJournal(path)
        try await journal.shown(id, asked)
        try await journal.ended(id, .expired)
        let letters = try #require(try DeadLetters(path))
        let text = id.description
        for part in [text, String(text.prefix(2)), String(text.suffix(4)), text.uppercased()] {
            #expect(try letters.rows(withPartOfID: part).map(\.id) == [text])
        }
        for part in ["", "zzz", "%", String(text.dropFirst().prefix(6)), String(text.suffix(3))] {
            #expect(try letters.rows(withPartOfID: part).isEmpty, "\(part)")
        }
    }

    @Test("C8 the age of a record counts from its end, however long it was open")
    func prunedByEnd() async throws {
        let journal = try SQLiteJournal(path)
        let other = PresentationID.make()
        for id in [id, other] {
            try await journal.shown(id, asked)
            try await journal.ended(id, .expired)
        }
        let file = try DatabaseQueue(path: path)
        try await file.write { [id] database in
            try database.execute(
                sql: "UPDATE presentation SET shownAt = '2001-01-01T00:00:00.000Z' WHERE id = ?",
                arguments: [id.description])
        }
        try file.close()
        try await journal.prune()
        #expect(try #require(try DeadLetters(path)).rows().count == 2)
        try await journal.prune(JournalRetention(age: .seconds(-86_400)))
        #expect(try #require(try DeadLetters(path)).rows().isEmpty)
    }

    @Test("The latest end, and the ends before a time, are found without reading the records")
    func endsIndexed() async throws {
        _ = try SQLiteJournal(path)
        let file = try DatabaseQueue(path: path)
        let (table, end) = (JournalRow.databaseTableName, JournalRow.endTime)
        for sql in [
            "SELECT MAX(\(end)) FROM \(table)", "SELECT rowid FROM \(table) WHERE \(end) < 'x'",
        ] {
            let plan = try await file.read { database in
                try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql)")
                    .map { $0["detail"] as String }
            }
            #expect(plan.count == 1 && plan[0].contains("presentation_end"), "\(plan)")
        }
    }

    @Test("C8 settled and ended records are pruned by age and number, open ones stay")
    func pruned() async throws {
        let journal = try SQLiteJournal(path)
        try await journal.shown(id, asked)
        for _ in 0..<10 {
            let other = PresentationID.make()
            try await journal.shown(other, asked)
            try await journal.ended(other, .expired)
        }
        try await journal.prune(JournalRetention(count: 4))
        #expect(try #require(try DeadLetters(path)).rows().count == 3)
        try await journal.prune(JournalRetention(age: .seconds(-86_400)))
        #expect(try #require(try DeadLetters(path)).rows().isEmpty)
        #expect(try await journal.record(of: id)?.state == .shown)
    }

    @Test("Records that a killed presenter left open are pruned by age in a later life")
    func leftOpen() async throws {
        try await SQLiteJournal(path).shown(id, asked)
        let journal = try SQLiteJournal(path)
        let live = PresentationID.make()
        try await journal.shown(live, asked)
        try await journal.prune()
        #expect(try await journal.record(of: id)?.state == .shown)
        try await journal.prune(JournalRetention(age: .seconds(-86_400)))
        #expect(try await journal.record(of: id) == nil)
        #expect(try await journal.record(of: live)?.state == .shown)
    }

    @Test("Records of this process never count as left open, even with the clock set back")
    func clockSetBack() async throws {
        let start = Date(timeIntervalSince1970: 4_000_000_000)
        let journal = try SQLiteJournal(path, at: start)
        try await journal.shown(id, asked)
        try await journal.prune(
            JournalRetention(age: .seconds(-86_400)),
            at: ManualTime(date: start + 60).now)
        #expect(try await journal.record(of: id)?.state == .shown)
    }

    @Test("An answer without a result stays, however old and many")
    func undelivered() async throws {
        let answer = answer("retry")
        try await SQLiteJournal(path).shown(id, asked)
        try await SQLiteJournal(path).decided(id, answer)
        let journal = try SQLiteJournal(path)
        try await journal.prune(JournalRetention(age: .seconds(-86_400), count: 0))
        #expect(try await journal.record(of: id)?.state == .decided(answer, nil))
    }

    @Test("F20 a clock that is ahead at the start does not empty the journal")
    func clockAhead() async throws {
        let journal = try SQLiteJournal(path)
        try await journal.shown(id, asked)
        try await journal.ended(id, .expired)
        let ahead = ManualTime(date: Date(timeIntervalSince1970: 4_000_000_000)).now
        try await journal.prune(at: ahead)
        #expect(try await journal.record(of: id)?.state == .ended(.expired))
    }

    @Test("F20 a damaged record stays damaged when its presentation is shown again")
    func shownAgainDamaged() async throws {
        let journal = try SQLiteJournal(path)
        try await journal.shown(id, asked)
        let id = id
        try await journal.access { database in
            try database.execute(
                sql: "UPDATE presentation SET origin = 'eve' WHERE id = ?",
                arguments: [id.description])
        }
        await #expect(throws: DamagedRecord.self) { try await journal.shown(id, asked) }
        await #expect(throws: DamagedRecord.self) { try await journal.decided(id, answer("retry")) }
    }
}
