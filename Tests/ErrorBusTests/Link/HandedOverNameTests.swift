import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// The holder of a name leaves while another process claims the name.
@Suite struct HandedOverNameTests {
    private let one = PeerID(1)
    private let two = PeerID(2)
    private let id = PresentationID(1)

    /// The holder is on peer 1 and has presented; the claimant is on peer 2.
    private func claimed() -> DownlinkRig {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(id), from: one)
        let actions = rig.get(.hello("a", boot: 2), from: two)
        #expect(actions.verbs(to: one) == [.ping])
        #expect(actions.verbs(to: two) == [])
        return rig
    }

    @Test("the holder's BYE leaves the name to the process that claims it, at once")
    func leaves() {
        var rig = claimed()
        _ = rig.run(1_000)
        let actions = rig.get(.bye(reason: "done"), from: one)
        #expect(actions.verbs(to: two) == [.welcome])
        #expect(actions.reject(to: two) == nil)
        #expect(actions.contains(.log(.down("a", reason: "it left: done"))))
        #expect(actions.contains(.log(.up("a"))))
        #expect(rig.machine.namesOfPeers[two] == "a")
        #expect(rig.machine.children["a"]?.boot == BootID(number: 2))
        // The claim is over, and the new holder is served.
        let later = rig.run(3_000).map(\.1)
        #expect(later.verbs(to: two) == [])
        let ping = rig.get(.ping(1), from: two)
        #expect(ping.verbs(to: two) == [.pong])
        let late = rig.get(.ping(1), from: one)
        #expect(late.drops == [.supersededLink])
    }

    @Test("what the former process presented is out of reach until the new one presents it")
    func presentedBefore() {
        var rig = claimed()
        let left = rig.get(.bye(reason: "done"), from: one)
        #expect(left.contains(.reachable(id, false)))
        let again = rig.get(.present(id), from: two)
        #expect(again.contains(.reachable(id, true)))
        #expect(again.verbs(to: two) == [.accepted])
    }

    @Test("any other message of the holder ends the claim, and a later BYE leaves the name free")
    func livesOn() {
        var rig = claimed()
        let answered = rig.get(.pong(1), from: one)
        #expect(answered.reject(to: two) == .notYours)
        let left = rig.get(.bye(reason: "done"), from: one)
        #expect(left.verbs(to: two) == [])
        let greeted = rig.get(.hello("a", boot: 2), from: two)
        #expect(greeted.verbs(to: two) == [.welcome])
    }

    @Test("a claimant that has got another name meanwhile does not get the first as well")
    func otherName() {
        var rig = claimed()
        let other = rig.get(.hello("b", boot: 2), from: two)
        #expect(other.verbs(to: two) == [.welcome])
        let left = rig.get(.bye(reason: "done"), from: one)
        #expect(left.verbs(to: two) == [])
        #expect(rig.machine.namesOfPeers[two] == "b")
        #expect(rig.machine.children["a"]?.isReachable == false)
    }
}
