import ErrorBusTesting
import Synchronization
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("What an inbox keeps", .timeLimit(.minutes(10)))
struct InboxMemoryTests {
    private let inbox = Inbox("console")

    /// A person renews a claim of an hour; then its presentation ends, and the inbox with it.
    private func renewClaim(_ freed: Recorder<Void>) async throws {
        let inbox = Inbox("console")
        let token = LifeToken(freed)
        inbox.watch { [token] _ in withExtendedLifetime(token) {} }
        let prompt = Prompt(SampleError(), in: PresentationContext(id: .make()))
        let presenting = Task { try await inbox.present(prompt) }
        for await _ in inbox.changes() where inbox.openCount == 1 { break }
        for _ in 1...3 { try inbox.claim(prompt.id, by: "ann", for: .seconds(3_600)) }
        presenting.cancel()
        _ = try await presenting.value
    }

    @Test("A claim that was renewed leaves no wait for its former end")
    func renewedClaim() async throws {
        let freed = Recorder<Void>()
        try await renewClaim(freed)
        // A wait that was left would keep the inbox until the hour is over.
        try await freed.next()
    }

    /// A contact that others may keep.
    private struct Seen {
        weak var contact: OriginContact?
    }

    private func presentFromWorker() async throws -> Seen {
        let id = PresentationID.make()
        let received = ReceivedPresentation(
            Message.Present(id: id, origin: "worker", path: ["worker"], payload: []))
        let context = PresentationContext(id: id, received: received)
        _ = try await inbox.present(Prompt(SampleError(), in: context))
        return Seen(contact: received.contact)
    }

    @Test("The contact with an origin ends with its presentation")
    func contact() async throws {
        let isKept = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await presentFromWorker().contact != nil
        }
        #expect(try await !isKept.value)
    }

    private var readerCount: Int { inbox.state.withLock { $0.observers.count } }

    private func readOneChange() async {
        for await _ in inbox.changes() { break }
    }

    @Test("A reader of the changes that went away, or was cancelled, gets no further change")
    func goneReaders() async {
        await readOneChange()
        #expect(readerCount == 0)
        let reading = Task { [inbox] in
            for await _ in inbox.changes() {}
        }
        reading.cancel()
        await reading.value
        #expect(readerCount == 0)
    }

    @Test("A reader of the changes that is slow gets the latest alone")
    func slowReader() async throws {
        let prompt = Prompt(SampleError(), in: PresentationContext(id: .make()))
        let presenting = Task { [inbox] in try await inbox.present(prompt) }
        for await _ in inbox.changes() where inbox.openCount == 1 { break }
        let changes = inbox.changes()
        for text in ["one", "two", "three"] { try inbox.note(prompt.id, text, by: "ann") }
        var reader = changes.makeAsyncIterator()
        let first = await reader.next()
        #expect(first == inbox.revision)
        presenting.cancel()
        _ = try await presenting.value
    }

    /// A presentation that goes to the next presenter after an hour is answered before.
    private func answerBeforeEscalation(_ freed: Recorder<Void>) async throws {
        var limits = InboxLimits()
        limits.escalateAfter = .seconds(3_600)
        let inbox = Inbox("console", limits: limits)
        let token = LifeToken(freed)
        inbox.watch { [token] _ in withExtendedLifetime(token) {} }
        let prompt = Prompt(SampleError(), in: PresentationContext(id: .make()))
        let presenting = Task { try await inbox.present(prompt) }
        for await _ in inbox.changes() where inbox.openCount == 1 { break }
        try inbox.answer(prompt.id, option: "ok", by: "ann")
        #expect(try await presenting.value?.by == "ann")
    }

    @Test("A presentation that has ended leaves no wait for the next presenter's turn")
    func escalation() async throws {
        let freed = Recorder<Void>()
        try await answerBeforeEscalation(freed)
        // A wait that was left would keep the inbox until the hour is over.
        try await freed.next()
    }

    @Test("The record of an answer that its prompt refuses is not kept")
    func refusedRecord() async throws {
        let prompt = Prompt(SampleError(), in: PresentationContext(id: .make()))
        prompt.record.keep()
        let presenting = Task { [inbox] in try await inbox.present(prompt) }
        for await _ in inbox.changes() where inbox.openCount == 1 { break }
        // The inbox still waits for the end of the prompt.
        prompt.close(.expired)
        #expect(throws: InboxRefusal.self) {
            try inbox.answer(prompt.id, option: "ok", by: "ann")
        }
        #expect(inbox.state.withLock { $0.records.isEmpty })
        presenting.cancel()
        _ = try await presenting.value
    }

    @Test(
        "The record of an answer that does not count is not kept",
        arguments: [
            .superseded(by: Answer(option: "ok", by: "bob", via: .person)), .superseded(),
            .unwritten, .refused,
        ] as [AnswerRecord.Standing])
    func lostRecord(standing: AnswerRecord.Standing) async throws {
        let prompt = Prompt(SampleError(), in: PresentationContext(id: .make()))
        prompt.record.keep()
        let presenting = Task { [inbox] in try await inbox.present(prompt) }
        for await _ in inbox.changes() where inbox.openCount == 1 { break }
        try inbox.answer(prompt.id, option: "ok", by: "ann")
        #expect(try await presenting.value?.by == "ann")
        #expect(inbox.state.withLock { $0.records.count } == 1)
        prompt.record.moved(to: standing)
        #expect(inbox.state.withLock { $0.records.isEmpty })
    }

    @Test("The end of one call's record leaves that of a later call for the same id")
    func laterRecord() async {
        let id = PresentationID.make()
        let (first, second) = (AnswerRecord(), AnswerRecord())
        for record in [first, second] {
            record.keep()
            inbox.follow(record, of: id)
        }
        first.moved(to: .recorded)
        #expect(inbox.state.withLock { $0.records[id] === second })
        // A client that waits for the later answer learns that it is not written yet.
        #expect(await inbox.unrecorded(among: [id], after: .zero).delayed == [id])
        second.moved(to: .recorded)
        #expect(inbox.state.withLock { $0.records.isEmpty })
    }
}
