import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// The end of the time in which an answer can be undone.
struct InboxUndoTests {
    private var machine = InboxMachine(limits: InboxLimits())
    private let now = ManualTime().now
    private let id = PresentationID(1)
    private let answer = Answer(
        id: PresentationID(1_001).value, option: "retry", by: "ann", via: .person)

    private let report = ErrorReport(
        domain: "d", description: "broken", options: [.init(id: "retry", title: "Retry")])

    /// Holds the answer for 5 s; returns the number of the group.
    private mutating func hold() throws -> Int {
        let opened = machine.opened(InboxPresentation(id: id, report: report), at: now)
        _ = try machine.answer(id, with: answer, undo: .seconds(5), at: now)
        return try #require(opened).group
    }

    // As in a process that was stopped for a while.
    @Test("Once its time is over an answer is not undone, also while it has not left yet")
    mutating func over() throws {
        let (group, meant, late) = (try hold(), Set([answer.id]), now + .seconds(5))
        #expect(throws: InboxRefusal.nothingToUndo) { try machine.undo(id, at: late) }
        #expect(throws: InboxRefusal.nothingToUndo) {
            _ = try machine.undoGroup(group, only: meant, at: late)
        }
        #expect(machine.left(id, answer.id, at: late) == answer)
    }

    @Test("Just before the end of its time an answer is undone, alone or with its group")
    mutating func inTime() throws {
        let soon = now + .milliseconds(4_999)
        _ = try hold()
        try machine.undo(id, at: soon)
        #expect(machine.openCount == 1)
        machine = InboxMachine(limits: InboxLimits())
        let group = try hold()
        #expect(try machine.undoGroup(group, only: [answer.id], at: soon) == [id])
    }

    @Test("An answer for a group leaves out what an undo has reopened since its author looked")
    mutating func reopened() throws {
        let other = PresentationID(2)
        _ = machine.opened(InboxPresentation(id: other, report: report), at: now)
        let group = try hold()
        let seen = machine.revision
        try machine.undo(id, at: now + .seconds(1))
        #expect(try machine.members(ofGroup: group, seen: seen) == [other])
        #expect(try machine.members(ofGroup: group, seen: machine.revision) == [other, id])
    }
}
