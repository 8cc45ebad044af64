import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What an inbox keeps of what has ended, and what is new to it.
struct InboxForgettingTests {
    private var machine = InboxMachine(limits: InboxLimits())
    private let now = ManualTime().now

    private func id(_ number: UInt64) -> PresentationID { PresentationID(number) }

    private func presentation(_ number: UInt64) -> InboxPresentation {
        let report = ErrorReport(
            domain: "d", description: "broken", options: [.init(id: "retry", title: "Retry")])
        return InboxPresentation(id: id(number), report: report, origin: "w")
    }

    private mutating func begin(keeping endedMax: Int) {
        var limits = InboxLimits()
        limits.endedMax = endedMax
        machine = InboxMachine(limits: limits)
    }

    /// A presentation is answered, and its result arrives.
    private mutating func settle(_ number: UInt64) throws {
        #expect(machine.opened(presentation(number), at: now) != nil)
        let answer = Answer(id: id(1_000 + number).value, option: "retry", by: "ann", via: .person)
        _ = try machine.answer(id(number), with: answer, undo: .zero, at: now)
        machine.settled(id(number), answer.id, .recovered, at: now)
    }

    @Test("An answer and its result are one end: what ended last is kept, up to the limit")
    mutating func answeredAndSettled() throws {
        begin(keeping: 2)
        for number: UInt64 in 1...2 { try settle(number) }
        #expect(Set(machine.items.keys) == [id(1), id(2)])
        try settle(3)
        #expect(Set(machine.items.keys) == [id(2), id(3)])
    }

    /// A presentation is withdrawn.
    private mutating func withdraw(_ number: UInt64, byteCount: Int = 0) {
        var large = presentation(number)
        large.report.userInfo["text"] = .string(String(repeating: "x", count: byteCount))
        #expect(machine.opened(large, at: now) != nil)
        machine.closed(id(number), .withdrawn, at: now)
    }

    @Test("What is withdrawn does not push out what was answered, nor the other way round")
    mutating func apart() throws {
        begin(keeping: 4)
        try settle(1)
        for number: UInt64 in 11...20 { withdraw(number) }
        #expect(Set(machine.items.keys) == [id(1), id(18), id(19), id(20)])
        for number: UInt64 in 2...9 { try settle(number) }
        #expect(Set(machine.items.keys) == [id(8), id(9), id(19), id(20)])
    }

    @Test("What had ended without an answer, and is answered, is kept as such")
    mutating func answeredAfterwards() throws {
        begin(keeping: 2)
        for number: UInt64 in 1...2 { withdraw(number) }
        let answer = Answer(option: "retry", by: "ann", via: .person)
        machine.decided(id(1), answer, at: now)
        for number: UInt64 in 3...9 { withdraw(number) }
        #expect(Set(machine.items.keys) == [id(1), id(9)])
    }

    @Test("Large reports that have ended are forgotten by their bytes, those with more first")
    mutating func bytes() throws {
        var limits = InboxLimits()
        limits.endedByteMax = 10_000
        machine = InboxMachine(limits: limits)
        try settle(1)
        for number: UInt64 in 11...20 { withdraw(number, byteCount: 4_000) }
        #expect(Set(machine.items.keys) == [id(1), id(19), id(20)])
        // What is open counts nothing, and what comes back no longer.
        #expect(machine.opened(presentation(20), at: now) != nil)
        withdraw(21, byteCount: 4_000)
        #expect(Set(machine.items.keys) == [id(1), id(19), id(20), id(21)])
    }

    @Test("What an earlier life had is taken up once: forgotten, and presented again, it is new")
    mutating func restoredOnce() {
        begin(keeping: 0)
        let before = now + .seconds(-240)
        let note = InboxNote(id: id(9).value, by: "ann", text: "called Bob", at: before)
        machine.restored(
            [
                InboxRecord(
                    presentation(1), openedAt: before, changedAt: before, stage: .open,
                    notes: [note])
            ], at: now)
        let first = machine.opened(presentation(1), at: now)
        #expect(first?.openedAt == before && first?.notes == [note])
        machine.closed(id(1), .withdrawn, at: now)
        #expect(machine.items.isEmpty)
        let again = machine.opened(presentation(1), at: now)
        #expect(again?.openedAt == now && again?.notes == [])
    }
}
