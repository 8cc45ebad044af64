import ErrorBusTesting
import Synchronization
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension InboxItem {
    fileprivate var hasResult: Bool {
        if case .settled = stage { true } else { false }
    }
}

@Suite("An answer in the inbox shows whether it is on record")
struct InboxRecordTests {
    private let inbox = Inbox("console")
    private let attempts = Recorder<String>()

    private var error: some Error {
        let attempts = attempts
        return SampleError().recoverable {
            RecoveryOption("Retry", id: "retry") {
                attempts.record("retry")
                return true
            }
        }
    }

    /// A journal that takes no decision until its gate opens, or never; or that has one by then.
    private struct SlowJournal: DecisionJournal {
        struct Full: Error {}
        struct Damaged: LastingFault {}
        var isFull = false
        var isDamaged = false
        var earlier: DecisionRecord.State?
        let writing = Recorder<PresentationID>()
        let gate = Gate()
        let written = Recorder<Answer>()

        func record(of id: PresentationID) async throws -> DecisionRecord? {
            earlier.map { DecisionRecord(origin: nil, digest: nil, state: $0) }
        }
        func shown(_ id: PresentationID, _ asked: DecisionRecord.Asked) async throws {}
        func decided(_ id: PresentationID, _ answer: Answer) async throws {
            guard !isFull else { throw Full() }
            writing.record(id)
            await gate.wait()
            guard !isDamaged else { throw Damaged() }
            guard earlier == nil else { throw Full() }
            written.record(answer)
        }
        func settled(
            _ id: PresentationID, answer: UniqueID, _ result: RecoveryResult
        ) async throws {}
        func lost(_ id: PresentationID, answer: UniqueID) async throws {}
        func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {}
    }

    private func present(_ journal: SlowJournal?) -> Task<Outcome, Never> {
        let chain = PresentingResponder(
            "central", presenters: [inbox], journal: journal, audit: inbox, logger: .silent)
        let error = error
        return Task { await chain.presentError(error) }
    }

    /// The only item, once it is so.
    private func item(_ isSo: (InboxItem) -> Bool) async throws -> InboxItem {
        for await _ in inbox.changes() {
            if let item = inbox.items().first, isSo(item) { return item }
        }
        throw CancellationError()
    }

    @Test("F32 An answer that waits for the journal says so, and its author is known if it is lost")
    func delayed() async throws {
        let asking = present(SlowJournal(isFull: true))
        let id = try await item(\.isOpen).id
        try inbox.answer(id, option: "retry", by: "ann")
        #expect(await inbox.unrecorded(among: [id], after: .zero).delayed == [id])
        #expect(try await item(\.awaitsRecord).ending == "not on disk yet")
        asking.cancel()
        #expect(await asking.value.reason == .withdrawn)
        let ended = try await item { $0.unwritten != nil }
        #expect(ended.stage == .closed(.withdrawn) && !ended.awaitsRecord)
        #expect(ended.unwritten?.by == "ann" && ended.unwritten?.option == "retry")
        let late = await inbox.unrecorded(among: [id], after: .zero)
        #expect(late.delayed.isEmpty && late.lost[id] != nil)
        #expect(attempts.elements.isEmpty)
    }

    @Test("F19 A client that waits for the record of its answer goes on once it is written")
    func waits() async throws {
        let journal = SlowJournal()
        let asking = present(journal)
        let id = try await item(\.isOpen).id
        try inbox.answer(id, option: "retry", by: "ann")
        _ = try await journal.writing.next()
        async let unrecorded = inbox.unrecorded(among: [id], after: .seconds(600))
        journal.gate.open()
        let result = await unrecorded
        #expect(result.delayed.isEmpty && result.lost.isEmpty)
        #expect(journal.written.elements.map(\.by) == ["ann"])
        #expect(await asking.value.didRecover)
    }

    /// The end of the wait for the record of ann's answer, once the journal's gate has opened.
    private func refusal(
        of id: PresentationID, _ journal: SlowJournal
    ) async throws -> InboxRefusal? {
        let clock = ManualClock()
        try inbox.answer(id, option: "retry", by: "ann")
        _ = try await journal.writing.next()
        async let unrecorded = inbox.unrecorded(among: [id], after: .seconds(5), clock: clock)
        _ = try await clock.nextSleep()
        journal.gate.open()
        let result = await unrecorded
        #expect(result.delayed.isEmpty)
        return result.lost[id]
    }

    @Test("F32 Of an answer that the journal refuses, the inbox does not say that it was withdrawn")
    func refused() async throws {
        let journal = SlowJournal(isDamaged: true)
        let asking = present(journal)
        let id = try await item(\.isOpen).id
        let found = try await refusal(of: id, journal)
        guard case .closed(.rejected, _)? = found else {
            Issue.record("found: \(String(describing: found))")
            return
        }
        let ended = try await item { $0.unwritten != nil }
        #expect(ended.stage == .closed(.rejected) && ended.unwritten?.by == "ann")
        #expect(await asking.value.refusalCode == RejectCode.gone.rawValue)
        #expect(attempts.elements.isEmpty)
    }

    @Test(
        "An answer that finds another one on record is refused with that, and the item shows it",
        arguments: [nil, .recovered, .failed] as [RecoveryResult?])
    func superseded(result: RecoveryResult?) async throws {
        let earlier = Answer(option: "retry", by: "bob", via: .person)
        let journal = SlowJournal(earlier: .decided(earlier, result))
        let asking = present(journal)
        let id = try await item(\.isOpen).id
        let stages = Recorder<InboxItem.Stage>()
        inbox.watch { stages.record($0.item.stage) }
        let found = try await refusal(of: id, journal)
        guard case .answered(earlier, _)? = found else {
            Issue.record("found: \(String(describing: found))")
            return
        }
        #expect(await asking.value.answer == earlier)
        let settled = try await item { $0.hasResult }
        #expect(settled.stage == .settled(earlier, result ?? .recovered))
        #expect(!stages.elements.contains(.closed(.withdrawn)))
    }

    @Test("A client that goes away marks no answer as delayed")
    func goesAway() async throws {
        let journal = SlowJournal()
        let asking = present(journal)
        let id = try await item(\.isOpen).id
        try inbox.answer(id, option: "retry", by: "ann")
        _ = try await journal.writing.next()
        let client = Task { [inbox] in
            await inbox.unrecorded(among: [id], after: .seconds(600)).delayed
        }
        client.cancel()
        #expect(await client.value == [id])
        let standing = inbox.state.withLock { $0.records[id]?.standing }
        #expect(standing == .awaited)
        journal.gate.open()
        #expect(await asking.value.didRecover)
    }

    @Test(
        "Nothing waits without a journal, or while an answer is held",
        arguments: [(false, Duration.zero), (true, .seconds(60))])
    func needsNoRecord(hasJournal: Bool, undo: Duration) async throws {
        let asking = present(hasJournal ? SlowJournal(isFull: true) : nil)
        let id = try await item(\.isOpen).id
        try inbox.answer(id, option: "retry", by: "ann", undo: undo)
        let result = await inbox.unrecorded(among: [id], after: .zero)
        #expect(result.delayed.isEmpty && result.lost.isEmpty)
        asking.cancel()
        _ = await asking.value
    }
}
