import Testing

@testable import ErrorBus

@Suite("Which of several equal errors climbs")
struct CoalescingMachineTests {
    private let a = CoalescingKey(SampleError(code: 1).report)
    private let b = CoalescingKey(SampleError(code: 2).report)

    @Test("A26 Equal errors wait, adjacent or not, and attempt when the answer comes")
    func answered() {
        var machine = CoalescingMachine(memberCountMax: 8)
        #expect(machine.arrived(a) == .climb(1))
        #expect(machine.arrived(b) == .climb(2))
        #expect(machine.arrived(a) == .wait(3))
        #expect(machine.arrived(a) == .wait(4))
        #expect(machine.answered(1, a) == .attempt([3, 4]))
        #expect(machine.ended(1, a, isItsOwn: false) == .nothing)
        #expect(machine.answered(2, b) == .nothing)
        #expect(machine.isEmpty)
    }

    @Test("A27 After the answer an equal error is a new question")
    func afterAnswer() {
        var machine = CoalescingMachine(memberCountMax: 8)
        #expect(machine.arrived(a) == .climb(1))
        #expect(machine.answered(1, a) == .nothing)
        #expect(machine.arrived(a) == .climb(2))
        #expect(machine.arrived(a) == .wait(3))
        // The first one's late news is none of the second's business.
        #expect(machine.answered(1, a) == .nothing)
        #expect(machine.ended(1, a, isItsOwn: true) == .nothing)
        #expect(machine.answered(2, a) == .attempt([3]))
    }

    @Test("Ended unanswered, all are told; ended for a reason of its own, the next one climbs")
    func ended() {
        var machine = CoalescingMachine(memberCountMax: 8)
        for _ in 0..<4 { _ = machine.arrived(a) }
        #expect(machine.ended(1, a, isItsOwn: true) == .promote(2))
        #expect(machine.ended(2, a, isItsOwn: false) == .share([3, 4]))
        #expect(machine.arrived(a) == .climb(5))
        #expect(machine.ended(5, a, isItsOwn: true) == .nothing)
        #expect(machine.isEmpty)
    }

    @Test("Who leaves is let go, unless promoted or answered in the same moment")
    func left() {
        var machine = CoalescingMachine(memberCountMax: 8)
        for _ in 0..<3 { _ = machine.arrived(a) }
        #expect(machine.left(2, a) == .release(2))
        #expect(machine.left(2, a) == .nothing)
        #expect(machine.left(1, a) == .nothing)
        #expect(machine.ended(1, a, isItsOwn: true) == .promote(3))
        #expect(machine.left(3, a) == .nothing)
        #expect(machine.ended(3, a, isItsOwn: true) == .nothing)
        #expect(machine.left(3, a) == .nothing)
    }

    @Test("A full group lets errors climb by themselves", arguments: [0, 1, 3])
    func full(memberCountMax: Int) {
        var machine = CoalescingMachine(memberCountMax: memberCountMax)
        #expect(machine.arrived(a) == .climb(1))
        for ticket in 0..<memberCountMax {
            #expect(machine.arrived(a) == .wait(UInt64(ticket) + 2))
        }
        #expect(machine.arrived(a) == .climbAlone)
        if memberCountMax > 0 {
            #expect(machine.left(2, a) == .release(2))
            #expect(machine.arrived(a) == .wait(UInt64(memberCountMax) + 2))
        }
    }

    @Test("Equal is a declared key, else domain, code and option ids; texts do not matter")
    func keys() {
        var one = SampleError("one").report
        var two = SampleError("two").report
        two.options = [.init(id: "retry", title: "Retry")]
        #expect(CoalescingKey(one) != CoalescingKey(two))
        one.options = [.init(id: "retry", title: "Erneut versuchen")]
        #expect(CoalescingKey(one) == CoalescingKey(two))
        two.code = 2
        #expect(CoalescingKey(one) != CoalescingKey(two))
        (one.coalesceKey, two.coalesceKey) = ("disk", "disk")
        #expect(CoalescingKey(one) == CoalescingKey(two))
        two.coalesceKey = nil
        #expect(CoalescingKey(one) != CoalescingKey(two))
    }
}
