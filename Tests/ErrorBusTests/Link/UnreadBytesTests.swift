import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// A child sends its parent no more bytes of reports than the parent may leave unread.
@Suite struct UnreadBytesTests {
    private static func id(_ number: Int) -> PresentationID { PresentationID(UInt64(number)) }

    private func presented(_ actions: [UplinkAction]) -> [Int] {
        actions.sent.compactMap {
            if case .present(let present) = $0 { Int(present.id.value.low) } else { nil }
        }
    }

    private func pings(_ actions: [UplinkAction]) -> [UInt64] {
        actions.sent.compactMap { if case .ping(let number) = $0 { number } else { nil } }
    }

    private func ask(_ rig: inout UplinkRig, _ number: Int) -> [UplinkAction] {
        let payload = Frame(repeating: 0x20, count: 1_000)
        let actions = rig.machine.presented(
            UplinkRig.request(Self.id(number), payload: payload), at: rig.now)
        rig.pass(1)
        return actions
    }

    /// At most four reports of 1,000 bytes unread, and six of them presented.
    private func full() -> (rig: UplinkRig, actions: [[UplinkAction]]) {
        var limits = LinkLimits()
        limits.unreadByteCountMax = 4_000
        var rig = UplinkRig.live(limits: limits)
        let actions = (1...6).map { ask(&rig, $0) }
        return (rig, actions)
    }

    @Test("what is more waits, and follows as the parent says that it has read")
    func heldBack() {
        let (start, actions) = full()
        var rig = start
        #expect(actions.map(presented) == [[1], [2], [3], [4], [], []])
        #expect(actions.map(pings) == [[1], [], [], [], [], []])
        // That it holds one does not say that it has read what came after.
        #expect(presented(rig.get(.accepted(id: Self.id(1), attempt: 1))) == [])
        #expect(presented(rig.get(.pong(0))) == [])
        let first = rig.get(.pong(1))
        #expect(presented(first) == [5] && pings(first) == [2])
        let second = rig.get(.pong(2))
        #expect(presented(second) == [6] && pings(second) == [3])
        #expect(rig.machine.line.count == 0)
        _ = rig.get(.pong(3))
        #expect(pings(rig.get(.pong(3))) == [])
    }

    @Test("what it may have and does not acknowledge is not sent again before it has read more")
    func sentAgain() {
        var rig = full().rig
        #expect(presented(rig.run(3_000).map(\.1)) == [])
        #expect(presented(rig.get(.pong(1))).count == 1)
        _ = rig.get(.pong(2))
        #expect(!presented(rig.run(3_000).map(\.1)).isEmpty)
    }

    @Test("what is on its way is not sent again before the parent has read as far")
    func onItsWay() {
        var limits = LinkLimits()
        limits.unreadByteCountMax = 8_000
        var rig = UplinkRig.live(limits: limits)
        // The first two came before the PING.
        #expect((1...3).map { pings(ask(&rig, $0)) } == [[], [1], []])
        #expect(presented(rig.run(3_000).map(\.1)) == [])
        _ = rig.get(.pong(1))
        // The next PING comes behind the third and this one.
        #expect(pings(ask(&rig, 4)) == [2])
        #expect(Set(presented(rig.run(3_000).map(\.1))) == [1, 2])
        _ = rig.get(.pong(2))
        #expect(Set(presented(rig.run(3_000).map(\.1))).isSuperset(of: [3, 4]))
    }

    @Test("what the parent has refused for now was read")
    func refusedForNow() {
        var limits = LinkLimits()
        limits.unreadByteCountMax = 8_000
        var rig = UplinkRig.live(limits: limits)
        #expect((1...2).flatMap { pings(ask(&rig, $0)) } == [1])
        _ = rig.get(
            .reject(.init(.noResponder, "stops", id: Self.id(1), retryMilliseconds: 1_000)))
        #expect(presented(rig.run(2_000).map(\.1)) == [1])
    }

    @Test("a PING without a PONG is repeated, though the parent says other things")
    func lostPing() {
        var rig = full().rig
        for number in 1...4 { _ = rig.get(.accepted(id: Self.id(number), attempt: 1)) }
        #expect(rig.run(2_000).map(\.1).verbs == [])
        _ = rig.get(.accepted(id: Self.id(1), attempt: 1))
        #expect(pings(rig.run(2_000).map(\.1)) == [2])
        #expect(presented(rig.get(.pong(2))) == [5, 6])
    }

    @Test("a parent that reads slowly gets PINGs at growing pauses")
    func slowParent() {
        var rig = full().rig
        var repeated: [UInt64] = []
        for _ in 1...50 {
            repeated += pings(rig.run(1_000).map(\.1))
            _ = rig.get(.accepted(id: Self.id(1), attempt: 1))
        }
        // After 4, 12 and 28 s.
        #expect(repeated == [2, 3, 4])
        #expect(presented(rig.get(.pong(4))).contains(5))
    }

    @Test("callers hear that they wait only where the parent reads slowly")
    func queuedLate() {
        let (start, actions) = full()
        var rig = start
        func queued(_ actions: [UplinkAction]) -> Set<Int> {
            Set(
                actions.compactMap {
                    if case .moved(let id, .queued, "c", _) = $0 { Int(id.value.low) } else { nil }
                })
        }
        #expect(queued(actions.flatMap(\.self)) == [])
        _ = rig.get(.accepted(id: Self.id(1), attempt: 1))
        #expect(queued(rig.run(3_900).map(\.1)) == [])
        // With the second PING.
        _ = rig.get(.accepted(id: Self.id(1), attempt: 1))
        #expect(queued(rig.run(200).map(\.1)) == [5, 6])
    }

    @Test("a silent parent gets one PING for its silence", arguments: [true, false])
    func silentParent(isHeardOf: Bool) {
        var rig = full().rig
        if isHeardOf { _ = rig.get(.accepted(id: Self.id(1), attempt: 1)) }
        #expect(pings(rig.run(11_900).map(\.1)) == [2])
        #expect(rig.machine.isLive)
        #expect(rig.run(200).contains { $0.1 == .linkDown(reason: "silent for 12000 ms") })
    }

    @Test("on a new link nothing is unread, and what the parent does not take yet waits again")
    func newLink() {
        var rig = full().rig
        rig.reconnect()
        #expect(presented(rig.get(UplinkRig.welcome())) == [1, 2, 3, 4])
        #expect(presented(rig.run(1).map(\.1)) == [])
        #expect(rig.machine.line.count == 2)
    }

    @Test("a report that is larger than what may be unread is sent when all before it was read")
    func large() {
        var limits = LinkLimits()
        limits.unreadByteCountMax = 500
        var rig = UplinkRig.live(limits: limits)
        #expect(presented(ask(&rig, 1)) == [1])
        #expect(presented(ask(&rig, 2)) == [])
        #expect(presented(rig.get(.pong(1))) == [2])
    }
}
