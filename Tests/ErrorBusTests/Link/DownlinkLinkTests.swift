import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// HELLO, names, liveness.
@Suite struct DownlinkLinkTests {
    private let one = PeerID(1)
    private let two = PeerID(2)

    @Test("HELLO gets WELCOME with the limits in force")
    func welcome() {
        var rig = DownlinkRig()
        let welcome = Message.welcome(
            .init(
                node: "p", boot: BootID(number: 99), maxHeader: 8192, maxPayload: 262_144,
                maxOpen: 1024, pingMilliseconds: 4000, path: ["p"]))
        #expect(rig.get(.hello("a"), from: one) == [.send(welcome, to: one), .log(.up("a"))])
        #expect(rig.get(.hello("a"), from: one) == [.send(welcome, to: one)])
    }

    @Test("the same process on a new link takes over; the old link is dropped")
    func takesOver() {
        var rig = DownlinkRig.withChild()
        #expect(rig.get(.hello("a"), from: two).verbs(to: two) == [.welcome])
        #expect(rig.get(.present(PresentationID(1)), from: one).drops == [.supersededLink])
        #expect(rig.get(.ping(1), from: one).drops == [.supersededLink])
        #expect(rig.get(.present(PresentationID(1)), from: two).offers.count == 1)
    }

    @Test("the newest of many superseded links is dropped as the first was")
    func supersededBound() {
        var limits = LinkLimits()
        limits.childrenMax = 4
        var rig = DownlinkRig(limits: limits)
        for peer in 1...20 as ClosedRange<UInt8> { _ = rig.get(.hello("a"), from: PeerID(peer)) }
        #expect(rig.machine.superseded.count == 4)
        let isDropped = (15...16 as ClosedRange<UInt8>).map {
            rig.machine.superseded.contains(PeerID($0))
        }
        #expect(isDropped == [false, true])
        let actions = rig.get(.present(PresentationID(1)), from: PeerID(19))
        #expect(actions.drops == [.supersededLink])
    }

