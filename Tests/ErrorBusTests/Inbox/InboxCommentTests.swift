import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Comments on answers, in an inbox.
struct InboxCommentTests {
    private var machine = InboxMachine(limits: InboxLimits())
    private let now = ManualTime().now

    private func id(_ number: UInt64) -> PresentationID { PresentationID(number) }

    private mutating func open(_ number: UInt64) {
        var drop = ErrorReport.Option(id: "drop", title: "Drop")
        drop.needsTwoPeople = true
        var move = ErrorReport.Option(id: "move", title: "Move")
        move.fields = [.text("path", label: "Path")]
        let report = ErrorReport(
            domain: "d", description: "full",
            options: [drop, move, .init(id: "retry", title: "Retry")])
        let presentation = InboxPresentation(id: id(number), report: report, origin: "w")
        #expect(machine.opened(presentation, at: now) != nil)
    }

    private func answer(_ option: String, _ comment: String?) -> Answer {
        Answer(id: id(1001).value, option: option, by: "ann", via: .person, comment: comment)
    }

    @Test("A held answer keeps its comment beside its values until it leaves")
    mutating func held() throws {
        open(1)
        let given = answer("move", "The disk\nis full.")
        guard
            case .hold(let held, _) = try machine.answer(
                id(1), with: given, ["path": "/a"], undo: .seconds(5), at: now)
        else {
            Issue.record("not held")
            return
        }
        #expect(held.comment == "The disk\nis full." && held.given.values == ["path": "/a"])
        #expect(machine.left(id(1), held.id, at: now) == held)
        #expect(try machine.item(id(1), at: now).answer?.comment == held.comment)
        // The same again is acknowledged; with another comment it is another answer.
        #expect(
            try machine.answer(id(1), with: given, ["path": "/a"], undo: .zero, at: now)
                == .acknowledged(held))
        #expect(throws: InboxRefusal.otherAnswer(by: "ann")) {
            try machine.answer(
                id(1), with: answer("move", "Another."), ["path": "/a"], undo: .zero, at: now)
        }
    }

    @Test("An undone answer takes its comment back")
    mutating func undone() throws {
        open(1)
        _ = try machine.answer(
            id(1), with: answer("retry", "By mistake."), undo: .seconds(5), at: now)
        try machine.undo(id(1), at: now)
        let second = Answer(id: id(1002).value, option: "retry", by: "ann", via: .person)
        #expect(
            try machine.answer(id(1), with: second, undo: .zero, at: now) == .send(second))
        #expect(second.comment == nil)
    }

    @Test("The answer of two people has the comment of the one who proposed")
    mutating func proposed() throws {
        open(1)
        let made = try machine.propose(
            id(1), option: "drop", comment: "It is empty.", by: SignedInPerson("ann"),
            as: id(1001).value, at: now)
        #expect(made.values.comment == "It is empty.")
        // The same again is acknowledged; with another comment it is another proposal.
        #expect(
            try machine.propose(
                id(1), option: "drop", comment: "It is empty.", by: SignedInPerson("ann"),
                as: id(1001).value, at: now) == made)
        #expect(throws: InboxRefusal.proposed(made)) {
            try machine.propose(
                id(1), option: "drop", comment: "It is full.", by: SignedInPerson("ann"),
                as: id(1001).value, at: now)
        }
        guard
            case .send(let answer) = try machine.confirm(
                id(1), made.id, option: "drop", by: SignedInPerson("bob"), as: id(1009).value,
                undo: .zero, at: now)
        else {
            Issue.record("nothing was sent")
            return
        }
        #expect(answer.comment == "It is empty." && answer.isOfTwoPeople)
    }

    @Test("An answer for a group gives each member the comment")
    func group() async throws {
        let inbox = Inbox()
        let report = ErrorReport(
            domain: "d", description: "full", options: [.init(id: "retry", title: "Retry")])
        let asking = (0..<2).map { _ in
            let prompt = Prompt(report, in: PresentationContext(id: .make()))
            return Task { try await inbox.present(prompt) }
        }
        for await _ in inbox.changes() where inbox.openCount == 2 { break }
        let group = try #require(inbox.groups.first)
        let given = try inbox.answerGroup(
            group.number, option: "retry", by: "ann", comment: "The disk is full.")
        #expect(given.answered.count == 2)
        for one in asking { #expect(try await one.value?.comment == "The disk is full.") }
    }
}
