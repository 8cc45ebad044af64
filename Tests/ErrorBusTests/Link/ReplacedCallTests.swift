import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// A second call for an id takes the place of the first, also where it is refused at once.
@Suite struct ReplacedCallTests {
    private let id = PresentationID(1)

    private func request(_ byteCount: Int, isForwarded: Bool = false) -> UplinkRequest {
        UplinkRig.request(
            id, isForwarded: isForwarded, payload: Frame(repeating: 0x20, count: byteCount))
    }

    @Test(
        "a second call that is refused here ends what the first one presented",
        arguments: [262_144, 1_000] as [UInt64])
    func refused(maxPayload: UInt64) {
        var rig = UplinkRig()
        _ = rig.machine.started(at: rig.now)
        _ = rig.machine.connected(at: rig.now)
        _ = rig.get(UplinkRig.welcome(maxPayload: maxPayload))
        let first = rig.machine.presented(request(1_000), at: rig.now)
        #expect(first.verbs == [.present])
        _ = rig.get(.accepted(id: id, attempt: 1))
        let second = rig.machine.presented(request(Int(maxPayload) + 1), at: rig.now)
        #expect(second.refusals == [.tooLarge])
        #expect(second.sent == [.withdraw(id: id, reason: .origin)])
        #expect(rig.machine.entries[id]?.isOpen == false)
        let confirmed = rig.get(.withdrawn(id: id))
        #expect(confirmed == [])
        let later = rig.runAlive(100_000).map(\.1)
        #expect(later.verbs == [])
    }

    /// The origin's own word alone is final, and another path may ask for it.
    @Test("what a child presented is given up at the parent, after the pause of a hop")
    func forwarded() {
        var rig = UplinkRig.live()
        _ = rig.machine.presented(request(1_000, isForwarded: true), at: rig.now)
        _ = rig.get(.accepted(id: id, attempt: 1))
        let second = rig.machine.presented(request(262_145, isForwarded: true), at: rig.now)
        #expect(second.refusals == [.tooLarge])
        #expect(second.sent == [])
        #expect(rig.machine.entries[id]?.isOpen == false)
        let later = rig.run(2_900)
        #expect(later.map(\.1) == [.send(.withdraw(id: id, reason: .abandoned))])
        #expect(later.map(\.at) == [2_000])
    }

    @Test("of a first call that was never sent nothing is withdrawn, and nothing stays")
    func unsent() {
        var rig = UplinkRig()
        _ = rig.machine.started(at: rig.now)
        _ = rig.machine.presented(request(1_000), at: rig.now)
        let second = rig.machine.presented(request(262_145), at: rig.now)
        #expect(second.refusals == [.tooLarge])
        #expect(second.verbs == [])
        #expect(rig.machine.entries.isEmpty)
        _ = rig.machine.connected(at: rig.now)
        let welcomed = rig.get(UplinkRig.welcome())
        #expect(welcomed.verbs == [])
    }

    /// The parent sent it before the WITHDRAW came, and then takes the presentation for withdrawn.
    @Test("an answer that crosses the withdrawal of the first call is none to the second")
    func crossingAnswer() {
        var rig = UplinkRig.live()
        _ = rig.present(id)
        _ = rig.get(.accepted(id: id, attempt: 1))
        #expect(rig.withdraw(id).verbs == [.withdraw])
        #expect(rig.present(id).verbs == [.present])
        let crossing = rig.get(.answer(id, .decision()))
        #expect(crossing == [.send(.settled(id, .withdrawn))])
        #expect(rig.get(.withdrawn(id: id)).refusals == [.gone])
        #expect(rig.machine.entries.isEmpty)
    }

    @Test("an answer on a new link, or after ACCEPTED, is to the second call")
    func laterAnswer() {
        var accepted = UplinkRig.live()
        _ = accepted.present(id)
        _ = accepted.withdraw(id)
        _ = accepted.present(id)
        var again = accepted
        _ = accepted.get(.accepted(id: id, attempt: 2))
        #expect(accepted.get(.answer(id, .decision())) == [.answered(id, .decision())])
        again.reconnect()
        #expect(again.get(UplinkRig.welcome(boot: 51)).verbs == [.present])
        #expect(again.get(.answer(id, .decision())) == [.answered(id, .decision())])
    }

    @Test("in a node both calls end, and the parent gets WITHDRAW")
    func node() throws {
        let now: MonotonicTime = 1_000_000
        var machine = NodeMachine(
            below: DownlinkRig.withChild().machine, above: [UplinkRig.live().machine],
            endpoints: [[try Endpoint("ipc:///p")]])
        let first = machine.asked(request(1_000), on: 0, caller: 1, at: now)
        #expect(first.up.map(\.verb) == [.present])
        _ = machine.above(0, at: now) { [id] in
            $0.received(.accepted(id: id, attempt: 1), at: now)
        }
        let second = machine.asked(request(262_145), on: 0, caller: 2, at: now)
        #expect(second.contains(.ended(caller: 1, .withdrawn)))
        let isRefused = second.contains { action in
            guard case .ended(caller: 2, .refused(let reject)) = action else { return false }
            return reject.code == .tooLarge
        }
        #expect(isRefused)
        #expect(second.up == [.withdraw(id: id, reason: .origin)])
        #expect(machine.tableSizes.waiting == 0)
    }

    @Test("a call that is refused during an attempt ends the one that waits for its end")
    func refusedDuringAttempt() {
        var rig = UplinkRig.live()
        _ = rig.present(id)
        _ = rig.get(.answer(id, .decision()))
        #expect(rig.present(id) == [])
        let third = rig.machine.presented(request(262_145), at: rig.now)
        #expect(third.refusals == [.tooLarge])
        let settled = rig.settle(id, .withdrawn)
        #expect(settled.verbs == [.settled])
        #expect(rig.machine.openCount == 0)
    }

    @Test("a call that gives up during an attempt is not presented after it")
    func gaveUpDuringAttempt() {
        var rig = UplinkRig.live()
        _ = rig.present(id)
        _ = rig.get(.answer(id, .decision()))
        #expect(rig.present(id) == [])
        #expect(rig.withdraw(id) == [])
        let settled = rig.settle(id, .withdrawn)
        #expect(settled.verbs == [.settled])
        #expect(rig.machine.openCount == 0)
    }
}
