import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What a parent says of a new presentation, unless its answer comes first.
@Suite struct HeldBackTests {
    private let one = PeerID(1)
    private let two = PeerID(2)
    private let id = PresentationID(1)
    private let holdBack = LinkTimes().holdBack

    private func asked() -> DownlinkRig {
        var rig = DownlinkRig.withChild()
        #expect(rig.get(.present(id), from: one).verbs(to: one) == [])
        return rig
    }

    private func move(
        _ rig: inout DownlinkRig, to state: PresentationState.Station, by: String? = "p"
    ) -> [Verb] {
        rig.machine.moved(id, generation: 1, to: state, by: by, at: rig.now).verbs(to: one)
    }

    /// What the child gets from now on, in the time before it would send PRESENT again.
    private func later(_ rig: inout DownlinkRig) -> [(at: UInt64, verb: Verb)] {
        rig.run(900).flatMap { at, action in [action].verbs(to: one).map { (at, $0) } }
    }

    @Test("an answer that comes soon is all that goes down")
    func answeredSoon() {
        var rig = asked()
        rig.pass(holdBack - 1)
        #expect(rig.run(0).isEmpty)
        #expect(move(&rig, to: .presented) == [])
        #expect(rig.answer(id).verbs(to: one) == [.answer])
        #expect(later(&rig).isEmpty)
    }

    @Test("without an answer the child gets ACCEPTED once, when the time is over")
    func answeredLate() {
        var rig = asked()
        let said = later(&rig)
        #expect(said.map(\.verb) == [.accepted])
        #expect(said.map(\.at) == [holdBack])
        #expect(move(&rig, to: .presented) == [.pending])
        #expect(rig.answer(id).verbs(to: one) == [.answer])
    }

    @Test("of the states that it has had meanwhile the child gets the last, behind ACCEPTED")
    func states() {
        var rig = asked()
        #expect(move(&rig, to: .queued) == [])
        rig.pass(10)
        #expect(move(&rig, to: .presented) == [])
        let sent = rig.run(900).map(\.1).sent(to: one)
        let pending = Message.Pending(
            id: id, state: .presented, sinceMilliseconds: holdBack - 10, by: "p")
        #expect(sent == [.accepted(id: id, attempt: 1), .pending(pending)])
    }

    @Test("PENDING does not repeat what ACCEPTED says: that it was passed on")
    func relayed() {
        var rig = asked()
        _ = later(&rig)
        #expect(move(&rig, to: .relayed, by: nil) == [])
        #expect(move(&rig, to: .unreachable) == [.pending])
        #expect(move(&rig, to: .relayed, by: nil) == [.pending])
    }

    @Test("a refusal and a withdrawal take its place as well")
    func ended() {
        var refused = asked()
        let refusal = refused.machine.completed(
            id, generation: 1, verdict: .refused(.noResponder, "x"), at: refused.now)
        #expect(refusal.verbs(to: one) == [.reject])
        #expect(later(&refused).isEmpty)
        for reason in [Message.WithdrawReason.origin, .abandoned] {
            var rig = asked()
            #expect(
                rig.get(.withdraw(id: id, reason: reason), from: one).verbs(to: one)
                    == [.withdrawn])
            #expect(later(&rig).isEmpty)
        }
        var stopped = asked()
        let last = stopped.machine.stopped(at: stopped.now).verbs(to: one)
        #expect(last.contains(.bye) && !last.contains(.accepted))
        #expect(later(&stopped).isEmpty)
    }

    @Test("a child that presents again gets ACCEPTED at once, for the PRESENT that came last")
    func again() {
        var rig = asked()
        let again = rig.get(.present(id, attempt: 2), from: one)
        #expect(again == [.send(.accepted(id: id, attempt: 2), to: one)])
        #expect(later(&rig).isEmpty)
    }

    @Test("another child that presents the same does not keep it from the first")
    func secondPath() {
        var rig = DownlinkRig()
        _ = rig.get(.hello("b"), from: one)
        _ = rig.get(.hello("c"), from: two)
        _ = rig.get(.present(id, path: ["a", "b"]), from: one)
        let second = rig.get(.present(id, attempt: 3, path: ["a", "c"]), from: two)
        #expect(second.sent(to: one) == [.accepted(id: id, attempt: 1)])
        #expect(second.sent(to: two) == [.accepted(id: id, attempt: 3)])
        #expect(rig.run(900).isEmpty)
    }

    @Test("a child that has left, or has a new life, gets none of it")
    func lost() {
        var left = asked()
        _ = left.get(.bye(reason: "x"), from: one)
        #expect(later(&left).isEmpty)
        var anew = asked()
        _ = anew.machine.vanished(one, at: anew.now)
        #expect(anew.get(.hello("a", boot: 2), from: two).verbs(to: two) == [.welcome])
        #expect(anew.run(900).map(\.1).verbs(to: two) == [])
        #expect(anew.get(.present(id), from: two).verbs(to: two) == [.accepted])
    }

    @Test("one that was given up by a hop and is asked again is held back again")
    func reopened() {
        var rig = asked()
        _ = rig.get(.withdraw(id: id, reason: .abandoned), from: one)
        rig.pass(10)
        #expect(rig.get(.present(id, attempt: 2), from: one).verbs(to: one) == [])
        let said = later(&rig)
        #expect(said.map(\.verb) == [.accepted])
        #expect(said.map(\.at) == [holdBack])
    }

    @Test("a peer that gets one reply per request gets it as ever")
    func requester() {
        var rig = DownlinkRig()
        let waits = rig.get(.present(id, wait: 30), from: one)
        #expect(waits.verbs(to: one) == [])
        let said = later(&rig)
        #expect(said.map(\.verb) == [.pending])
        #expect(said.map(\.at) == [30])
        #expect(rig.get(.present(id, wait: 0), from: one).verbs(to: one) == [.pending])
        #expect(later(&rig).isEmpty)
    }

    @Test("a parent that is there may hold its ACCEPTED back beyond a grace that is shorter")
    func shortGrace() {
        var rig = UplinkRig.live()
        _ = rig.present(id, grace: 1)
        #expect(rig.run(holdBack).map(\.1) == [])
        #expect(rig.run(1).map(\.1) == [.graceOver(id, nil)])
        var none = UplinkRig.live()
        #expect(none.present(id, grace: 0).contains(.graceOver(id, nil)))
    }
}
