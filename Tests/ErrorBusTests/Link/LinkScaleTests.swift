import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Work grows with what happens, not with what is held.
@Suite struct LinkScaleTests {
    private func peer(_ number: Int) -> PeerID {
        PeerID(
            socket: 0,
            envelope: Envelope(frames: [[UInt8(number >> 8), UInt8(number & 0xFF)], []]))
    }

    private func crowd(_ count: Int) -> DownlinkRig {
        var limits = LinkLimits()
        limits.openPerNodeMax = 1_000_000
        var rig = DownlinkRig(limits: limits)
        for number in 0..<count {
            _ = rig.get(.hello(NodeName("c\(number)") ?? "x"), from: peer(number))
        }
        return rig
    }

    @Test("1000 children, 10 000 open: presented, answered, settled", .timeLimit(.minutes(10)))
    func downlink() {
        var rig = crowd(1000)
        for number in 0..<10_000 {
            let id = PresentationID(UInt64(number))
            #expect(rig.get(.present(id), from: peer(number % 1000)).count == 1)
            _ = rig.machine.nextDue
        }
        #expect(rig.machine.unsettledCount == 10_000)
        for number in 0..<10_000 {
            let id = PresentationID(UInt64(number))
            _ = rig.answer(id)
            _ = rig.get(.settled(id, .recovered), from: peer(number % 1000))
        }
        #expect(rig.machine.unsettledCount == 0)
        #expect(rig.machine.plans.itemCount <= 64)
    }

    @Test("1000 children lost one after the other, with 10 000 open", .timeLimit(.minutes(10)))
    func lost() {
        var rig = crowd(1000)
        for number in 0..<10_000 {
            _ = rig.get(.present(PresentationID(UInt64(number))), from: peer(number % 1000))
        }
        var unreachable = 0
        for number in 0..<1000 {
            unreachable += rig.machine.vanished(peer(number), at: rig.now).count - 1
        }
        #expect(unreachable == 10_000)
    }

    @Test("a client that asks without pause leaves nothing behind")
    func hotClient() {
        var rig = DownlinkRig()
        _ = rig.get(.present(PresentationID(1), left: 100_000), from: PeerID(9))
        for _ in 0..<10_000 {
            let actions = rig.get(
                .await(id: PresentationID(1), waitMilliseconds: 0), from: PeerID(9))
            #expect(actions.count == 1)
        }
        #expect(rig.machine.plans.itemCount <= 66)
    }

    @Test("idle machines tick a bounded number of times a second")
    func idle() {
        var rig = crowd(10)
        for number in 0..<100 {
            _ = rig.get(.present(PresentationID(UInt64(number))), from: peer(number % 10))
        }
        var up = UplinkRig.live()
        for number in 0..<100 as Range<UInt64> {
            _ = up.present(PresentationID(number), deadline: 500_000)
            _ = up.get(.accepted(id: PresentationID(number), attempt: 1))
        }
        var ticks = [0, 0]
        while let due = rig.machine.nextDue, due < 2_000_000 {
            #expect(due > rig.now)
            rig.now = due
            _ = rig.machine.ticked(at: due)
            ticks[0] += 1
        }
        while let due = up.machine.nextDue, due < 2_000_000 {
            #expect(due > up.now)
            up.now = due
            _ = up.machine.ticked(at: due)
            _ = up.get(.pong(0))
            ticks[1] += 1
        }
        // A thousand virtual seconds.
        #expect(ticks[0] < 100)
        #expect(ticks[1] < 100 * 40)
    }

    @Test("10 000 presentations up, lost, welcomed again and answered", .timeLimit(.minutes(10)))
    func uplink() {
        var rig = UplinkRig.live()
        for number in 0..<10_000 as Range<UInt64> {
            _ = rig.present(PresentationID(number))
            _ = rig.get(.accepted(id: PresentationID(number), attempt: 1))
            _ = rig.machine.nextDue
        }
        rig.reconnect()
        _ = rig.get(UplinkRig.welcome())
        var sent = 0
        for _ in 1...10 {
            let actions = rig.run(300).map(\.1) + rig.get(.pong(rig.machine.pingNumber))
            sent += actions.verbs.count { $0 == .present }
        }
        #expect(sent >= 9_980)
        for number in 0..<10_000 as Range<UInt64> {
            let id = PresentationID(number)
            _ = rig.get(.answer(id, .decision()))
            _ = rig.settle(id)
        }
        #expect(rig.machine.remembered.count == 10_000)
    }
}
