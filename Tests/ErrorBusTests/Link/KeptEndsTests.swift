import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What a node keeps of presentations that have ended, and for how long.
@Suite struct KeptEndsTests {
    private let one = PeerID(1)
    private let client = PeerID(9)
    private let id = PresentationID(1)

    @Test("a result of what was given up here is not confirmed to a client without a link")
    func resultOfAbandoned() {
        var rig = DownlinkRig()
        _ = rig.get(.present(id, wait: 0), from: client)
        let later = rig.run(181_000).map(\.1)
        #expect(later.contains(.cancel(id, generation: 1, reason: .abandoned)))
        let settled = rig.get(.settled(id, .recovered), from: client)
        #expect(settled.verbs(to: client) == [.reject])
        #expect(settled.reject(to: client) == .unknownID)
        // So the client presents again, gets an answer, and reports its result once more.
        let again = rig.get(.present(id, attempt: 2, wait: 0), from: client)
        #expect(again.offers.map(\.generation) == [2])
    }

    @Test("above the limit of waiting answers, one that is asked for again is the latest")
    func askedAgain() {
        var limits = LinkLimits()
        limits.undeliveredMax = 1
        var rig = DownlinkRig.withChild(limits: limits)
        let (first, second) = (PresentationID(1), PresentationID(2))
        func unknown(_ id: PresentationID) -> DownlinkAction {
            .settled(id, answer: Message.sampleAnswer, .unknown)
        }
        _ = rig.get(.present(first), from: one)
        _ = rig.answer(first)
        rig.pass(500)
        _ = rig.get(.present(second), from: one)
        #expect(rig.answer(second).contains(unknown(first)))
        rig.pass(400)
        let again = rig.get(.present(first, attempt: 2), from: one)
        #expect(again == [.send(.answered(first, .decision()), to: one), unknown(second)])
    }

    @Test("a withdrawal of what was never asked goes after ten minutes, though nothing else is due")
    func unasked() {
        var rig = DownlinkRig()
        _ = rig.get(.withdraw(id: id, reason: .origin), from: client)
        #expect(rig.machine.entries.count == 1)
        #expect(rig.machine.nextDue == rig.now + 600_000)
        _ = rig.run(600_000)
        #expect(rig.machine.entries.isEmpty)
        #expect(rig.machine.nextDue == nil)
    }

    @Test("the origin's word on what a hop gave up long ago has ten minutes of its own")
    func withdrawnLongAfter() {
        var rig = UplinkRig.live()
        _ = rig.present(id, isForwarded: true)
        _ = rig.get(.accepted(id: id, attempt: 1))
        _ = rig.machine.disconnected("x", at: rig.now)
        _ = rig.machine.withdrew(id, reason: .abandoned, at: rig.now)
        _ = rig.run(590_000)
        #expect(rig.withdraw(id).sent == [])
        _ = rig.run(60_000)
        while rig.machine.connected(at: rig.now).isEmpty { _ = rig.run(100) }
        #expect(rig.get(UplinkRig.welcome()).sent == [.withdraw(id: id, reason: .origin)])
    }

    @Test("what is asked again after it was given up has no state by the one who had it before")
    func formerAuthor() {
        var rig = DownlinkRig()
        _ = rig.get(.present(id, wait: 0), from: client)
        _ = rig.machine.moved(id, generation: 1, to: .claimed, by: "ann", at: rig.now)
        _ = rig.run(181_000)
        let again = rig.get(.present(id, attempt: 2, wait: 0), from: client)
        let pending = Message.Pending(id: id, state: .relayed, sinceMilliseconds: 0, by: nil)
        #expect(again.sent(to: client) == [.pending(pending)])
    }
}
