import ErrorBusTesting
import Foundation
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What people write on a presentation.
struct InboxNotesTests {
    private var machine = InboxMachine(limits: InboxLimits())
    private let now = ManualTime().now
    private let id = PresentationID(1)
    private let presentation = InboxPresentation(
        id: PresentationID(1), report: ErrorReport(domain: "d", description: "broken"))

    private func note(_ number: UInt64, _ text: String = "called Bob", by: String = "ann")
        -> InboxNote
    {
        InboxNote(id: PresentationID(number).value, by: by, text: text, at: now)
    }

    private var texts: [String] {
        get throws { try machine.item(id, at: now).notes.map(\.text) }
    }

    @Test("A note is a change without another stage; repeating it is none")
    mutating func noted() throws {
        _ = machine.opened(presentation, at: now)
        let before = try machine.item(id, at: now)
        #expect(try machine.noted(id, note(7), at: now) == note(7))
        let after = try machine.item(id, at: now)
        #expect(after.notes == [note(7)] && after.revision > before.revision)
        #expect(after.stage == before.stage && after.changedAt == before.changedAt)
        #expect(try machine.noted(id, note(7), at: now + .seconds(1)) == nil)
        #expect(machine.revision == after.revision)
        #expect(throws: InboxRefusal.otherNote(by: "ann")) {
            try machine.noted(id, note(7, "another"), at: now)
        }
        #expect(throws: InboxRefusal.unknown(PresentationID(2))) {
            try machine.noted(PresentationID(2), note(8), at: now)
        }
    }

    @Test("An ended presentation takes notes; presented again it still has them")
    mutating func ended() throws {
        _ = machine.opened(presentation, at: now)
        _ = try machine.noted(id, note(7), at: now)
        machine.closed(id, .withdrawn, at: now)
        _ = try machine.noted(id, note(8, "it was the disk"), at: now)
        #expect(try texts == ["called Bob", "it was the disk"])
        _ = machine.opened(presentation, at: now)
        #expect(try texts == ["called Bob", "it was the disk"])
        #expect(try machine.item(id, at: now).isOpen)
    }

    @Test("One note too many is refused, and the others stay")
    mutating func bounded() throws {
        _ = machine.opened(presentation, at: now)
        let limit = machine.limits.noteMax
        for number in 1...limit {
            _ = try machine.noted(id, note(UInt64(number)), at: now)
        }
        #expect(throws: InboxRefusal.tooManyNotes(allowed: limit)) {
            try machine.noted(id, note(99), at: now)
        }
        #expect(try texts.count == limit)
        #expect(try machine.noted(id, note(1), at: now) == nil)
    }
}
