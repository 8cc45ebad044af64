import ErrorBusTesting
import Foundation
import Testing

@testable import ErrorBus

struct InboxMachineTests {
    private var machine = InboxMachine(limits: InboxLimits())
    private let start = ManualTime().now

    private func id(_ number: UInt64) -> PresentationID { PresentationID(number) }

    private func question(
        _ number: UInt64, code: Int = 1, key: String? = nil, origin: NodeName = "w"
    ) -> InboxPresentation {
        var report = ErrorReport(
            domain: "d", code: code, description: "broken",
            options: [.init(id: "retry", title: "Retry"), .init(id: "cancel", title: "Cancel")])
        report.coalesceKey = key
        return InboxPresentation(id: id(number), report: report, origin: origin)
    }

    private func answer(_ option: String = "retry", by: String = "ann", _ number: UInt64 = 1)
        -> Answer
    {
        Answer(id: id(1000 + number).value, option: option, by: by, via: .person)
    }

    private mutating func open(_ numbers: UInt64..., code: Int = 1, key: String? = nil) {
        for number in numbers {
            #expect(machine.opened(question(number, code: code, key: key), at: start) != nil)
        }
    }

    @Test("A23 the first answer counts; a repetition is acknowledged, another is refused")
    mutating func secondAnswer() throws {
        open(1)
        let first = answer()
        #expect(try machine.answer(id(1), with: first, undo: .zero, at: start) == .send(first))
        #expect(
            try machine.answer(id(1), with: first, undo: .zero, at: start) == .acknowledged(first))
        #expect(throws: InboxRefusal.answered(first, at: start)) {
            try machine.answer(id(1), with: answer("cancel", by: "bob", 2), undo: .zero, at: start)
        }
    }

    @Test("A22 an option that is not offered leaves it open")
    mutating func notOffered() {
        open(1)
        #expect(throws: InboxRefusal.notOffered(option: "x", offered: ["retry", "cancel"])) {
            try machine.answer(id(1), with: answer("x"), undo: .zero, at: start)
        }
        #expect(machine.openCount == 1)
    }

    @Test("an option that its node cannot sign leaves it open, at once and not after the undo time")
    mutating func unsignable() {
        var presentation = question(1)
        presentation.unsignable = ["retry"]
        #expect(machine.opened(presentation, at: start) != nil)
        #expect(throws: InboxRefusal.cannotSign(option: "retry")) {
            try machine.answer(id(1), with: answer("retry"), undo: .seconds(5), at: start)
        }
        #expect(machine.openCount == 1)
    }

    @Test("A26 equal errors are one group, adjacent or not, and keys go before codes")
    mutating func groups() {
        open(1, 2)
        open(3, code: 2)
        open(4)
        open(5, code: 9, key: "db")
        open(6, code: 8, key: "db")
        let groups = machine.openGroups(at: start)
        #expect(groups.map(\.members) == [[id(1), id(2), id(4)], [id(3)], [id(5), id(6)]])
    }

    @Test("A group has the same options in every member, and one domain")
    mutating func differentOptions() throws {
        var cache = question(1, key: "timeout")
        cache.report.options[0] = .init(id: "go", title: "Retry", role: .default)
        var ledger = question(2, key: "timeout")
        ledger.report.options[0] = .init(id: "go", title: "Delete it", role: .destructive)
        var other = cache
        (other.id, other.report.domain) = (id(3), "e")
        for question in [cache, ledger, other] { _ = machine.opened(question, at: start) }
        #expect(machine.openGroups(at: start).map(\.members) == [[id(1)], [id(2)], [id(3)]])
    }

    @Test("A27 an equal error after the answer is a new group")
    mutating func newGroup() throws {
        open(1)
        let before = try machine.item(id(1), at: start).group
        _ = try machine.answer(id(1), with: answer(), undo: .zero, at: start)
        open(2)
        #expect(try machine.item(id(2), at: start).group > before)
        #expect(throws: InboxRefusal.unknownGroup(before)) {
            try machine.members(ofGroup: before, seen: nil)
        }
    }

    @Test("A27 a group's answer covers what its author had seen")
    mutating func seen() throws {
        open(1, 2)
        let seen = machine.revision
        open(3)
        let group = try machine.item(id(1), at: start).group
        #expect(try machine.members(ofGroup: group, seen: seen) == [id(1), id(2)])
        #expect(try machine.members(ofGroup: group, seen: nil).count == 3)
    }

    @Test("A35 a claim keeps others from answering until it ends, or is taken over")
    mutating func claims() throws {
        open(1)
        let until = try machine.claim(
            id(1), by: "ann", for: .seconds(60), takesOver: false, at: start)
        let refusal = InboxRefusal.claimed(by: "ann", until: until)
        #expect(throws: refusal) {
            try machine.answer(id(1), with: answer(by: "bob"), undo: .zero, at: start)
        }
        #expect(throws: refusal) {
            try machine.claim(id(1), by: "bob", for: .seconds(1), takesOver: false, at: start)
        }
        #expect(throws: refusal) { try machine.release(id(1), by: "bob", at: start) }
        _ = try machine.claim(id(1), by: "bob", for: .seconds(10), takesOver: true, at: start)
        #expect(try machine.item(id(1), at: start + .seconds(9)).stage != .open)
        #expect(try machine.item(id(1), at: start + .seconds(10)).stage == .open)
        let late = answer(by: "cid")
        #expect(
            try machine.answer(id(1), with: late, undo: .zero, at: start + .seconds(10))
                == .send(late))
    }

    @Test("An answer can be undone until it is sent, which is before the deadline")
    mutating func undo() throws {
        var question = question(1)
        question.deadline = start.instant + .seconds(3)
        _ = machine.opened(question, at: start)
        let first = answer()
        #expect(
            try machine.answer(id(1), with: first, undo: .seconds(10), at: start)
                == .hold(first, until: start + .seconds(3)))
        try machine.undo(id(1), at: start + .seconds(1))
        #expect(machine.left(id(1), first.id, at: start + .seconds(3)) == nil)
        #expect(machine.openGroups(at: start).map(\.members) == [[id(1)]])
        let second = answer("cancel", 2)
        _ = try machine.answer(id(1), with: second, undo: .seconds(1), at: start)
        #expect(machine.left(id(1), second.id, at: start + .seconds(1)) == second)
        #expect(throws: InboxRefusal.nothingToUndo) { try machine.undo(id(1), at: start) }
    }

    @Test("F41 an undone answer stays undone, alone or with its group")
    mutating func takenBack() throws {
        open(1)
        let first = answer()
        for number in 1...2 {
            let later = start + .seconds(number)
            let given = Answer(
                id: number == 1 ? first.id : id(77).value, option: "retry", by: "ann",
                via: .person)
            _ = try machine.answer(id(1), with: given, undo: .seconds(10), at: later)
            if number == 1 {
                try machine.undo(id(1), at: later)
            } else {
                let group = try machine.item(id(1), at: later).group
                #expect(try machine.undoGroup(group, only: [given.id], at: later) == [id(1)])
            }
            #expect(throws: InboxRefusal.takenBack) {
                try machine.answer(id(1), with: given, undo: .seconds(10), at: later)
            }
            #expect(machine.left(id(1), given.id, at: later + .seconds(10)) == nil)
        }
        let another = answer("cancel", 9)
        #expect(
            try machine.answer(id(1), with: another, undo: .zero, at: start) == .send(another))
    }

    @Test("F42 a presentation reopened by an undo or a claim's end can be neglected again")
    mutating func neglected() throws {
        open(1)
        func neglect(_ seconds: Int) -> InboxNeglect {
            machine.neglect(of: id(1), after: .seconds(20), at: start + .seconds(seconds))
        }
        func again(_ seconds: Int) -> InboxNeglect {
            .lookAgain(at: start.instant + .seconds(seconds))
        }
        #expect(neglect(0) == again(20))
        #expect(neglect(20) == .neglected)
        _ = try machine.answer(
            id(1), with: answer(), undo: .seconds(10), at: start + .seconds(15))
        #expect(neglect(20) == again(25))
        try machine.undo(id(1), at: start + .seconds(22))
        #expect(neglect(25) == again(45))
        try machine.release(id(1), by: "ann", at: start + .seconds(30))
        #expect(neglect(45) == again(50))
        #expect(neglect(50) == .neglected)
        _ = try machine.claim(
            id(1), by: "ann", for: .seconds(300), takesOver: false, at: start + .seconds(50))
        #expect(neglect(60) == again(80))
        #expect(neglect(350) == .neglected)
        let last = answer("retry", 2)
        _ = try machine.answer(id(1), with: last, undo: .zero, at: start + .seconds(60))
        #expect(neglect(80) == .over)
    }

    @Test("An answer comes before a neglected presentation is closed, or is refused")
    mutating func closesNeglected() throws {
        open(1)
        open(2)
        _ = try machine.answer(id(2), with: answer(), undo: .seconds(20), at: start)
        let (due, limit) = (start + .seconds(10), Duration.seconds(10))
        #expect(machine.declineNeglected(id(1), after: limit, at: due) == .neglected)
        #expect(machine.declineNeglected(id(2), after: limit, at: due) != .neglected)
        #expect(throws: InboxRefusal.closed(.declined, at: due)) {
            try machine.answer(id(1), with: answer(), undo: .zero, at: due)
        }
        guard case .leaving = try machine.item(id(2), at: due).stage else {
            Issue.record("not held")
            return
        }
    }

    @Test("A23 an unanswered end refuses an answer with the reason")
    mutating func closed() {
        open(1)
        machine.closed(id(1), .withdrawn, at: start)
        #expect(throws: InboxRefusal.closed(.withdrawn, at: start)) {
            try machine.answer(id(1), with: answer(), undo: .zero, at: start)
        }
        #expect(throws: InboxRefusal.unknown(id(9))) {
            try machine.answer(id(9), with: answer(), undo: .zero, at: start)
        }
        #expect(machine.openGroups(at: start).isEmpty)
    }

    @Test("Another presenter's answer stands, even against one given here at the same moment")
    mutating func answeredElsewhere() throws {
        open(1)
        _ = try machine.answer(id(1), with: answer(), undo: .zero, at: start)
        let winner = answer("cancel", by: "bob", 2)
        machine.decided(id(1), winner, at: start)
        machine.settled(id(1), winner.id, .failed, at: start)
        #expect(try machine.item(id(1), at: start).stage == .settled(winner, .failed))
    }

    @Test("A38 a recovered operation that came back has failed again")
    mutating func failedAgain() throws {
        open(1)
        let first = answer()
        _ = try machine.answer(id(1), with: first, undo: .zero, at: start)
        machine.settled(id(1), first.id, .recovered, at: start)
        #expect(try machine.item(id(1), at: start).ending == "recovered")
        let seen = machine.revision
        var again = question(2)
        again.report.retryOf = id(1)
        #expect(machine.opened(again, at: start) != nil)
        #expect(try machine.item(id(1), at: start).failedAgain == id(2))
        #expect(try machine.item(id(1), at: start).ending == "failed again")
        #expect(machine.items(changedAfter: seen, at: start).map(\.id) == [id(2), id(1)])
    }

    @Test("A28 an expired presentation shows the option that its origin applies, if offered")
    mutating func expired() throws {
        for (number, option) in [(1, nil), (2, "retry"), (3, "gone")] as [(UInt64, String?)] {
            var question = question(number)
            question.report.onExpiry = option
            _ = machine.opened(question, at: start)
            machine.closed(id(number), .expired, at: start)
        }
        let expired = Outcome.Reason.expired
        let words = [expired.words, expired.words(applying: "retry"), expired.words]
        #expect(try (1...3).map { try machine.item(id($0), at: start).ending } == words)
    }

    @Test("A group's held answers are undone together")
    mutating func undoGroup() throws {
        open(1, 2, 3)
        let group = try machine.item(id(1), at: start).group
        let meant: Set = [answer("retry", by: "ann", 1).id]
        #expect(throws: InboxRefusal.nothingToUndo) {
            _ = try machine.undoGroup(group, only: meant, at: start)
        }
        for number in [1, 2] as [UInt64] {
            _ = try machine.answer(
                id(number), with: answer("retry", by: "ann", number), undo: .seconds(5), at: start)
        }
        #expect(try machine.undoGroup(group, only: meant, at: start) == [id(1)])
        _ = try machine.answer(
            id(1), with: answer("retry", by: "ann", 4), undo: .seconds(5), at: start)
        #expect(throws: InboxRefusal.nothingToUndo) {
            _ = try machine.undoGroup(group, only: meant, at: start)
        }
        _ = try machine.answer(id(3), with: answer("retry", by: "ann", 3), undo: .zero, at: start)
        let all = Set((1...4).map { answer("retry", by: "ann", $0).id })
        #expect(try machine.undoGroup(group, only: all, at: start) == [id(1), id(2)])
        #expect(machine.openGroups(at: start).map(\.members) == [[id(1), id(2)]])
        #expect(throws: InboxRefusal.unknownGroup(99)) {
            _ = try machine.undoGroup(99, only: all, at: start)
        }
    }

    @Test("A withheld presentation ends, unless a person has claimed it")
    mutating func withheld() throws {
        open(1, 2)
        let until = try machine.claim(
            id(1), by: "bob", for: .seconds(9), takesOver: false, at: start)
        #expect(throws: InboxRefusal.claimed(by: "bob", until: until)) {
            try machine.withheld(id(1), by: "silence 1 (ann)", at: start)
        }
        try machine.withheld(id(2), by: "silence 1 (ann)", at: start)
        #expect(try machine.item(id(2), at: start).stage == .closed(.withheld))
        #expect(machine.openCount == 1)
    }

    @Test("A result is shown with its own answer")
    mutating func resultOfAnother() throws {
        open(1)
        let held = answer()
        _ = try machine.answer(id(1), with: held, undo: .seconds(5), at: start)
        let winner = answer("cancel", by: "bob", 2)
        machine.settled(id(1), winner.id, .failed, at: start)
        #expect(try machine.item(id(1), at: start).answer == held)
        machine.decided(id(1), winner, at: start)
        machine.settled(id(1), winner.id, .failed, at: start)
        #expect(try machine.item(id(1), at: start).stage == .settled(winner, .failed))
    }

    @Test("A known result stands")
    mutating func resultStands() throws {
        open(1)
        let answer = answer()
        _ = try machine.answer(id(1), with: answer, undo: .zero, at: start)
        for (result, shown) in [
            (RecoveryResult.unknown, RecoveryResult.unknown), (.failed, .failed),
            (.unknown, .failed), (.recovered, .failed),
        ] {
            machine.settled(id(1), answer.id, result, at: start)
            #expect(try machine.item(id(1), at: start).stage == .settled(answer, shown))
        }
    }

    @Test("A presentation declined here shows the next presenter's answer")
    mutating func answeredNext() throws {
        open(1)
        machine.closed(id(1), .declined, at: start)
        let winner = answer("cancel", by: "bob", 2)
        machine.decided(id(1), winner, at: start)
        #expect(try machine.item(id(1), at: start).stage == .answered(winner))
    }

    @Test("A repeated presentation is open again, with its own group and result")
    mutating func again() throws {
        open(1)
        open(1)
        #expect(machine.openCount == 1)
        machine.closed(id(1), .withdrawn, at: start)
        open(1)
        #expect(try machine.item(id(1), at: start).isOpen)
        #expect(machine.openGroups(at: start).map(\.members) == [[id(1)]])
    }

    @Test("The inbox and its ended presentations are bounded")
    mutating func bounds() {
        var limits = InboxLimits()
        limits.openMax = 2
        limits.endedMax = 3
        machine = InboxMachine(limits: limits)
        open(1, 2)
        #expect(machine.opened(question(3), at: start) == nil)
        for number in 1...20 as ClosedRange<UInt64> {
            _ = machine.opened(question(number), at: start)
            machine.closed(id(number), .withdrawn, at: start)
        }
        #expect(machine.openCount == 0)
        #expect(Set(machine.items.keys) == [id(18), id(19), id(20)])
    }

    @Test("Readers get the changes since their revision, in order")
    mutating func changes() throws {
        open(1, 2)
        let seen = machine.revision
        #expect(machine.items(changedAfter: seen, at: start).isEmpty)
        machine.contactChanged(id(2), isReachable: false, at: start)
        _ = try machine.claim(id(1), by: "ann", for: .seconds(1), takesOver: false, at: start)
        let changed = machine.items(changedAfter: seen, at: start)
        #expect(changed.map(\.id) == [id(2), id(1)])
        #expect(changed.first?.isReachable == false)
    }

    @Test("A time above its limit is refused")
    mutating func tooLong() {
        open(1)
        #expect(throws: InboxRefusal.tooLong(what: "undo", allowed: .seconds(60))) {
            try machine.answer(id(1), with: answer(), undo: .seconds(61), at: start)
        }
        #expect(throws: InboxRefusal.tooLong(what: "a claim", allowed: .seconds(3_600))) {
            try machine.claim(id(1), by: "ann", for: .seconds(3_601), takesOver: false, at: start)
        }
    }
}
