import Testing

@testable import ErrorBus
@testable import ErrorBusCore

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

    @Test("A27 After the answer an equal error is a new presentation")
    func afterAnswer() {
        var machine = CoalescingMachine(memberCountMax: 8)
        #expect(machine.arrived(a) == .climb(1))
        #expect(machine.answered(1, a) == .nothing)
        #expect(machine.arrived(a) == .climb(2))
        #expect(machine.arrived(a) == .wait(3))
        // The first one's late news does not concern the second.
        #expect(machine.answered(1, a) == .nothing)
        #expect(machine.ended(1, a, isItsOwn: true) == .nothing)
        #expect(machine.answered(2, a) == .attempt([3]))
    }

    @Test("An unanswered end completes all; a representative's own end lets the next one climb")
    func ended() {
        var machine = CoalescingMachine(memberCountMax: 8)
        for _ in 0..<4 { _ = machine.arrived(a) }
        #expect(machine.ended(1, a, isItsOwn: true) == .promote(2))
        #expect(machine.ended(2, a, isItsOwn: false) == .share([3, 4]))
        #expect(machine.arrived(a) == .climb(5))
        #expect(machine.ended(5, a, isItsOwn: true) == .nothing)
        #expect(machine.isEmpty)
    }

    @Test("A caller that leaves is released, unless promoted or answered at the same moment")
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

    @Test("A full group lets errors climb without it", arguments: [0, 1, 3])
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

    private static func report(_ change: (inout ErrorReport) -> Void = { _ in }) -> ErrorReport {
        var report = ErrorReport(
            domain: "d", code: 1, description: "The disk is full.",
            options: [
                .init(id: "go", title: "Retry", role: .default), .init(id: "no", title: "No"),
            ])
        change(&report)
        return report
    }

    @Test(
        "Equal errors may differ in all other fields",
        arguments: [
            report { $0.failureReason = "another" }, report { $0.severity = .critical },
            report { $0.userInfo = ["host": "b"] }, report { $0.retryCount = 3 },
        ])
    func equal(other: ErrorReport) {
        #expect(CoalescingKey(other) == CoalescingKey(Self.report()))
    }

    @Test(
        "Another domain, code, description, key or option is another error",
        arguments: [
            report { $0.domain = "e" }, report { $0.code = nil }, report { $0.description = "é" },
            report { $0.coalesceKey = "disk" }, report { $0.coalesceKey = $0.description },
            report { $0.options[0].title = "Delete everything" },
            report { $0.options[0].role = .destructive }, report { $0.options[1].id = "stop" },
            report { $0.options[1].isDeclaredDefault = true }, report { $0.options.removeLast() },
            report { $0.options.swapAt(0, 1) },
        ])
    func different(other: ErrorReport) {
        #expect(CoalescingKey(other) != CoalescingKey(Self.report()))
    }

    @Test("A declared key counts within its domain, with the same options, not code and text")
    func declared() {
        func key(_ change: (inout ErrorReport) -> Void) -> CoalescingKey {
            CoalescingKey(
                Self.report {
                    $0.coalesceKey = "disk"
                    change(&$0)
                })
        }
        let disk = key { _ in }
        #expect(
            key {
                $0.code = 2
                $0.description = "Disk b is full."
            } == disk)
        #expect(key { $0.coalesceKey = "disc" } != disk)
        #expect(key { $0.domain = "e" } != disk)
        #expect(key { $0.options[0].title = "Delete everything" } != disk)
        #expect(key { $0.options[0].role = .destructive } != disk)
    }

    @Test("Texts are compared by bytes, since normalizing may take seconds")
    func bytes() {
        let (composed, decomposed) = (
            Self.report { $0.description = "\u{E9}" }, Self.report { $0.description = "e\u{301}" }
        )
        #expect(composed.description == decomposed.description)
        #expect(CoalescingKey(composed) != CoalescingKey(decomposed))
    }
}
