import ErrorBusTesting
import Foundation
import GRDB
import Logging
import Synchronization
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// A console's history in its node's journal.
@Suite struct HistoryKeeperTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("history-\(UUID().uuidString)/central.sqlite").path
    private let report = ErrorReport(
        domain: "com.acme", code: 7, description: "It failed.", failureReason: "no room",
        options: [.init(id: "retry", title: "Retry")])
    private let answer = Answer(option: "retry", by: "ann", via: .person)

    /// One life of a console.
    private struct Life {
        let journal: SQLiteJournal
        let inbox = Inbox("console")
        let history = AuditHistory()
        let keeper: HistoryKeeper

        init(_ path: String) throws {
            journal = try SQLiteJournal(path)
            keeper = try HistoryKeeper(
                inbox, history, in: journal, console: 0, logger: Logger(label: "test"))
        }

        /// Presents as a node does, and waits until it is open.
        func present(_ prompt: Prompt) async throws -> Task<Answer?, any Error> {
            try await journal.shown(
                prompt.id, .init(origin: prompt.origin, digest: nil, report: prompt.report))
            let asking = Task { [inbox] in try await inbox.present(prompt) }
            for await _ in inbox.changes() where (try? inbox.item(prompt.id)) != nil { break }
            return asking
        }
    }

    @Test("Open, claimed, undone and ended presentations survive a life that is cut off")
    func survives() async throws {
        let prompts = (0..<3).map { _ in Prompts.prompt(report) }
        let ids = prompts.map(\.id)
        var kept: [InboxItem] = []
        do {
            let life = try Life(path)
            var asking: [Task<Answer?, any Error>] = []
            for prompt in prompts { asking.append(try await life.present(prompt)) }
            try life.inbox.claim(ids[0], by: "ann", of: "1", for: .seconds(600))
            try life.inbox.answer(
                ids[1], option: "retry", by: "bob", id: answer.id, undo: .seconds(60))
            try life.inbox.undo(ids[1])
            try await life.journal.decided(ids[2], answer)
            life.inbox.record(PresentationEvent(ids[2], .decided(answer, isRestored: false)))
            life.history.record(.decided(ids[2], "retry", by: "ann"))
            await life.keeper.write()
            kept = try ids.map { try life.inbox.item($0) }
            // Nothing of its end is written: it is as if the process were killed.
            for task in asking { task.cancel() }
        }
        let life = try Life(path)
        #expect(life.history.events(of: ids[2]).map(\.event) == ["decide"])
        #expect(life.history.chart().map(\.bucket.answered).reduce(0, +) == 1)
        #expect(throws: InboxRefusal.unknown(ids[0])) { try life.inbox.item(ids[0]) }
        #expect(try life.inbox.item(ids[2]).stage == .answered(answer))
        let asking = [
            try await life.present(prompts[0]), try await life.present(prompts[1]),
        ]
        for (id, former) in zip(ids, kept) {
            let item = try life.inbox.item(id)
            func text(_ time: Moment) -> String { TimeText.text(time.date) }
            #expect(text(item.openedAt) == text(former.openedAt))
            #expect(item.path == former.path)
            #expect(item.takenBack == former.takenBack)
            #expect(item.stage.claim?.person == former.stage.claim?.person)
            #expect(item.holder == former.holder)
            #expect(
                item.stage.claim.map { text($0.until) } == former.stage.claim.map { text($0.until) }
            )
        }
        for task in asking { task.cancel() }
    }

    @Test("A proposal, and the second person of an answer, survive a life that is cut off")
    func twoPeople() async throws {
        var report = report
        report.options[0].needsTwoPeople = true
        let prompts = (0..<2).map { _ in Prompts.prompt(report) }
        let ids = prompts.map(\.id)
        let (ann, bob) = (SignedInPerson("ann", identity: "1"), SignedInPerson("bob"))
        var proposal: InboxProposal?
        do {
            let life = try Life(path)
            let asking = [try await life.present(prompts[0]), try await life.present(prompts[1])]
            proposal = try life.inbox.propose(ids[0], option: "retry", by: ann)
            let other = try life.inbox.propose(ids[1], option: "retry", by: ann)
            let answer = try life.inbox.confirm(ids[1], other.id, option: "retry", by: bob)
            try await life.journal.decided(ids[1], answer)
            await life.keeper.write()
            for task in asking { task.cancel() }
        }
        let life = try Life(path)
        let record = try await life.journal.record(of: ids[1])
        guard case .decided(let answer, _)? = record?.state else {
            Issue.record("not decided")
            return
        }
        #expect(answer.by == "ann" && answer.second == "bob")
        #expect(try life.inbox.item(ids[1]).answer?.second == "bob")
        let asking = try await life.present(prompts[0])
        let item = try life.inbox.item(ids[0])
        #expect(item.proposal?.id == proposal?.id && item.proposal?.by == "ann")
        #expect(throws: InboxRefusal.samePerson("ann")) {
            try life.inbox.confirm(
                ids[0], try #require(proposal).id, option: "retry",
                by: SignedInPerson("anna", identity: "1"))
        }
        try life.inbox.confirm(
            ids[0], try #require(proposal).id, option: "retry", by: bob)
        #expect(try await asking.value?.second == "bob")
    }

    @Test("Notes on open and on ended presentations survive lives that are cut off")
    func notes() async throws {
        let prompts = (0..<2).map { _ in Prompts.prompt(report) }
        let ids = prompts.map(\.id)
        func texts(_ life: Life, _ index: Int) throws -> [String] {
            try life.inbox.item(ids[index]).notes.map { "\($0.by): \($0.text)" }
        }
        do {
            let life = try Life(path)
            var asking: [Task<Answer?, any Error>] = []
            for prompt in prompts { asking.append(try await life.present(prompt)) }
            try life.inbox.note(ids[0], "called Bob", by: "ann")
            try life.inbox.note(ids[1], "mine", by: "bob")
            try await life.journal.decided(ids[1], answer)
            life.inbox.record(PresentationEvent(ids[1], .decided(answer, isRestored: false)))
            await life.keeper.write()
            for task in asking { task.cancel() }
        }
        do {
            let life = try Life(path)
            #expect(try texts(life, 1) == ["bob: mine"])
            try life.inbox.note(ids[1], "it was \"the/disk\"", by: "ann")
            await life.keeper.write()
        }
        let life = try Life(path)
        let asking = try await life.present(prompts[0])
        #expect(try texts(life, 0) == ["ann: called Bob"])
        #expect(try texts(life, 1) == ["bob: mine", "ann: it was \"the/disk\""])
        let archive = try #require(try HistoryArchive(path))
        let filter = try HistoryFilter(["q": "THE/DISK"])
        let page = try await archive.presentations(filter, limit: 9)
        #expect(page.entries.map(\.id) == [ids[1].description])
        #expect(page.entries.first?.notes.map(\.by) == ["bob", "ann"])
        asking.cancel()
    }

    @Test("A history of the version before notes is migrated, and its presentations take notes")
    func migrated() async throws {
        let prompt = Prompts.prompt(report)
        let id = prompt.id
        do {
            let life = try Life(path)
            let asking = try await life.present(prompt)
            try await life.journal.decided(id, answer)
            life.inbox.record(PresentationEvent(id, .decided(answer, isRestored: false)))
            await life.keeper.write()
            asking.cancel()
        }
        try await DatabaseQueue(path: path).write { database in
            try database.execute(sql: "ALTER TABLE history DROP COLUMN notes")
            try database.execute(
                sql: "DELETE FROM grdb_migrations WHERE identifier = '9 notes'")
        }
        _ = try SQLiteJournal(path, of: "central")
        let life = try Life(path)
        #expect(try life.inbox.item(id).answer == answer)
        #expect(try life.inbox.item(id).notes.isEmpty)
        try life.inbox.note(id, "late", by: "ann")
        await life.keeper.write()
        let row = try await life.journal.access { try HistoryRow.fetchOne($0) }
        #expect(row?.notes?.map(\.text) == ["late"])
    }

    @Test("The history keeps an option's title; one of before has ids, and its counts are mended")
    func titles() async throws {
        let prompt = Prompts.prompt(report)
        func entry() async throws -> HistoryEntry? {
            let archive = try #require(try HistoryArchive(path))
            return try await archive.presentations(HistoryFilter(), limit: 9).entries.first
        }
        let life = try Life(path)
        let asking = try await life.present(prompt)
        try await life.journal.decided(prompt.id, answer)
        life.inbox.record(PresentationEvent(prompt.id, .decided(answer, isRestored: false)))
        await life.keeper.write()
        asking.cancel()
        #expect(try await entry()?.optionTitle == "Retry")
        #expect(try await entry()?.optionShown == "Retry")
        try await DatabaseQueue(path: path).write { database in
            try database.execute(sql: "ALTER TABLE history DROP COLUMN optionTitle")
            try database.execute(
                sql: """
                    INSERT INTO event (console, time, event, id, fields, sentence, count)
                    VALUES (0, '', 'done', '', '{"result":"unknown"}', '', 'failed'),
                        (0, '', 'done', '', '{"result":"failed"}', '', 'failed');
                    DELETE FROM grdb_migrations WHERE identifier LIKE '19 %'
                    """)
        }
        // A reader changes nothing, and refuses what it cannot read whole.
        let refused = #expect(throws: Failure.self) { try HistoryArchive(path) }
        #expect(refused?.text.contains("tables of an earlier version") == true)
        _ = try SQLiteJournal(path, of: "central")
        let counts = try await DatabaseQueue(path: path).read { database in
            try String.fetchAll(
                database, sql: "SELECT count FROM event WHERE time = '' ORDER BY number")
        }
        #expect(counts == ["unknown", "failed"])
        #expect(try await entry()?.optionTitle == nil)
        #expect(try await entry()?.optionShown == "retry")
    }

    @Test("What the journal recorded and the history had not is restored from the journal")
    func reconciled() async throws {
        var cancel = report
        cancel.options[0].role = .cancel
        let prompts = (0..<3).map { _ in Prompts.prompt(report) } + [Prompts.prompt(cancel)]
        let ids = prompts.map(\.id)
        do {
            let life = try Life(path)
            for prompt in prompts { _ = try await life.present(prompt) }
            await life.keeper.write()
            try await life.journal.decided(ids[0], answer)
            try await life.journal.settled(ids[0], answer: answer.id, .recovered)
            try await life.journal.ended(ids[1], .expired)
            try await life.journal.decided(ids[3], answer)
            try await life.journal.settled(ids[3], answer: answer.id, .failed)
        }
        let life = try Life(path)
        #expect(try life.inbox.item(ids[0]).stage == .settled(answer, .recovered))
        #expect(try life.inbox.item(ids[1]).stage == .closed(.expired))
        let ends = try await life.journal.access { database in
            try HistoryRow.order(Column("openedAt")).fetchAll(database)
                .map { $0.ending ?? $0.stage }
        }
        let titles = try await life.journal.access { database in
            try HistoryRow.order(Column("openedAt")).fetchAll(database).map(\.optionTitle)
        }
        #expect(titles == ["Retry", nil, nil, "Retry"])
        let expired = Outcome.Reason.expired.words
        #expect(ends == ["recovered", expired, HistoryRow.left, "cancelled"])
    }

    @Test(
        "An answer that the journal lacks was not sent, unless the presentation was passed on",
        arguments: [(nil, "left"), (.withdrawn, "closed"), (.declined, "answered")]
            as [(Outcome.Reason?, String)])
    func unrecorded(end: Outcome.Reason?, stage: String) async throws {
        let prompt = Prompts.prompt(report)
        do {
            let life = try Life(path)
            let asking = try await life.present(prompt)
            try life.inbox.answer(prompt.id, option: "retry", by: "ann")
            _ = try await asking.value
            await life.keeper.write()
            let row = try await life.journal.access { try HistoryRow.fetchOne($0) }
            #expect(row?.stage == "answered" && row?.answeredBy == "ann")
            if let end { try await life.journal.ended(prompt.id, end) }
        }
        let life = try Life(path)
        let row = try await life.journal.access { try HistoryRow.fetchOne($0) }
        #expect(row?.stage == stage)
        #expect(row?.answeredBy == (stage == "answered" ? "ann" : nil))
        #expect(life.inbox.items().map(\.stage.word) == (stage == "left" ? [] : [stage]))
    }

    @Test(
        "A result that came when the console had forgotten its presentation is kept",
        arguments: [
            (.recovered, nil, "recovered"), (.failed, nil, "not recovered"),
            (.failed, .cancel, "cancelled"),
        ] as [(RecoveryResult, ErrorReport.Option.Role?, String)])
    func lateResult(
        result: RecoveryResult, role: ErrorReport.Option.Role?, ending: String
    ) async throws {
        var report = report
        report.options[0].role = role
        let prompt = Prompts.prompt(report)
        let id = prompt.id
        let life = try Life(path)
        let asking = try await life.present(prompt)
        try await life.journal.decided(id, answer)
        life.inbox.record(PresentationEvent(id, .decided(answer, isRestored: false)))
        await life.keeper.write()
        let item = try life.inbox.item(id)
        let event = AuditHistory.Event(
            time: ManualTime().now.date, event: "done", id: id,
            fields: ["answer": answer.id.description, "result": result.rawValue], sentence: "",
            count: nil)
        try await life.journal.keep([], [event], console: 0)
        let row = try await life.journal.access { try HistoryRow.fetchOne($0) }
        #expect(row?.stage == "settled")
        #expect(row?.result == result.rawValue)
        #expect(row?.ending == ending)
        #expect(row?.openedAt == TimeText.text(item.openedAt.date))
        asking.cancel()
    }

    @Test("Nothing is lost while the store fails, and writing goes on afterwards")
    func fails() async throws {
        let store = FailingStore()
        let inbox = Inbox("console")
        let history = AuditHistory()
        let keeper = try HistoryKeeper(
            inbox, history, in: store, console: 0, logger: Logger(label: "test"))
        for number in 0..<500 { history.record(.decided(.make(), "\(number)", by: "ann")) }
        store.fails.withLock { $0 = true }
        #expect(await !keeper.write())
        store.fails.withLock { $0 = false }
        #expect(await keeper.write())
        #expect(store.events.withLock { $0 } == (0..<500).map(String.init))
    }

    @Test("Times keep their milliseconds", arguments: 0..<50)
    func times(step: Int) throws {
        let now = ManualTime().now
        let date = Date(timeIntervalSince1970: 1_790_000_000 + Double(step) * 0.137)
        let text = TimeText.text(date)
        #expect(TimeText.text(try #require(Moment(text, at: now)).date) == text)
    }

    @Test("Old rows of the history are deleted, those of this life's open ones are not")
    func pruned() async throws {
        let life = try Life(path)
        let (open, ended) = (Prompts.prompt(report), Prompts.prompt(report))
        let asking = try await life.present(open)
        try await life.present(ended).cancel()
        for await _ in life.inbox.changes() where life.inbox.openCount == 1 { break }
        life.history.record(.decided(ended.id, "retry", by: "ann"))
        await life.keeper.write()
        try await life.journal.prune(JournalRetention(age: .seconds(-86_400)))
        let left = try await life.journal.access { database in
            (
                try HistoryRow.fetchAll(database).map(\.id),
                try HistoryEventRow.fetchCount(database)
            )
        }
        #expect(left.0 == [open.id.description])
        #expect(left.1 == 0)
        asking.cancel()
    }

    @Test("Above the size the oldest rows go until it fits")
    func size() async throws {
        let journal = try SQLiteJournal(path)
        let text = String(repeating: "x", count: 20_000)
        let large = ErrorReport(domain: "d", description: text)
        for _ in 0..<200 {
            let id = PresentationID.make()
            try await journal.shown(id, .init(origin: nil, digest: nil, report: large))
            try await journal.ended(id, .expired)
        }
        try await journal.prune(JournalRetention(megabytes: 1_000))
        #expect(try #require(try DeadLetters(path)).rows().count == 200)
        try await journal.prune(JournalRetention(megabytes: 2))
        let left = try #require(try DeadLetters(path)).rows().count
        #expect((1..<100).contains(left))
    }
}

/// A store whose writes can fail.
private final class FailingStore: HistoryStore {
    let fails = Mutex(false)
    let events = Mutex<[String]>([])

    func restore(console: Int, at now: Moment) throws -> KeptHistory { KeptHistory() }

    func keep(
        _ items: [InboxItem], _ events: [AuditHistory.Event], console: Int
    ) async throws {
        if fails.withLock({ $0 }) { throw CancellationError() }
        self.events.withLock { $0 += events.compactMap { $0.fields["option"] } }
    }
}
