import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// The refusal that goes with the end of a grace is the parent's latest word.
@Suite struct OldRefusalTests {
    private let id = PresentationID(1)

    private func graceOver(
        _ actions: [(at: UInt64, UplinkAction)]
    ) -> [(at: UInt64, UplinkAction)] {
        actions.filter { if case .graceOver = $0.1 { true } else { false } }
    }

    @Test("a refusal that an acceptance has followed is not the reason of a later loss of contact")
    func acceptedSince() {
        var rig = UplinkRig.live()
        let asked = rig.present(id, grace: 10_000)
        #expect(asked.verbs == [.present])
        let reject = Message.Reject(.busy, "full", id: id, retryMilliseconds: 1_000)
        let refused = rig.get(.reject(reject))
        #expect(refused.sent == [])
        let again = rig.run(1_500).map(\.1)
        #expect(again.verbs == [.present])
        let accepted = rig.get(.accepted(id: id, attempt: 2))
        #expect(accepted == [.moved(id, .relayed, by: nil)])
        let alive = graceOver(rig.runAlive(600_000))
        #expect(alive.isEmpty)
        _ = rig.machine.disconnected("lost", at: rig.now)
        let over = graceOver(rig.run(11_000))
        #expect(over.map(\.1) == [.graceOver(id, nil)])
        #expect(over.map(\.at) == [10_000])
    }

    @Test("nor is it the reason that a later call is given while the link is live")
    func acceptedOnThisLink() {
        var rig = UplinkRig.live()
        _ = rig.present(id, grace: 10_000)
        _ = rig.get(.reject(Message.Reject(.busy, "full", id: id, retryMilliseconds: 1_000)))
        #expect(rig.machine.whyNotAccepted == "refused: 429 full")
        _ = rig.run(1_500)
        _ = rig.get(.accepted(id: id, attempt: 2))
        #expect(rig.machine.whyNotAccepted == "connected, but no node above has accepted it yet")
    }

    @Test("a refusal that stands is the reason where the grace passes")
    func stands() {
        var rig = UplinkRig.live()
        _ = rig.present(id, grace: 10_000)
        let reject = Message.Reject(.busy, "full", id: id, retryMilliseconds: 60_000)
        _ = rig.get(.reject(reject))
        let over = graceOver(rig.runAlive(11_000))
        #expect(over.map(\.1) == [.graceOver(id, reject)])
        #expect(over.map(\.at) == [10_000])
    }
}
