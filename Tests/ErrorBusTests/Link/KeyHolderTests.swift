import Testing

@testable import ErrorBus

/// On links with keys, names are those of the keys.
@Suite struct KeyHolderTests {
    private static func peer(_ holder: KeyHolder) -> PeerID {
        var peer = PeerID(1)
        peer.holder = holder
        return peer
    }

    private static let key = PublicKey(String(repeating: "0", count: 40))

    private let worker: PeerID

    init() throws {
        worker = Self.peer(
            KeyHolder(key: try #require(Self.key), name: "worker", reserved: ["worker-db"]))
    }

    private func refusal(_ actions: [DownlinkAction]) -> Message.Reject? {
        for case .send(.reject(let reject), _) in actions { return reject }
        return nil
    }

    @Test(
        "HELLO under the key's name, or that and a suffix without a key of its own",
        arguments: [
            ("worker", true), ("worker-7", true), ("worker-db", false), ("worker2", false),
            ("central", false),
        ] as [(NodeName, Bool)])
    func hello(name: NodeName, isAllowed: Bool) {
        var rig = DownlinkRig()
        let actions = rig.get(.hello(name), from: worker)
        #expect((refusal(actions) == nil) == isAllowed)
        #expect(isAllowed || refusal(actions)?.code == .notYours)
        #expect(rig.machine.children.count == (isAllowed ? 1 : 0))
    }

    @Test(
        "PRESENT with a last hop or an origin that is not the key's gets 403",
        arguments: [
            ("worker", ["worker"], true), ("worker-7", ["worker-7"], true),
            ("billing", ["worker"], false), ("billing", ["billing"], false),
            // What a relay says of the hops behind it is its word.
            ("billing", ["billing", "worker"], true), ("worker", ["worker", "relay"], false),
        ] as [(NodeName, [NodeName], Bool)])
    func present(origin: NodeName, path: [NodeName], isAllowed: Bool) {
        var rig = DownlinkRig()
        _ = rig.get(.hello("worker"), from: worker)
        let present = Message.Present(
            id: PresentationID(1), origin: origin, path: path, payload: Message.samplePayload)
        let actions = rig.get(.present(present), from: worker)
        #expect((refusal(actions) == nil) == isAllowed)
        #expect(isAllowed || refusal(actions)?.code == .notYours)
        #expect((rig.machine.entries[PresentationID(1)] != nil) == isAllowed)
    }

    @Test("a link whose key is revoked is lost at once, and another's stays")
    func revoked() {
        var rig = DownlinkRig()
        _ = rig.get(.hello("worker"), from: worker)
        _ = rig.get(.hello("plain"), from: PeerID(2))
        let none = rig.machine.keysReplaced(at: rig.now) { _, _ in true }
        #expect(none.isEmpty)
        var asked: [NodeName] = []
        let actions = rig.machine.keysReplaced(at: rig.now) { _, name in
            asked.append(name)
            return false
        }
        #expect(asked == ["worker"])
        #expect(actions == [.childDown("worker", reason: "its key is no longer known")])
        #expect(rig.machine.children["worker"]?.isReachable == false)
        #expect(rig.machine.children["plain"]?.isReachable == true)
    }
}
