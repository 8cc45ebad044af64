import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// The origin's withdrawals of what a node has given up, or does not know.
@Suite struct WithdrawalTests {
    private let id = PresentationID(1)
    private let one = PeerID(1)

    @Test("The origin's withdrawal of what was given up long ago is final for ten minutes")
    func tenMinutes() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(id), from: one)
        _ = rig.get(.withdraw(id: id, reason: .abandoned), from: one)
        _ = rig.run(595_000)
        let withdrawn = rig.get(.withdraw(id: id, reason: .origin), from: one)
        #expect(withdrawn.verbs(to: one) == [.withdrawn])
        _ = rig.run(10_000)
        let again = rig.get(.present(id, attempt: 2), from: one)
        #expect(again.offers.isEmpty)
        #expect(again.verbs(to: one) == [.withdrawn])
    }

    @Test("The holder of another key withdraws nothing that it has not asked for")
    func anotherKey() throws {
        func keyed(_ name: NodeName, _ number: UInt8) throws -> PeerID {
            let key = try #require(PublicKey(String(repeating: "0", count: 40)))
            var peer = PeerID(number)
            peer.holder = KeyHolder(key: key, name: name, reserved: [], isRelay: false)
            return peer
        }
        let (victim, other) = (try keyed("a", 1), try keyed("b", 2))
        for asked in [nil, Message.Asked(origin: "b", digest: ReportDigest(of: [1]))] {
            var rig = DownlinkRig()
            for (peer, name) in [(victim, "a"), (other, "b")] as [(PeerID, NodeName)] {
                _ = rig.get(.hello(name), from: peer)
            }
            _ = rig.get(.withdraw(id: id, reason: .origin, asked: asked), from: other)
            let presented = rig.get(.present(id), from: victim)
            #expect(presented.verbs(to: victim) != [.withdrawn])
            #expect(presented.offers.count == 1)
        }
    }
}
