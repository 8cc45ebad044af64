import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Pauses and limits that grow with each failure stay within their bounds, however long the
/// failures go on.
@Suite struct LinkLongRunTests {
    private let id = PresentationID(1)

    /// The second at whose end the machine has done this, with its parent alive; nil: none of
    /// `most`.
    private func second(
        _ rig: inout UplinkRig, of action: UplinkAction, within most: Int
    ) -> Int? {
        for second in 1...most {
            if rig.runAlive(1_000).contains(where: { $0.1 == action }) { return second }
        }
        return nil
    }

    // MARK: Tries

    @Test("the pause before the next socket stays at its maximum, however often a try has failed")
    func backOff() {
        var rig = UplinkRig()
        _ = rig.machine.started(at: rig.now)
        let growing: [UInt64] = [100, 200, 400, 800, 1_600, 3_200]
        for failure in 0..<100 {
            _ = rig.machine.giveUp("no connection", at: rig.now)
            let least = failure < growing.count ? growing[failure] : 3_500
            let opened = rig.run(4_400).first { $0.1 == .open(parent: 0) }
            #expect(
                (least...least + least / 4).contains(opened?.at ?? 0),
                "after \(failure) failures")
        }
    }

    @Test("a message is sent again after a pause of 30 s, however often it was sent before")
    func resendDelay() {
        var jitter = Jitter(seed: 1)
        let growing: [UInt64] = [1, 2, 4, 8, 16]
        for tries in 1...200 {
            let seconds = tries <= growing.count ? growing[tries - 1] : 30
            let delay = jitter.resendDelay(afterTries: tries)
            #expect((seconds * 1_000...seconds * 1_250).contains(delay), "after \(tries) tries")
        }
    }

    // MARK: Returns

    @Test("the first parent gets 40 s to greet, however often a return has failed")
    func greetingOfReturn() {
        var rig = UplinkRig.live(parents: 2)
        _ = rig.get(.bye(reason: "shutdown"))
        _ = rig.run(200)
        _ = rig.machine.connected(at: rig.now)
        _ = rig.get(UplinkRig.welcome(boot: 51))
        #expect(rig.machine.parent == 1)
        let openProbe = UplinkAction.openProbe(parent: 0)
        for failure in 1...70 {
            let opened = second(&rig, of: openProbe, within: 38)
            #expect(opened != nil, "return \(failure)")
            // It was not given up meanwhile.
            let lost = rig.machine.probeLost("refused", at: rig.now)
            #expect(lost == [.closeProbe], "return \(failure)")
        }
        let opened = second(&rig, of: openProbe, within: 38)
        #expect(opened != nil)
        _ = rig.runAlive(16_000)
        let hello = rig.machine.probeConnected(at: rig.now)
        #expect(hello == [.sendProbe(rig.machine.hello)])
        _ = rig.runAlive(20_000)
        let moved = rig.machine.probeReceived(UplinkRig.welcome(boot: 60), at: rig.now)
        #expect(moved.contains(.adoptProbe))
        #expect(rig.machine.parent == 0)
    }

    private static func relay(_ name: NodeName) -> Message {
        .welcome(
            Message.Welcome(
                node: name, boot: BootID(number: 70), maxHeader: 8192, maxPayload: 262_144,
                maxOpen: 1024, pingMilliseconds: 4000, path: [name, "top"]))
    }

    /// The other parent says WELCOME on the second socket, and the parent in use lets go.
    private func move(_ rig: inout UplinkRig, to name: NodeName) {
        _ = rig.machine.probeConnected(at: rig.now)
        _ = rig.machine.probeReceived(Self.relay(name), at: rig.now)
        _ = rig.get(.withdrawn(id: id))
        // A number above that of any PRESENT of this test.
        _ = rig.get(.accepted(id: id, attempt: 1_000))
    }

    @Test("a parent that loses its way up again and again is tried after 20 minutes at most")
    func returnToUnsteadyParent() throws {
        var rig = UplinkRig(parents: 2)
        _ = rig.machine.started(at: rig.now)
        _ = rig.machine.connected(at: rig.now)
        _ = rig.get(Self.relay("one"))
        _ = rig.present(id)
        _ = rig.get(.accepted(id: id, attempt: 1))
        for cutOff in 1...8 {
            _ = rig.get(.pending(.init(id: id, state: .unreachable)))
            let aside = second(&rig, of: .openProbe(parent: 1), within: 21)
            #expect(aside != nil, "cut off \(cutOff)")
            move(&rig, to: "two")
            #expect(rig.machine.parent == 1)
            let back = second(&rig, of: .openProbe(parent: 0), within: 1_200)
            let pause = try #require(back, "cut off \(cutOff)")
            let least = 30 << min(cutOff - 1, 5)
            #expect((least...least * 5 / 4 + 1).contains(pause), "cut off \(cutOff)")
            move(&rig, to: "one")
            #expect(rig.machine.parent == 0)
        }
    }
}
