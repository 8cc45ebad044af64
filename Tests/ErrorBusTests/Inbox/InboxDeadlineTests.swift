import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What people do after the deadline of a presentation whose end was not noticed yet, as in a
/// process that was stopped for a while.
struct InboxDeadlineTests {
    private var machine = InboxMachine(limits: InboxLimits())
    private let now = ManualTime().now
    private let id = PresentationID(1)
    private let ann = SignedInPerson("ann")
    private let bob = SignedInPerson("bob")

    private var deadline: Moment { now + .seconds(60) }
    private var justBefore: Moment { now + .seconds(59) }

    private func key(_ number: UInt64) -> UniqueID { PresentationID(1_000 + number).value }

    private func answer(_ number: UInt64 = 1) -> Answer {
        Answer(id: key(number), option: "retry", by: "ann", via: .person)
    }

    private mutating func open(isLimited: Bool = true) {
        var drop = ErrorReport.Option(id: "drop", title: "Drop")
        drop.needsTwoPeople = true
        let report = ErrorReport(
            domain: "d", description: "full", options: [drop, .init(id: "retry", title: "Retry")])
        var presentation = InboxPresentation(id: id, report: report, origin: "w")
        if isLimited { presentation.deadline = deadline.instant }
        #expect(machine.opened(presentation, at: now) != nil)
    }

    @Test("From its deadline on a presentation takes no answer; one just before counts")
    mutating func answered() throws {
        open()
        let (given, late) = (answer(), deadline)
        let refusal = InboxRefusal.closed(.expired, at: late)
        for undo in [Duration.zero, .seconds(5)] {
            #expect(throws: refusal) {
                try machine.answer(id, with: given, undo: undo, at: late)
            }
        }
        let later = late + .seconds(3_600)
        #expect(throws: InboxRefusal.closed(.expired, at: later)) {
            try machine.answer(id, with: given, undo: .zero, at: later)
        }
        #expect(machine.openCount == 1)
        let decision = try machine.answer(id, with: given, undo: .zero, at: justBefore)
        #expect(decision == .send(given))
    }

    @Test("An accepted answer that comes again after the deadline is acknowledged")
    mutating func repeated() throws {
        for undo in [Duration.zero, .seconds(5)] {
            machine = InboxMachine(limits: InboxLimits())
            open()
            let (given, late) = (answer(), deadline)
            _ = try machine.answer(id, with: given, undo: undo, at: justBefore)
            let again = try machine.answer(id, with: given, undo: undo, at: late)
            #expect(again == .acknowledged(given))
            // What was held leaves all the same.
            let left = machine.left(id, given.id, at: late)
            let held: Answer? = undo > .zero ? given : nil
            #expect(left == held)
            #expect(throws: InboxRefusal.self) {
                try machine.answer(id, with: answer(2), undo: .zero, at: late)
            }
        }
    }

    @Test("From its deadline on no option of a presentation is proposed")
    mutating func proposed() throws {
        open()
        let late = deadline
        #expect(throws: InboxRefusal.closed(.expired, at: late)) {
            try machine.propose(id, option: "drop", by: ann, as: key(3), at: late)
        }
        #expect(machine.items[id]?.proposal == nil)
        let made = try machine.propose(id, option: "drop", by: ann, as: key(3), at: justBefore)
        #expect(machine.items[id]?.proposal?.id == made.id)
    }

    /// The proposal was made before the presentation had a deadline, and ends later.
    @Test("A proposal that stands at the deadline is not confirmed from then on")
    mutating func confirmed() throws {
        open(isLimited: false)
        let made = try machine.propose(id, option: "drop", by: ann, as: key(3), at: now)
        open()
        let late = deadline
        let standing = try machine.item(id, at: late).proposal
        #expect(standing?.id == made.id)
        #expect(throws: InboxRefusal.closed(.expired, at: late)) {
            try machine.confirm(
                id, made.id, option: "drop", by: bob, as: key(4), undo: .zero, at: late)
        }
        #expect(machine.openCount == 1)
        guard
            case .send(let both) = try machine.confirm(
                id, made.id, option: "drop", by: bob, as: key(4), undo: .zero, at: justBefore)
        else {
            Issue.record("not sent")
            return
        }
        #expect(both.isOfTwoPeople)
    }
}
