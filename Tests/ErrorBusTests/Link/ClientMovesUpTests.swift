import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// A client of a relay that gives up waiting, and sends the same request to the relay's parent
/// (section 14).
@Suite struct ClientMovesUpTests {
    private let id = PresentationID(1)
    private let one = PeerID(1)
    private let two = PeerID(2)
    private let client = PeerID(9)

    private func bare(_ more: String = "", options: String) throws -> BareRequest {
        try BareRequest(
            Frame(
                (#"{"id":"\#(id)",\#(more)"domain":"d","description":"x","#
                    + #""recoveryOptions":[\#(options)]}"#).utf8))
    }

    /// The relay `a` has passed the bare request on, then the client sends it here.
    private func moved(_ request: BareRequest) -> DownlinkRig {
        var rig = DownlinkRig.withChild()
        let present = Message.Present(
            id: id, origin: .bare, path: [.bare, "a"], leftMilliseconds: 5_000,
            payload: request.payload)
        _ = rig.get(.present(present), from: one)
        _ = rig.machine.bareReceived(request, from: client, at: rig.now)
        return rig
    }

    @Test("A28 a bare client that another peer has asked for gets what it declared")
    func declared() throws {
        let request = try bare(
            #""deadlineMilliseconds":5000,"onExpiry":"cancel","#,
            options: #"{"id":"retry","title":"R"},{"id":"cancel","title":"C"}"#)
        var rig = moved(request)
        let options = rig.run(20_000).compactMap { _, action -> String? in
            if case .reply(let reply, client) = action { reply.option } else { nil }
        }
        #expect(options == ["cancel"])
    }

    @Test("A bare client that moves up gets what needs two people from two alone")
    func twoPeople() throws {
        var rig = moved(try bare(options: #"{"id":"wipe","title":"W","twoPeople":true}"#))
        let answer = Answer(
            id: UniqueID(high: 3, low: 4), option: "wipe", by: "ann", via: .person)
        #expect(rig.answer(id, answer) == [.settled(id, answer: answer.id, .invalid)])
    }

    /// Else it would send PRESENT again, and take the place of the client, which has ended then.
    @Test("A child that asked before a client without a link did stays a path")
    func formerAsker() throws {
        var rig = moved(try bare(options: #"{"id":"retry","title":"R"}"#))
        let stillAsks = Message.await(id: id, waitMilliseconds: 0)
        #expect(rig.get(stillAsks, from: one).verbs(to: one) == [.pending])

        var other = DownlinkRig()
        _ = other.get(.hello("b"), from: one)
        _ = other.get(.present(id, origin: "o", path: ["o", "b"]), from: one)
        _ = other.get(.present(id, origin: "o", path: ["o"], wait: 0), from: client)
        #expect(other.get(stillAsks, from: one).verbs(to: one) == [.pending])
        #expect(other.get(stillAsks, from: client).verbs(to: client) == [.pending])
    }

    @Test("A request whose place a path takes by AWAIT gets its reply")
    func oneReply() {
        var rig = DownlinkRig()
        for (peer, name) in [(one, "b"), (two, "c")] as [(PeerID, NodeName)] {
            _ = rig.get(.hello(name), from: peer)
            _ = rig.get(.present(id, origin: "o", path: ["o", name]), from: peer)
        }
        var replies = rig.get(
            .present(id, origin: "o", path: ["o"], wait: 20_000, isReachable: false), from: client
        ).verbs(to: client)
        replies += rig.get(.await(id: id, waitMilliseconds: 0), from: one).verbs(to: client)
        replies += rig.run(30_000).map(\.1).verbs(to: client)
        #expect(replies == [.pending])
    }

    private func keyed(_ name: NodeName, _ number: UInt8, isRelay: Bool) throws -> PeerID {
        let key = try #require(PublicKey(String(repeating: "0", count: 40)))
        var peer = PeerID(number)
        peer.holder = KeyHolder(key: key, name: name, reserved: [], isRelay: isRelay)
        return peer
    }

    @Test("What a client with a revoked key asked stays while another path asks for it")
    func revoked() throws {
        var rig = DownlinkRig()
        for (number, name) in [(1, "r1"), (2, "r2")] as [(UInt8, NodeName)] {
            let relay = try keyed(name, number, isRelay: true)
            _ = rig.get(.hello(name), from: relay)
            _ = rig.get(.present(id, origin: "o", path: ["o", name]), from: relay)
        }
        let peer = try keyed("o", 9, isRelay: false)
        _ = rig.get(.present(id, origin: "o", path: ["o"], wait: 20_000), from: peer)
        let replaced = rig.machine.keysReplaced(at: rig.now) { holder, _ in holder.name != "o" }
        #expect(!replaced.contains(.cancel(id, generation: 1, reason: .abandoned)))
        #expect(rig.machine.entries[id]?.isOpen == true)
    }
}
