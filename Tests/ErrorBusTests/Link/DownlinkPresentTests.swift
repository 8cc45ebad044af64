import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// PRESENT and what it meets.
@Suite struct DownlinkPresentTests {
    private let one = PeerID(1)
    private let two = PeerID(2)
    private let three = PeerID(3)
    private let id = PresentationID(1)

    @Test("F9 new: offered once, and accepted a moment later; again: accepted only")
    func again() {
        var rig = DownlinkRig.withChild()
        let first = rig.get(.present(id), from: one)
        #expect(first.offers.map(\.generation) == [1])
        #expect(first.verbs(to: one) == [])
        #expect(rig.run(100).map(\.1).verbs(to: one) == [.accepted])
        let again = rig.get(.present(id, attempt: 2), from: one)
        #expect(again == [.send(.accepted(id: id, attempt: 2), to: one)])
    }

    @Test("where it stands is pushed on change, and sent to a child that asks again")
    func standing() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(id), from: one)
        _ = rig.run(100)
        func move(_ state: PresentationState.Station) -> [Verb] {
            rig.machine.moved(id, generation: 1, to: state, by: "p", at: rig.now).verbs(to: one)
        }
        #expect(move(.queued) == [.pending])
        #expect(move(.queued) == [])
        #expect(move(.presented) == [.pending])
        #expect(rig.machine.moved(id, generation: 2, to: .claimed, by: nil, at: rig.now) == [])
        rig.pass(70)
        let pending = Message.pending(
            .init(id: id, state: .presented, sinceMilliseconds: 70, by: "p"))
        #expect(
            rig.get(.present(id), from: one).sent(to: one) == [
                .accepted(id: id, attempt: 1), pending,
            ])
        #expect(rig.get(.await(id: id, waitMilliseconds: 0), from: one).sent(to: one) == [pending])
    }

    @Test("the same id with another report or another origin is 409")
    func conflict() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(id), from: one)
        #expect(rig.get(.present(id, text: "y"), from: one).reject(to: one) == .conflict)
        #expect(rig.get(.present(id, origin: "b"), from: one).reject(to: one) == .conflict)
    }

    @Test("F30 loop, too many hops, no time left")
    func refused() {
        var rig = DownlinkRig.withChild()
        let hops = (1...17).map { NodeName("n\($0)") ?? "x" }
        func code(_ message: Message) -> RejectCode? { rig.get(message, from: one).reject(to: one) }
        #expect(code(.present(id, path: ["a", "p", "b"])) == .loop)
        #expect(code(.present(id, origin: "p")) == .loop)
        #expect(code(.present(id, path: hops)) == .tooManyHops)
        #expect(code(.present(id, left: 0)) == .deadlinePassed)
        #expect(rig.machine.entries.isEmpty)
        #expect(code(.present(id, path: hops.dropLast())) == nil)
    }

    @Test("F21 limits per child and per node, and free again once answered")
    func busy() {
        var limits = LinkLimits()
        limits.openPerChildMax = 2
        limits.openPerNodeMax = 3
        var rig = DownlinkRig.withChild(limits: limits)
        _ = rig.get(.hello("b"), from: two)
        func code(_ number: UInt64, _ peer: PeerID) -> RejectCode? {
            let origin: NodeName = peer == one ? "a" : "b"
            let present = Message.present(PresentationID(number), origin: origin, path: [origin])
            return rig.get(present, from: peer).reject(to: peer)
        }
        #expect([code(1, one), code(2, one), code(3, one)] == [nil, nil, .busy])
        #expect(code(1, one) == nil)
        #expect([code(4, two), code(5, two)] == [nil, .busy])
        _ = rig.answer(PresentationID(1))
        #expect(code(3, one) == nil)
    }

    @Test("however many children take what they can, the next one finds room, and few find all")
    func shares() {
        var limits = LinkLimits()
        limits.openPerNodeMax = 1_000
        var rig = DownlinkRig(limits: limits)
        var number: UInt64 = 0
        /// How many of a thousand it gets open.
        func taken(_ rig: inout DownlinkRig, _ peer: UInt8, _ origin: NodeName) -> Int {
            (0..<1_000).count { _ in
                number += 1
                let present = Message.present(
                    PresentationID(number), origin: origin, path: [origin])
                return rig.get(present, from: PeerID(peer)).reject(to: PeerID(peer)) == nil
            }
        }
        let names = (0..<100).map { NodeName("w\($0)")! }
        for (peer, name) in names.enumerated() {
            _ = rig.get(.hello(name), from: PeerID(UInt8(peer)))
        }
        // Alone, it has all but the eighth that is shared.
        #expect(taken(&rig, 0, names[0]) == 875)
        // Clients without a link are one of them, together.
        let strangers = taken(&rig, 200, "c1") + taken(&rig, 201, "c2")
        #expect((30...50).contains(strangers))
        let rest = (1..<9).map { taken(&rig, UInt8($0), names[$0]) }
        #expect(rest.allSatisfy { $0 > 1 })
        #expect(rig.machine.openCount < 1_000)
    }

    @Test("a child that collects answers and settles none blocks no other, up to a bound")
    func neverSettles() {
        var limits = LinkLimits()
        limits.openPerChildMax = 2
        limits.undeliveredMax = 3
        var rig = DownlinkRig.withChild(limits: limits)
        var given: [DownlinkAction] = []
        for number in 1...5 as ClosedRange<UInt64> {
            let asked = rig.get(.present(PresentationID(number)), from: one)
            #expect(asked.reject(to: one) == nil)
            given += rig.answer(PresentationID(number))
        }
        let givenUp = given.compactMap { action -> PresentationID? in
            if case .settled(let id, _, .unknown) = action { id } else { nil }
        }
        #expect(givenUp == [PresentationID(1), PresentationID(2)])
        // Asked again, the option goes down again.
        let again = rig.get(.present(PresentationID(1)), from: one)
        #expect(again.verbs(to: one).contains(.answer))
    }

    @Test("no peer asks in the name of a node with a live link of its own")
    func othersOrigin() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.hello("b"), from: two)
        _ = rig.get(.present(id), from: one)
        for peer in [two, three] {
            let path: [NodeName] = peer == two ? ["a", "b"] : ["a"]
            #expect(rig.get(.present(id, path: path), from: peer).reject(to: peer) == .notYours)
        }
        #expect(
            rig.get(.withdraw(id: id, reason: .origin), from: one).verbs(to: one) == [.withdrawn])
        _ = rig.get(.bye(reason: "moving"), from: one)
        #expect(rig.get(.present(id, path: ["a", "b"]), from: two).reject(to: two) == nil)
    }

    @Test("no peer is the last hop in the place of a node with a live link of its own")
    func othersHop() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.hello("b"), from: two)
        func code(_ path: [NodeName], from peer: PeerID) -> RejectCode? {
            rig.get(.present(id, origin: "c", path: path), from: peer).reject(to: peer)
        }
        #expect(code(["c", "a"], from: two) == .notYours)
        #expect(code(["c", "a"], from: three) == .notYours)
        #expect(code(["c", "b"], from: two) == nil)
        _ = rig.get(.bye(reason: "moving"), from: one)
        #expect(code(["c", "a"], from: three) == nil)
    }

    @Test("children that are gone and left nothing behind make room for new ones")
    func room() {
        var limits = LinkLimits()
        limits.childrenMax = 2
        var rig = DownlinkRig.withChild(limits: limits)
        _ = rig.get(.hello("b"), from: two)
        #expect(rig.get(.hello("c"), from: three).reject(to: three) == .busy)
        _ = rig.get(.bye(reason: ""), from: one)
        #expect(rig.get(.hello("c"), from: three).verbs(to: three) == [.welcome])
        #expect(rig.machine.children.keys.sorted() == ["b", "c"])
    }

    @Test("reopening what was abandoned counts towards the limits as well")
    func reopenBusy() {
        var limits = LinkLimits()
        limits.openPerChildMax = 1
        var rig = DownlinkRig.withChild(limits: limits)
        _ = rig.get(.present(id), from: one)
        _ = rig.get(.withdraw(id: id, reason: .abandoned), from: one)
        _ = rig.get(.present(PresentationID(2)), from: one)
        let actions = rig.get(.present(id), from: one)
        #expect(actions.reject(to: one) == .busy)
        #expect(actions.offers.isEmpty)
    }

    @Test("after a withdrawal by the origin: WITHDRAWN; by abandonment: live again")
    func afterWithdrawal() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(id), from: one)
        let abandoned = rig.get(.withdraw(id: id, reason: .abandoned), from: one)
        #expect(
            abandoned == [
                .cancel(id, generation: 1, reason: .abandoned), .send(.withdrawn(id: id), to: one),
            ])
        #expect(
            rig.get(.await(id: id, waitMilliseconds: 0), from: one).reject(to: one) == .unknownID)
        #expect(rig.get(.present(id), from: one).offers.map(\.generation) == [2])
        let withdrawn = rig.get(.withdraw(id: id, reason: .origin), from: one)
        #expect(withdrawn.contains(.cancel(id, generation: 2, reason: .withdrawn)))
        #expect(
            rig.get(.withdraw(id: id, reason: .origin), from: one).verbs(to: one) == [.withdrawn])
        #expect(rig.get(.present(id), from: one) == [.send(.withdrawn(id: id), to: one)])
        #expect(
            rig.answer(id, generation: 2) == [
                .settled(id, answer: Message.sampleAnswer, .withdrawn)
            ])
    }

    @Test("F8 a PRESENT that its WITHDRAW overtook stays withdrawn")
    func overtaken() {
        var rig = DownlinkRig.withChild()
        #expect(
            rig.get(.withdraw(id: id, reason: .origin), from: one) == [
                .send(.withdrawn(id: id), to: one)
            ])
        #expect(rig.get(.present(id), from: one) == [.send(.withdrawn(id: id), to: one)])
        _ = rig.runAlive(601_000)
        #expect(rig.get(.present(id), from: one).offers.count == 1)
    }

    @Test("the abandonment of an unknown id is not remembered")
    func abandonedUnknown() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.withdraw(id: id, reason: .abandoned), from: one)
        #expect(rig.get(.present(id), from: one).offers.count == 1)
    }

    @Test(
        "after a result: the result, never the option",
        arguments: [
            (RecoveryResult.recovered, true as Bool?), (.failed, false), (.late, false),
            (.withdrawn, nil), (.invalid, false),
        ])
    func afterResult(_ result: RecoveryResult, _ didRecover: Bool?) {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(id), from: one)
        _ = rig.answer(id)
        let settled = rig.get(.settled(id, result), from: one)
        #expect(settled == [.settled(id, answer: Message.sampleAnswer, result)])
        #expect(rig.get(.settled(id, result), from: one) == [])
        for message in [Message.present(id), .await(id: id, waitMilliseconds: 0)] {
            // What the origin withdrew was not carried out.
            let reply = didRecover.map { Message.answered(id, .decision(didRecover: $0)) }
            #expect(rig.get(message, from: one) == [.send(reply ?? .withdrawn(id: id), to: one)])
        }
        #expect(rig.runAlive(60_000).isEmpty)
    }

    @Test("unknown is no result: asked again, the option goes down again")
    func afterUnknown() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(id), from: one)
        _ = rig.answer(id)
        #expect(rig.get(.settled(id, .unknown), from: one).count == 1)
        #expect(rig.get(.settled(id, .unknown), from: one) == [])
        let again = rig.get(.present(id), from: one)
        #expect(again == [.send(.answered(id, .decision()), to: one)])
        #expect(
            rig.get(.settled(id, .recovered), from: one)
                == [.settled(id, answer: Message.sampleAnswer, .recovered)])
    }

    @Test("F28 a sibling can neither settle, withdraw nor await")
    func sibling() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.hello("b"), from: two)
        _ = rig.get(.present(id), from: one)
        let before = rig.machine.entries
        for message in [
            Message.settled(id, .recovered), .withdraw(id: id, reason: .origin),
            .await(id: id, waitMilliseconds: 0),
        ] {
            for peer in [two, PeerID(3)] {
                let actions = rig.get(message, from: peer)
                #expect(actions.drops == [.notTheAsker])
                #expect(actions.reject(to: peer) == .notYours)
            }
        }
        #expect(rig.machine.entries == before)
    }

    @Test("AWAIT for an unknown id is 404")
    func unknown() {
        var rig = DownlinkRig.withChild()
        #expect(
            rig.get(.await(id: id, waitMilliseconds: 9), from: one).reject(to: one) == .unknownID)
    }

    @Test("not asked for during a lease it is abandoned on a live link; AWAIT renews the lease")
    func lease() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(id), from: one)
        _ = rig.runAlive(170_000)
        _ = rig.get(.await(id: id, waitMilliseconds: 0), from: one)
        #expect(!rig.runAlive(179_000).contains(.cancel(id, generation: 1, reason: .abandoned)))
        #expect(rig.runAlive(2_000) == [.cancel(id, generation: 1, reason: .abandoned)])
    }

    @Test("F13 a lost child's presentation is abandoned after a minute")
    func abandoned() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(id), from: one)
        let actions = rig.run(100_000)
        #expect(actions.contains { $0.at == 12_000 && $0.1 == .reachable(id, false) })
        #expect(
            actions.contains {
                $0.at == 72_000 && $0.1 == .cancel(id, generation: 1, reason: .abandoned)
            })
        _ = rig.get(.hello("a"), from: two)
        #expect(rig.get(.present(id), from: two).offers.map(\.generation) == [2])
    }

    @Test("a lost child's presentation stays for abandonAfter, also where that is above a lease")
    func abandonedLater() {
        var times = LinkTimes()
        times.abandonAfter = 500_000
        var rig = DownlinkRig.withChild(times: times)
        _ = rig.get(.present(id), from: one)
        let cancelled = rig.run(600_000).filter {
            $0.1 == .cancel(id, generation: 1, reason: .abandoned)
        }
        #expect(cancelled.map(\.at) == [512_000])
    }

    @Test("a lease stands still while its child is out of reach, and goes on once it is back")
    func leaseStandsStill() {
        var times = LinkTimes()
        times.abandonAfter = 500_000
        var rig = DownlinkRig.withChild(times: times)
        let cancel = DownlinkAction.cancel(id, generation: 1, reason: .abandoned)
        _ = rig.get(.present(id), from: one)
        #expect(!rig.run(400_000).map(\.1).contains(cancel))
        let back = rig.get(.pong(1), from: one)
        #expect(back.contains(.reachable(id, true)) && !back.contains(cancel))
        // Its lease of 180 s had run for the 12 s until the loss.
        #expect(!rig.runAlive(167_000).contains(cancel))
        #expect(rig.runAlive(2_000).contains(cancel))
    }

    @Test("a passed deadline is sent once, and again to peers that ask")
    func deadline() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(id, left: 5_000), from: one)
        let actions = rig.runAlive(10_000)
        #expect(actions.verbs(to: one) == [.accepted, .reject])
        #expect(actions.reject(to: one) == .deadlinePassed)
        #expect(actions.count == 3)
        #expect(actions.contains(.cancel(id, generation: 1, reason: .expired)))
        #expect(rig.get(.present(id, left: 5_000), from: one).reject(to: one) == .deadlinePassed)
        #expect(rig.answer(id) == [.settled(id, answer: Message.sampleAnswer, .withdrawn)])
    }

    @Test("a refusal by the chain goes down and is not remembered")
    func chainRefuses() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(id), from: one)
        let actions = rig.machine.completed(
            id, generation: 1, verdict: .refused(.noResponder, "no one"), at: rig.now)
        #expect(actions.reject(to: one) == .noResponder)
        #expect(rig.machine.entries.isEmpty)
        #expect(rig.machine.unsettledCount == 0)
    }

    @Test("presented again once it was forgotten, it is another generation than any before")
    func generations() {
        var rig = DownlinkRig.withChild()
        func refuse(_ generation: Int) -> [DownlinkAction] {
            rig.machine.completed(
                id, generation: generation, verdict: .refused(.noResponder, "x"), at: rig.now)
        }
        _ = rig.get(.present(id), from: one)
        _ = rig.get(.withdraw(id: id, reason: .abandoned), from: one)
        #expect(rig.get(.present(id), from: one).offers.map(\.generation) == [2])
        #expect(refuse(2).reject(to: one) == .noResponder)
        #expect(rig.machine.entries.isEmpty)
        #expect(rig.get(.present(id), from: one).offers.map(\.generation) == [3])
        // The end of an earlier one says nothing of it.
        #expect(refuse(1) == [])
        #expect(refuse(2) == [])
        #expect(rig.machine.entries[id]?.isOpen == true)
    }
}