    @Test("of what a child sent before its connection went only its last words count")
    func lastWords() {
        var rig = DownlinkRig.withChild()
        for number in 1...3 as ClosedRange<UInt64> {
            _ = rig.get(.present(PresentationID(number)), from: one)
        }
        _ = rig.answer(PresentationID(1))
        _ = rig.machine.vanished(one, at: rig.now)
        // Each would bring the child back, and be lost with its reply, for every message it sent.
        for message in [
            .present(PresentationID(4)), .await(id: PresentationID(2), waitMilliseconds: 0),
            .ping(1), .pong(1), .status,
        ] as [Message] {
            #expect(rig.get(message, from: one) == [.lostLink(message)])
        }
        let error = WireError(.malformed, "no such verb")
        let malformed = rig.machine.malformed(error, from: one, at: rig.now)
        #expect(malformed.drops == [.malformed] && malformed.count == 1)
        #expect(
            rig.get(.settled(PresentationID(1), .recovered), from: one)
                == [.settled(PresentationID(1), answer: Message.sampleAnswer, .recovered)])
        let withdrawn = rig.get(.withdraw(id: PresentationID(2), reason: .origin), from: one)
        #expect(withdrawn.contains(.cancel(PresentationID(2), generation: 1, reason: .withdrawn)))
        #expect(rig.get(.bye(reason: "done"), from: one) == [])
        #expect(rig.machine.children["a"]?.hasLeft == true)
        #expect(rig.machine.children["a"]?.isReachable == false)
    }

    @Test("a client that chose its own routing id opens the link again with HELLO")
    func sameRoutingID() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(PresentationID(1)), from: one)
        _ = rig.answer(PresentationID(1))
        _ = rig.machine.vanished(one, at: rig.now)
        let back = rig.get(.hello("a"), from: one)
        #expect(back.contains(.log(.up("a"))))
        #expect(back.verbs(to: one) == [.answer, .welcome])
        #expect(rig.get(.ping(1), from: one).verbs(to: one) == [.pong])
    }

    @Test("a new life under the same routing id gets WELCOME at once", arguments: [true, false])
    func ownRoutingID(isLossKnown: Bool) {
        var rig = DownlinkRig.withChild()
        if isLossKnown { _ = rig.machine.vanished(one, at: rig.now) }
        #expect(rig.get(.hello("a", boot: 2), from: one).verbs(to: one) == [.welcome])
        rig.pass(1_000)
        #expect(rig.get(.hello("a", boot: 2), from: one).reject(to: one) == nil)
    }

    @Test("what a lost life presented is not found again by the next one on its connection")
    func otherLifeOnOneConnection() {
        var rig = DownlinkRig.withChild()
        let answered = PresentationID(2)
        for id in [PresentationID(1), answered] { _ = rig.get(.present(id), from: one) }
        _ = rig.answer(answered)
        _ = rig.get(.bye(reason: "x"), from: one)
        _ = rig.run(59_000)
        let actions = rig.get(.hello("a", boot: 2), from: one)
        #expect(actions.verbs(to: one) == [.welcome])
        #expect(!actions.contains(.reachable(PresentationID(1), true)))
        // The time since the loss counts on.
        let later = rig.run(1_000).map(\.1)
        #expect(
            later.contains(.cancel(PresentationID(1), generation: 1, reason: .abandoned)))
    }

    @Test("another process under a name whose holder answers gets 403")
    func nameHeld() {
        var rig = DownlinkRig.withChild()
        let claimed = rig.get(.hello("a", boot: 2), from: two)
        #expect(claimed.verbs(to: one) == [.ping])
        #expect(claimed.verbs(to: two) == [])
        #expect(rig.get(.hello("a", boot: 2), from: two) == [])
        #expect(rig.get(.hello("a", boot: 3), from: PeerID(3)).reject(to: PeerID(3)) == .notYours)
        let answered = rig.get(.pong(1), from: one)
        #expect(answered.reject(to: two) == .notYours)
        #expect(rig.run(3000).map(\.1).verbs(to: two) == [])
    }

    @Test("another process under a name whose holder is dead takes over")
    func nameFree() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(PresentationID(1)), from: one)
        _ = rig.get(.hello("a", boot: 2), from: two)
        let actions = rig.run(2000).map(\.1)
        #expect(actions.verbs(to: two) == [.welcome])
        #expect(actions.contains(.reachable(PresentationID(1), false)))
        #expect(rig.get(.pong(1), from: one).drops == [.supersededLink])
    }

    @Test("A link that claims a name and then gets another one does not get the first as well")
    func claimsTwo() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.hello("a", boot: 2), from: two)
        #expect(rig.get(.hello("b", boot: 2), from: two).verbs(to: two) == [.welcome])
        let later = rig.run(3_000).map(\.1)
        let downs = later.compactMap { if case .log(let line) = $0 { line } else { nil } }
        #expect(downs.map(\.child) == ["a"] && downs.map(\.message) == ["child is down"])
        #expect(later.verbs(to: two) == [])
        #expect(rig.machine.namesOfPeers[two] == "b")
    }

    @Test("the holder's own new link ends a claim on its name")
    func claimEnded() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.hello("a", boot: 2), from: two)
        let actions = rig.get(.hello("a"), from: PeerID(3))
        #expect(actions.verbs(to: PeerID(3)) == [.welcome])
        #expect(actions.reject(to: two) == .notYours)
    }

    @Test("its own name, another name on the same link, too many children")
    func refused() {
        var limits = LinkLimits()
        limits.childrenMax = 1
        var rig = DownlinkRig.withChild(limits: limits)
        #expect(rig.get(.hello("p"), from: two).reject(to: two) == .notYours)
        #expect(rig.get(.hello("b"), from: one).reject(to: one) == .notYours)
        #expect(rig.get(.hello("b"), from: two).reject(to: two) == .busy)
    }

    @Test("F3 F18 one PING after silence, then the link is given up")
    func liveness() {
        var rig = DownlinkRig.withChild()
        let actions = rig.run(20_000)
        #expect(actions.map(\.at) == [4_000, 12_000])
        #expect(actions.map(\.1).verbs(to: one) == [.ping])
        #expect(actions.last?.1 == .log(.down("a", reason: "silent for 12000 ms")))
        _ = rig.get(.pong(1), from: one)
        #expect(rig.runAlive(20_000).verbs(to: one) == [])
    }

    @Test("a child that answers each PING gets the next one after 4 s of silence, and no sooner")
    func pingedAgain() {
        var rig = DownlinkRig.withChild()
        for round in 0..<10 as Range<Int> {
            let actions = rig.run(4_000)
            #expect(actions.map(\.at) == [4_000], "round \(round)")
            #expect(actions.map(\.1).verbs(to: one) == [.ping])
            rig.pass(10)
            #expect(rig.get(.pong(1), from: one) == [])
        }
    }

    @Test("a claim that its holder answers leaves the next PING at 4 s of silence")
    func pingedAfterClaim() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.hello("a", boot: 2), from: two)
        rig.pass(10)
        _ = rig.get(.pong(1), from: one)
        let actions = rig.run(4_000)
        #expect(actions.map(\.at) == [4_000])
        #expect(actions.map(\.1).verbs(to: one) == [.ping])
    }

    @Test("a child that is heard of again is up, and what is held for it is delivered")
    func foundAgain() {
        var rig = DownlinkRig.withChild()
        let (open, held) = (PresentationID(1), PresentationID(2))
        _ = rig.get(.present(open), from: one)
        _ = rig.get(.present(held), from: one)
        _ = rig.run(12_000)
        #expect(rig.answer(held) == [])
        let actions = rig.get(.ping(1), from: one)
        #expect(actions.contains(.log(.up("a"))))
        #expect(actions.contains(.reachable(open, true)))
        #expect(actions.verbs(to: one) == [.answer, .pong])
        #expect(!rig.runAlive(100_000).contains(.cancel(open, generation: 1, reason: .abandoned)))
    }

    @Test("a child is forgotten ten minutes after it was lost")
    func forgotten() {
        var rig = DownlinkRig.withChild()
        _ = rig.run(13_000 + 600_000)
        #expect(rig.machine.children.isEmpty)
        #expect(rig.machine.namesOfPeers.isEmpty)
        #expect(rig.machine.nextDue == nil)
    }

    @Test("BYE makes a child unreachable; another peer gets its OK")
    func bye() {
        var rig = DownlinkRig.withChild()
        #expect(rig.get(.bye(reason: "x"), from: one) == [.log(.down("a", reason: "it left: x"))])
        #expect(rig.get(.bye(reason: "x"), from: two) == [.send(.ok(id: nil), to: two)])
    }

    @Test("stopping says goodbye once, takes back what is open, and accepts no peer")
    func stopped() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(PresentationID(1)), from: one)
        _ = rig.get(.present(PresentationID(2), origin: "c", path: ["c"], wait: 20_000), from: two)
        let actions = rig.machine.stopped(at: rig.now)
        #expect(actions.verbs(to: one).last == .bye)
        #expect(actions.reject(to: two) == .noResponder)
        #expect(actions.contains(.cancel(PresentationID(1), generation: 1, reason: .shutDown)))
        #expect(rig.machine.stopped(at: rig.now) == [])
        #expect(rig.get(.present(PresentationID(3)), from: one).reject(to: one) == .noResponder)
        #expect(rig.get(.hello("c"), from: PeerID(3)).reject(to: PeerID(3)) == .noResponder)
    }

    /// Neither the journal nor a parent gets it: OK would lose it.
    @Test(
        "a result and a withdrawal that come after the stop are refused, for the next life",
        arguments: [Verb.settled, .withdraw])
    func afterStop(_ verb: Verb) throws {
        var rig = DownlinkRig.withChild()
        _ = rig.machine.stopped(at: rig.now)
        let message = try #require(
            Message.samples.first { message in
                switch message {
                case .settled(let settled): verb == .settled && settled.asked != nil
                case .withdraw(_, _, let asked): verb == .withdraw && asked != nil
                default: false
                }
            })
        let actions = rig.get(message, from: two)
        #expect(actions.verbs(to: two) == [.reject])
        #expect(actions.reject(to: two) == .noResponder)
        #expect(actions.count == 1)
        #expect(rig.get(message, from: one) == [])
    }

    @Test(
        "F28 what a parent says is dropped when it comes from below",
        arguments: Message.samples.filter { !$0.verb.goesUp })
    func direction(_ message: Message) {
        var rig = DownlinkRig.withChild()
        for peer in [one, two] {
            let actions = rig.get(message, from: peer)
            #expect(actions.drops == [.wrongDirection])
            let endsExchange = [.reject, .ok].contains(message.verb)
            #expect(actions.reject(to: peer) == (endsExchange ? nil : .notYours))
            #expect(actions.count == (endsExchange ? 1 : 2))
        }
    }

    /// Two parents that are wired together would refuse each other endlessly.
    @Test(
        "a REJECT or OK from below gets no reply, however malformed it is",
        arguments: [
            ["EB1", "REJECT", "code: 900\nreason: x\n", ""], ["EB1", "REJECT", "x", ""],
            ["EB1", "REJECT", "", "", ""], ["EB1", "REJECT"], ["EB2", "REJECT", "", ""],
            ["x", "REJECT", "", ""], ["EB1", "OK", "id: x\n", ""], ["EB1", "OK"],
        ])
    func endsExchange(_ texts: [String]) throws {
        var rig = DownlinkRig.withChild()
        let frames = texts.map { Frame($0.utf8) }
        let error = try #require(throws: WireError.self) { try Message(frames: frames[...]) }
        #expect(error.endsExchange)
        for peer in [one, two] {
            let actions = rig.machine.malformed(error, from: peer, at: rig.now)
            #expect(actions.drops == [.malformed] && actions.count == 1)
        }
        let other = try #require(throws: WireError.self) {
            try Message(frames: [frames[0], Frame("PING".utf8)][...])
        }
        #expect(rig.machine.malformed(other, from: two, at: rig.now).verbs(to: two) == [.reject])
    }
}
