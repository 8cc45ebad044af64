import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What has ended leaves nothing behind: no report, no line, no count.
@Suite struct LinkMemoryTests {
    private let one = PeerID(1)
    private let two = PeerID(2)
    private let id = PresentationID(1)
    private let other = PresentationID(2)

    // MARK: The child

    private func payload(in rig: UplinkRig) -> Frame? {
        rig.machine.entries[id]?.request.present.payload
    }

    @Test("an answered presentation keeps no report, nor does a withdrawn one")
    func report() {
        var rig = UplinkRig.live()
        _ = rig.present(id)
        #expect(payload(in: rig) == Message.samplePayload)
        _ = rig.get(.accepted(id: id, attempt: 1))
        #expect(payload(in: rig) == Message.samplePayload)
        var withdrawn = rig
        _ = rig.get(.answer(id, .decision()))
        #expect(payload(in: rig)?.isEmpty == true)
        _ = rig.settle(id)
        #expect(payload(in: rig)?.isEmpty == true)
        _ = withdrawn.withdraw(id)
        #expect(payload(in: withdrawn)?.isEmpty == true)
        _ = withdrawn.get(.withdrawn(id: id))
        #expect(payload(in: withdrawn)?.isEmpty == true)
        // Presented again, it has one again.
        #expect(withdrawn.present(id).verbs == [.present])
        #expect(payload(in: withdrawn) == Message.samplePayload)
    }

    @Test("a move does not wait for what is refused meanwhile, and for a result at most 1 s")
    func refusedDuringMove() {
        var rig = UplinkRig.live(parents: 2)
        for id in [id, other] { _ = rig.present(id) }
        _ = rig.get(.bye(reason: "shutdown"))
        _ = rig.run(200)
        _ = rig.machine.connected(at: rig.now)
        _ = rig.get(UplinkRig.welcome(boot: 51))
        for id in [id, other] { _ = rig.get(.accepted(id: id, attempt: 2)) }
        var isTried = false
        for _ in 0..<38 where !isTried {
            isTried = rig.runAlive(1_000).contains { $0.1 == .openProbe(parent: 0) }
        }
        #expect(isTried)
        _ = rig.machine.probeConnected(at: rig.now)
        let left = rig.machine.probeReceived(UplinkRig.welcome(boot: 60), at: rig.now)
        #expect(left.verbs == [.withdraw, .withdraw])
        _ = rig.get(.answer(other, .decision()))
        let refused = rig.get(.reject(.init(.gone, "withdrawn before", id: id)))
        #expect(refused.refusals == [.gone])
        // The attempt of the other one has no result yet.
        let moved = rig.run(6_000).first { $0.1 == .adoptProbe }
        #expect(moved?.at == 1_000)
    }

    // MARK: The parent

    @Test("an account leaves no line once its last deadline is gone, in whichever way")
    func lines() {
        var shared = SharedDeadlines<PresentationID>()
        shared.plan(PresentationID(1), of: .child("a"), at: 10)
        shared.plan(PresentationID(2), of: .key("a"), at: 20)
        shared.plan(PresentationID(3), of: .child("b"), at: 30)
        shared.plan(PresentationID(4), of: .others, at: 40)
        #expect(shared.accountCount == 4)
        shared.plan(PresentationID(4), of: .others, at: nil)
        #expect(shared.accountCount == 3)
        #expect(shared.popFirst(of: .child("b")) == PresentationID(3))
        #expect(shared.accountCount == 2)
        #expect(shared.pop(at: 10) == PresentationID(1))
        #expect(shared.accountCount == 1)
        #expect(shared.popOfMost() == PresentationID(2))
        #expect(shared.accountCount == 0)
    }

    @Test("names that presented once and are gone leave nothing behind")
    func names() {
        var rig = DownlinkRig()
        for number in 1...50 as ClosedRange<UInt64> {
            let name = NodeName("w-\(number)") ?? "x"
            let (id, unasked) = (PresentationID(number), PresentationID(number + 100))
            let peer = PeerID(UInt8(number))
            _ = rig.get(.hello(name), from: peer)
            _ = rig.get(.present(id, origin: name, path: [name]), from: peer)
            _ = rig.answer(id)
            _ = rig.get(.settled(id, .recovered), from: peer)
            _ = rig.get(.withdraw(id: unasked, reason: .origin), from: peer)
            _ = rig.get(.bye(reason: "done"), from: peer)
        }
        #expect(rig.machine.undelivered.accountCount == 0)
        #expect(rig.machine.remembered.accountCount == 50)
        #expect(rig.machine.unasked.accountCount == 50)
        #expect(rig.machine.forgettable.accountCount == 1)
        _ = rig.run(700_000)
        #expect(rig.machine.entries.isEmpty)
        #expect(rig.machine.children.isEmpty)
        #expect(rig.machine.remembered.accountCount == 0)
        #expect(rig.machine.unasked.accountCount == 0)
        #expect(rig.machine.forgettable.accountCount == 0)
    }

    @Test("children that have nothing open take no share of the room from one that presents")
    func shares() {
        var limits = LinkLimits()
        limits.openPerNodeMax = 80
        var rig = DownlinkRig.withChild(limits: limits)
        for number in 1...20 as ClosedRange<UInt64> {
            let name = NodeName("w-\(number)") ?? "x"
            let id = PresentationID(number)
            let peer = PeerID(UInt8(number + 100))
            _ = rig.get(.hello(name), from: peer)
            _ = rig.get(.present(id, origin: name, path: [name]), from: peer)
            _ = rig.get(.withdraw(id: id, reason: .origin), from: peer)
        }
        // All but the last eighth, which is shared.
        for number in 101...170 as ClosedRange<UInt64> {
            _ = rig.get(.present(PresentationID(number)), from: one)
        }
        #expect(rig.machine.openOfAccount == [.child("a"): 70])
        let more = rig.get(.present(PresentationID(171)), from: one)
        #expect(more.reject(to: one) == .busy)
        _ = rig.get(.hello("b"), from: two)
        let modest = rig.get(
            .present(PresentationID(172), origin: "b", path: ["b"]), from: two)
        #expect(modest.reject(to: two) == nil)
        #expect(modest.offers.count == 1)
    }
}
