import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// A peer that asks for what another one has asked for.
@Suite struct TakenOverTests {
    private let one = PeerID(1)
    private let two = PeerID(2)
    private let three = PeerID(3)
    private let id = PresentationID(1)

    private func present(
        _ name: NodeName, _ id: PresentationID = PresentationID(1), origin: NodeName = "o"
    ) -> Message {
        .present(id, origin: origin, path: [origin, name])
    }

    /// `b` asked, then `c`.
    private func asked(_ limits: LinkLimits = LinkLimits()) -> DownlinkRig {
        var rig = DownlinkRig(limits: limits)
        for (peer, name) in [(one, "b"), (two, "c")] as [(PeerID, NodeName)] {
            _ = rig.get(.hello(name), from: peer)
            _ = rig.get(present(name), from: peer)
        }
        return rig
    }

    // MARK: In the place of what is gone

    @Test("a client without a link that asks for what a lost child has asked is within reach")
    func requester() {
        var rig = DownlinkRig.withChild()
        let client = PeerID(9)
        _ = rig.get(.present(id), from: one)
        let left = rig.get(.bye(reason: "done"), from: one)
        #expect(left.contains(.reachable(id, false)))
        rig.pass(30_000)
        let asked = rig.get(.present(id, attempt: 2, wait: 20_000), from: client)
        #expect(asked.contains(.reachable(id, true)))
        // Its own lease counts, not the time since the child was lost.
        let later = rig.run(100_000).map(\.1)
        #expect(later.verbs(to: client) == [.pending])
        #expect(!later.contains(.cancel(id, generation: 1, reason: .abandoned)))
    }

    @Test("a new life of a child that asks by AWAIT is the one whose loss counts")
    func awaitOfNewLife() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(id), from: one)
        _ = rig.get(.bye(reason: "restart"), from: one)
        _ = rig.get(.hello("a", boot: 2), from: two)
        let asked = rig.get(.await(id: id, waitMilliseconds: 0), from: two)
        #expect(asked.contains(.reachable(id, true)))
        let left = rig.get(.bye(reason: "done"), from: two)
        #expect(left.contains(.reachable(id, false)))
    }

    // MARK: Paths

    @Test("a path that asks again and again takes the place of no other path")
    func repeatedAwait() {
        var rig = asked()
        _ = rig.get(.hello("d"), from: three)
        _ = rig.get(present("d"), from: three)
        let stillAsks = Message.await(id: id, waitMilliseconds: 0)
        for _ in 0...DownlinkEntry.otherPathsMax {
            #expect(rig.get(stillAsks, from: one).verbs(to: one) == [.pending])
        }
        #expect(rig.get(stillAsks, from: two).verbs(to: two) == [.pending])
    }

    @Test("an answer that its asker cannot carry out does not go to a new life of another path")
    func newLifeOfPath() {
        var rig = asked()
        _ = rig.get(.bye(reason: "restart"), from: one)
        _ = rig.get(.hello("b", boot: 2), from: three)
        #expect(rig.answer(id).verbs(to: two) == [.answer])
        let ended = rig.get(.settled(id, .unknown), from: two)
        #expect(ended == [.settled(id, answer: Message.sampleAnswer, .unknown)])
    }

    @Test("a path that takes over what is of one more origin gets the room for that origin")
    func roomOfPath() {
        var limits = LinkLimits()
        limits.openPerChildMax = 2
        var rig = asked(limits)
        let other = rig.get(present("b", PresentationID(2), origin: "w"), from: one)
        #expect(other.offers.count == 1)
        #expect(other.verbs(to: one) == [])
        let left = rig.get(.bye(reason: "done"), from: two)
        let rooms = left.sent(to: one).compactMap { message -> UInt64? in
            if case .welcome(let welcome) = message { welcome.maxOpen } else { nil }
        }
        #expect(rooms == [4])
    }
}
