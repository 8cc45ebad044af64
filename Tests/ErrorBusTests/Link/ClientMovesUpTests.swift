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

    @Test("The answer to a client that is gone goes to the child that still asks, once")
    func gone() throws {
        var rig = moved(try bare(options: #"{"id":"retry","title":"R"}"#))
        let answer = Answer(
            id: UniqueID(high: 3, low: 4), option: "retry", by: "ann", via: .person)
        let given = rig.answer(id, answer)
        #expect(given.last == .settled(id, answer: answer.id, .unknown))
        var alone = rig
        let again = rig.machine.lostReply(id, at: rig.now)
        #expect(again.verbs(to: one) == [.answer])
        #expect(rig.machine.lostReply(id, at: rig.now) == [])
        let settled = rig.get(.settled(id, .recovered, answer: answer.id), from: one)
        #expect(settled.contains(.settled(id, answer: answer.id, .recovered)))
        // Without such a child it stays as it is.
        _ = alone.get(.bye(reason: "x"), from: one)
        let none = alone.machine.lostReply(id, at: alone.now)
        #expect(none == [])
        #expect(alone.machine.undelivered.count == 0)
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

    /// As ``moved(_:)``, with the answer of one person in between.
    private func movedOnceAnswered(_ request: BareRequest, _ answer: Answer) -> DownlinkRig {
        var rig = DownlinkRig.withChild()
        let present = Message.Present(
            id: id, origin: .bare, path: [.bare, "a"], payload: request.payload)
        _ = rig.get(.present(present), from: one)
        _ = rig.answer(id, answer)
        return rig
    }

    @Test("A bare client that moves up after the answer gets no option that it may not carry out")
    func answeredBefore() throws {
        let wipe = try bare(options: #"{"id":"wipe","title":"W","twoPeople":true}"#)
        let answer = Answer(
            id: UniqueID(high: 3, low: 4), option: "wipe", by: "ann", via: .person)
        var rig = movedOnceAnswered(wipe, answer)
        let refused = rig.machine.bareReceived(wipe, from: client, at: rig.now)
        #expect(refused.compactMap(\.bareReply).map(\.code) == [.conflict])
        // The relay's side carries the option out, and the client gets the result.
        let done = Message.settled(.init(id: id, answer: answer.id, result: .recovered))
        #expect(
            rig.get(done, from: one).contains(.settled(id, answer: answer.id, .recovered)))
        let replies = rig.machine.bareReceived(wipe, from: client, at: rig.now)
            .compactMap(\.bareReply)
        #expect(replies.map(\.didRecover) == [true])

        let fields = try bare(
            options: #"{"id":"n","title":"N","fields":["#
                + #"{"name":"n","label":"N","kind":"number","default":3}]}"#)
        let number = Answer(id: UniqueID(high: 3, low: 5), option: "n", by: "ann", via: .person)
        var other = movedOnceAnswered(fields, number)
        let filled = other.machine.bareReceived(fields, from: client, at: other.now)
        #expect(filled.compactMap(\.bareReply).map(\.values) == [["n": 3]])
        let again = other.machine.bareReceived(fields, from: PeerID(8), at: other.now)
        #expect(again.compactMap(\.bareReply).map(\.values) == [["n": 3]])
    }

    @Test("A relay that presents again takes no place from a bare client that waits")
    func presentedBeside() throws {
        let request = try bare(options: #"{"id":"retry","title":"R"}"#)
        var rig = moved(request)
        let present = Message.Present(
            id: id, attempt: 2, origin: .bare, path: [.bare, "a"], payload: request.payload)
        let actions = rig.get(.present(present), from: one)
        #expect(actions.verbs(to: one) == [.accepted])
        #expect(actions.compactMap(\.bareReply) == [])
        #expect(rig.answer(id).compactMap(\.bareReply).map(\.option) == ["retry"])
    }

    @Test("A relay with a key of its own presents again what its client has presented since")
    func presentedBesideWithKeys() throws {
        let request = try bare(options: #"{"id":"retry","title":"R"}"#)
        let relay = try keyed("r", 1, isRelay: true)
        let peer = try keyed("o", 9, isRelay: false)
        var rig = DownlinkRig()
        _ = rig.get(.hello("r"), from: relay)
        let present = Message.Present(
            id: id, origin: .bare, path: [.bare, "o", "r"], payload: request.payload)
        _ = rig.get(.present(present), from: relay)
        _ = rig.machine.bareReceived(request, from: peer, at: rig.now)
        #expect(rig.get(.present(present), from: relay).verbs(to: relay) == [.accepted])
        #expect(rig.machine.entries[id]?.isAwaitedByBare == true)
    }

    /// The child `b` asks, then a client without a link.
    private func askedByClient(wait: UInt64 = 0) -> DownlinkRig {
        var rig = DownlinkRig()
        _ = rig.get(.hello("b"), from: one)
        _ = rig.get(.present(id, origin: "o", path: ["o", "b"]), from: one)
        _ = rig.get(.present(id, origin: "o", path: ["o"], wait: wait), from: client)
        return rig
    }

    @Test("A client without a link that gives up leaves its place to the child that still asks")
    func clientGivesUp() {
        var rig = askedByClient(wait: 20_000)
        let actions = rig.get(.withdraw(id: id, reason: .abandoned), from: client)
        #expect(!actions.contains(.cancel(id, generation: 1, reason: .abandoned)))
        #expect(actions.verbs(to: client) == [.pending, .ok])
        #expect(rig.answer(id).verbs(to: one) == [.answer])
    }

    @Test("A client without a link that gives up ends nothing once a child has its place")
    func formerClientGivesUp() {
        var rig = askedByClient()
        _ = rig.get(.present(id, origin: "o", path: ["o", "b"]), from: one)
        let asked = rig.machine.entries[id]?.asked
        let withdrawal = Message.withdraw(id: id, reason: .abandoned, asked: asked)
        #expect(rig.get(withdrawal, from: client) == [.send(.ok(id: id), to: client)])
        #expect(rig.machine.entries[id]?.isOpen == true)
    }

    @Test(
        "A client without a link that cannot carry the answer out leaves it to the child",
        arguments: [RecoveryResult.invalid, .unknown])
    func clientCannot(result: RecoveryResult) {
        var rig = askedByClient()
        _ = rig.answer(id)
        let actions = rig.get(.settled(id, result), from: client)
        #expect(actions.verbs(to: one) == [.answer])
        #expect(actions.verbs(to: client) == [.ok])
        #expect(
            rig.get(.settled(id, .recovered), from: one)
                == [.settled(id, answer: Message.sampleAnswer, .recovered)])
    }

    @Test("An answer that no client without a link fetches goes to the child that still asks")
    func clientNeverReturns() {
        var rig = askedByClient()
        _ = rig.answer(id)
        let actions = rig.runAlive(241_000)
        #expect(actions.verbs(to: one).contains(.answer))
        #expect(!actions.contains(.settled(id, answer: Message.sampleAnswer, .unknown)))
    }

    @Test("What falls back to a child counts for the child's key")
    func accountOfChild() throws {
        var rig = DownlinkRig()
        let relay = try keyed("r", 1, isRelay: true)
        let peer = try keyed("o", 9, isRelay: false)
        _ = rig.get(.hello("r"), from: relay)
        _ = rig.get(.present(id, origin: "o", path: ["o", "r"]), from: relay)
        _ = rig.get(.present(id, origin: "o", path: ["o"]), from: peer)
        #expect(rig.machine.openOfAccount == [.key("o"): 1])
        _ = rig.get(.withdraw(id: id, reason: .abandoned), from: peer)
        #expect(rig.machine.openOfAccount == [.key("r"): 1])
    }
}
