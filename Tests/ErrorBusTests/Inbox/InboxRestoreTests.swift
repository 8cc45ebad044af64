import ErrorBusTesting
import Foundation
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What an inbox knows of the earlier lives of its node.
struct InboxRestoreTests {
    private var machine = InboxMachine(limits: InboxLimits())
    private let now = ManualTime().now
    private let presentation = InboxPresentation(
        id: PresentationID(1),
        report: ErrorReport(
            domain: "d", description: "broken", options: [.init(id: "retry", title: "Retry")]),
        origin: "worker")
    private let answer = Answer(
        id: PresentationID(9).value, option: "retry", by: "ann", via: .person)

    private func ago(_ seconds: Int) -> Moment { now + .seconds(-seconds) }

    private func record(
        _ stage: InboxItem.Stage, id: UInt64 = 1, takenBack: [UniqueID] = []
    ) -> InboxRecord {
        var presentation = presentation
        presentation.id = PresentationID(id)
        return InboxRecord(
            presentation, openedAt: ago(240), changedAt: ago(100), stage: stage,
            takenBack: takenBack)
    }

    @Test("What was open has its age and its claim when it comes back")
    mutating func open() throws {
        let until = now + .seconds(50)
        machine.restored([record(.claimed(by: "ann", until: until))], at: now)
        #expect(machine.items.isEmpty)
        let opened = machine.opened(presentation, at: now)
        let item = try #require(opened)
        #expect(item.openedAt == ago(240))
        #expect(item.stage == .claimed(by: "ann", until: until))
        #expect(item.changedAt == now)
        #expect(machine.openCount == 1)
        #expect(throws: InboxRefusal.claimed(by: "ann", until: until)) {
            try machine.answer(
                item.id, with: Answer(option: "retry", by: "bob", via: .person), undo: .zero,
                at: now)
        }
    }

    @Test("A claim is its person's under another name too, also after a restart")
    mutating func renamed() throws {
        var kept = record(.claimed(by: "ann@a.example", until: now + .seconds(50)))
        kept.holder = "1"
        machine.restored([kept], at: now)
        _ = machine.opened(presentation, at: now)
        let (id, renamed) = (presentation.id, "ann@b.example")
        let until = now + .seconds(50)
        for identity in [nil, "2"] {
            #expect(throws: InboxRefusal.claimed(by: "ann@a.example", until: until)) {
                try machine.release(id, by: renamed, of: identity, at: now)
            }
        }
        _ = try machine.claim(
            id, by: renamed, of: "1", for: .seconds(60), takesOver: false, at: now)
        try machine.release(id, by: "ann@c.example", of: "1", at: now)
        #expect(machine.items[id]?.stage == .open && machine.items[id]?.holder == nil)
        _ = try machine.answer(id, with: answer, of: "1", undo: .seconds(5), at: now)
        try machine.undo(id, at: now)
        // The minute after that is of the person who undid it.
        let other = Answer(option: "retry", by: renamed, via: .person)
        #expect(throws: InboxRefusal.self) {
            try machine.answer(id, with: other, undo: .zero, at: now)
        }
        #expect(
            try machine.answer(id, with: other, of: "1", undo: .zero, at: now) == .send(other))
    }

    @Test("A claim that ran out meanwhile is not restored")
    mutating func claimOver() throws {
        machine.restored([record(.claimed(by: "ann", until: ago(1)))], at: now)
        let opened = machine.opened(presentation, at: now)
        #expect(opened?.stage == .open)
    }

    @Test("A held answer that was lost leaves its author a claim; an undone one stays undone")
    mutating func held() throws {
        let stage = InboxItem.Stage.leaving(answer, at: now)
        machine.restored([record(stage, takenBack: [answer.id])], at: now)
        let opened = machine.opened(presentation, at: now)
        let item = try #require(opened)
        #expect(item.stage == .claimed(by: "ann", until: now + .seconds(60)))
        #expect(throws: InboxRefusal.takenBack) {
            try machine.answer(item.id, with: answer, undo: .zero, at: now)
        }
    }

    @Test("Ended ones are there at once, and a result still reaches them")
    mutating func ended() throws {
        machine.restored([record(.closed(.expired), id: 2), record(.answered(answer))], at: now)
        let items = machine.items(changedAfter: 0, at: now)
        #expect(items.map(\.id) == [PresentationID(2), PresentationID(1)])
        machine.settled(PresentationID(1), answer.id, .recovered, at: now)
        let item = try machine.item(PresentationID(1), at: now)
        #expect(item.stage == .settled(answer, .recovered))
        #expect(item.openedAt == ago(240))
        #expect(machine.openCount == 0)
        #expect(machine.openGroups(at: now).isEmpty)
    }

    @Test("A time that is ahead, after the clock was set back, counts as now")
    mutating func ahead() throws {
        var future = record(.open)
        future.openedAt = now + .seconds(1_000)
        machine.restored([future], at: now)
        let opened = machine.opened(presentation, at: now)
        #expect(opened?.openedAt == now)
    }

    @Test("Presented again in the same life, it keeps its age and its claim")
    mutating func again() throws {
        _ = machine.opened(presentation, at: ago(30))
        let until = try machine.claim(
            presentation.id, by: "ann", for: .seconds(60), takesOver: false, at: ago(20))
        let opened = machine.opened(presentation, at: now)
        let item = try #require(opened)
        #expect(item.openedAt == ago(30))
        #expect(item.stage == .claimed(by: "ann", until: until))
    }

    @Test("Groups are in the order of age, not of arrival")
    mutating func order() throws {
        var younger = presentation
        (younger.id, younger.report.domain) = (PresentationID(2), "e")
        machine.restored([record(.open)], at: now)
        for presentation in [younger, presentation] { _ = machine.opened(presentation, at: now) }
        #expect(machine.openGroups(at: now).map(\.first.id) == [presentation.id, younger.id])
    }

    @Test("An ended one is not forgotten before it is stored, up to a limit")
    mutating func notStored() throws {
        var limits = InboxLimits()
        (limits.openMax, limits.endedMax) = (4, 2)
        machine = InboxMachine(limits: limits)
        machine.kept(upTo: 0)
        for number in 1...6 as ClosedRange<UInt64> {
            var other = presentation
            other.id = PresentationID(number)
            _ = machine.opened(other, at: now)
            machine.closed(other.id, .withdrawn, at: now)
        }
        #expect(machine.items.count == 4)
        machine.kept(upTo: machine.revision)
        #expect(Set(machine.items.keys) == [PresentationID(5), PresentationID(6)])
    }

    @Test("A reader that lacks an end which is forgotten can know it")
    mutating func forgotten() {
        var limits = InboxLimits()
        limits.endedMax = 1
        machine = InboxMachine(limits: limits)
        var other = presentation
        other.id = PresentationID(2)
        for presentation in [presentation, other] { _ = machine.opened(presentation, at: now) }
        let seen = machine.revision
        machine.closed(presentation.id, .withdrawn, at: now)
        let first = machine.revision
        #expect(machine.forgottenRevision == 0 && seen < first)
        machine.closed(other.id, .withdrawn, at: now)
        #expect(machine.forgottenRevision == first)
        #expect(machine.items(changedAfter: seen, at: now).map(\.id) == [other.id])
    }
}
