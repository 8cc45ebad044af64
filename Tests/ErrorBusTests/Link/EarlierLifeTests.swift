import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What the parent of a relay has of its earlier life, where this life could not reach the parent
/// and presents it to its own people.
@Suite struct EarlierLifeTests {
    /// A relay that has just started, with the child `a` and no parent yet.
    private struct Rig {
        var machine: NodeMachine
        var now: MonotonicTime = 1_000_000
        let id = PresentationID(1)
        let child = PeerID(1)

        init() throws {
            var above = UplinkRig()
            _ = above.machine.started(at: above.now)
            machine = NodeMachine(
                below: DownlinkRig.withChild().machine, above: [above.machine],
                endpoints: [[try Endpoint("ipc:///p")]])
        }

        @discardableResult
        mutating func fromChild(_ message: Message) -> [NodeAction] {
            machine.below(at: now) { [now, child] in
                $0.received(message, from: child, at: now)
            }
        }

        mutating func fromParent(_ message: Message) -> [NodeAction] {
            machine.above(0, at: now) { [now] in $0.received(message, at: now) }
        }

        /// The child is heard of meanwhile.
        @discardableResult
        mutating func pass(_ milliseconds: UInt64) -> [NodeAction] {
            now = now + milliseconds
            fromChild(.pong(0))
            return machine.ticked(at: now)
        }

        /// The child presents, and the grace is over: the chain goes on to people here.
        mutating func presentHere() throws {
            fromChild(.present(id))
            var request = UplinkRig.request(id, grace: 5_000, isForwarded: true)
            request.present.origin = "a"
            request.present.digest = try #require(machine.below.entries[id]?.digest)
            _ = machine.asked(request, on: 0, caller: 1, at: now)
            let isOver = pass(5_000).contains {
                if case .ended(caller: 1, .unreachable) = $0 { true } else { false }
            }
            #expect(isOver)
        }

        /// The parent can be reached: what it gets at once.
        mutating func welcomed() -> [Message] {
            while machine.above[0].connected(at: now).isEmpty { pass(100) }
            return fromParent(UplinkRig.welcome()).up
        }
    }

    @Test("it is withdrawn there, where an earlier life may have presented it")
    func withdrawn() throws {
        var rig = try Rig()
        try rig.presentHere()
        #expect(rig.machine.above[0].placedCount == 0)
        #expect(rig.welcomed() == [.withdraw(id: rig.id, reason: .abandoned)])
        #expect(rig.fromParent(.withdrawn(id: rig.id)).up == [])
        for _ in 0..<610 { rig.pass(1_000) }
        #expect(rig.machine.above[0].entries.isEmpty)
    }

    @Test("what came long after the start is this life's alone, and the parent has nothing of it")
    func own() throws {
        for (seconds, verbs) in [(72, [Verb.withdraw]), (73, [])] as [(Int, [Verb])] {
            var rig = try Rig()
            for _ in 0..<seconds { rig.pass(1_000) }
            try rig.presentHere()
            #expect(rig.machine.above[0].entries.count == verbs.count)
            #expect(rig.welcomed().map(\.verb) == verbs)
        }
    }

    @Test("what its child gives up before people here are asked is left to the parent, as before")
    func givenUpBefore() throws {
        var rig = try Rig()
        rig.fromChild(.present(rig.id))
        let request = UplinkRig.request(rig.id, grace: 5_000, isForwarded: true)
        _ = rig.machine.asked(request, on: 0, caller: 1, at: rig.now)
        _ = rig.machine.gaveUp(rig.id, on: 0, caller: 1, .abandoned, at: rig.now)
        #expect(rig.machine.above[0].entries.isEmpty)
    }

    @Test("an answer given there counts while people here have not answered")
    func answeredAbove() throws {
        var rig = try Rig()
        try rig.presentHere()
        _ = rig.welcomed()
        let answer = rig.fromParent(.answered(rig.id, .decision()))
        #expect(answer.down(to: rig.child) == [.answer])
        #expect(answer.contains(.cancel(rig.id, generation: 1, .abandoned)))
        #expect(rig.fromChild(.settled(rig.id, .recovered)).up == [.settled(rig.id, .recovered)])
    }

    @Test("an answer given there comes late once another was carried out, at once")
    func answeredHere() throws {
        for result in RecoveryResult.allCases {
            var rig = try Rig()
            try rig.presentHere()
            _ = rig.welcomed()
            let (known, actions) = rig.machine.answered(
                rig.id, generation: 1, with: .other, at: rig.now)
            #expect(known == nil)
            #expect(actions.down(to: rig.child) == [.answer])
            #expect(rig.fromParent(.answered(rig.id, .decision())).up == [])
            rig.fromChild(.settled(rig.id, result, answer: Answer.other.id))
            let isCertain = [.recovered, .failed].contains(result)
            let late = Message.settled(rig.id, .late)
            #expect(rig.fromParent(.answered(rig.id, .decision())).up == (isCertain ? [late] : []))
        }
    }

    @Test("an answer given there to what the origin has withdrawn is settled so, at once")
    func withdrawnBelow() throws {
        var rig = try Rig()
        try rig.presentHere()
        _ = rig.welcomed()
        rig.fromChild(.withdraw(id: rig.id, reason: .origin))
        let answer = rig.fromParent(.answered(rig.id, .decision()))
        #expect(answer.up == [.settled(rig.id, .withdrawn)])
    }

    @Test("what the origin withdraws here it withdraws there as well: it may be answered there")
    func withdrawnForGood() throws {
        var rig = try Rig()
        try rig.presentHere()
        _ = rig.welcomed()
        _ = rig.fromParent(.withdrawn(id: rig.id))
        let asked = try #require(rig.machine.below.entries[rig.id]?.asked)
        let withdrawal = rig.fromChild(.withdraw(id: rig.id, reason: .origin))
        #expect(withdrawal.up == [.withdraw(id: rig.id, reason: .origin, asked: asked)])
    }
}
