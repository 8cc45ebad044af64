import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// The result of an answer, and an origin's withdrawal, reach the node that decided, whichever hop
/// has restarted meanwhile (rule 12).
@Suite struct LastWordTests {
    private let id = PresentationID(1)
    private let one = PeerID(1)
    private let two = PeerID(2)
    private let digest = ReportDigest(of: Message.samplePayload)
    private var asked: Message.Asked { .init(origin: "c", digest: digest) }

    private func said(_ result: RecoveryResult) -> Message {
        .settled(
            .init(id: id, answer: Message.sampleAnswer, result: result, asked: asked))
    }

    // MARK: The child

    /// Answered by the parent's life 50.
    private func answered(parents: Int = 1) -> UplinkRig {
        var rig = UplinkRig.live(parents: parents)
        var request = UplinkRig.request(id)
        request.present.digest = digest
        _ = rig.machine.presented(request, at: rig.now)
        _ = rig.get(.answer(id, .decision()))
        return rig
    }

    @Test("a new life of the parent gets the result until it says OK")
    func toldToNewLife() {
        var rig = answered()
        _ = rig.settle(id)
        rig.reconnect()
        #expect(rig.get(UplinkRig.welcome(boot: 51)).sent == [said(.recovered)])
        let again = rig.runAlive(100_000).filter { [$0.1].verbs == [.settled] }
        let gaps = zip(again.map(\.at), [0] + again.map(\.at)).map { $0 - $1 }
        #expect(again.count >= 5)
        for (gap, seconds) in zip(gaps, [1, 2, 4, 8, 16, 30] as [UInt64]) {
            #expect((seconds * 1000...seconds * 1250).contains(gap))
        }
        #expect(rig.get(.ok(id: id)) == [])
        #expect(rig.runAlive(100_000).map(\.1).verbs == [])
        rig.reconnect()
        #expect(rig.get(UplinkRig.welcome(boot: 51)).verbs == [])
        rig.reconnect()
        #expect(rig.get(UplinkRig.welcome(boot: 52)).sent == [said(.recovered)])
    }

    @Test(
        "a parent out of reach for almost a lease may have given the answer up: it gets the result"
    )
    func toldAfterLease() {
        for (seconds, verbs) in [(160, []), (169, [Verb.settled])] as [(UInt64, [Verb])] {
            var rig = answered()
            #expect(rig.settle(id).sent == [.settled(id, .recovered)])
            _ = rig.machine.disconnected("x", at: rig.now)
            _ = rig.run(seconds * 1_000)
            while rig.machine.connected(at: rig.now).isEmpty { _ = rig.run(100) }
            let told = rig.get(UplinkRig.welcome()).sent
            #expect(told == verbs.map { _ in said(.recovered) })
            _ = rig.get(.ok(id: id))
            #expect(rig.runAlive(100_000).map(\.1).verbs == [])
        }
    }

    @Test("a parent that sends the answer again gets the result as a reply, not by itself")
    func sameLife() {
        var rig = answered()
        #expect(rig.settle(id).sent == [.settled(id, .recovered)])
        rig.reconnect()
        #expect(rig.get(UplinkRig.welcome()).verbs == [])
        rig.reconnect()
        _ = rig.get(UplinkRig.welcome(boot: 51))
        // It has learned of the answer from above, and asks for the result.
        #expect(rig.get(.answer(id, .decision())).sent == [.settled(id, .recovered)])
        #expect(rig.runAlive(100_000).map(\.1).verbs == [])
    }

    @Test("carried out while the parent restarts: the new life gets the result")
    func settledAfterRestart() {
        var rig = answered()
        rig.reconnect()
        #expect(rig.get(UplinkRig.welcome(boot: 51)).verbs == [])
        #expect(rig.settle(id).sent == [said(.recovered)])
    }

    @Test("what a parent refuses for good is not said to that life again")
    func refused() {
        var rig = answered()
        _ = rig.settle(id)
        rig.reconnect()
        _ = rig.get(UplinkRig.welcome(boot: 51))
        #expect(rig.get(.reject(.init(.conflict, "another report", id: id))) == [])
        #expect(rig.runAlive(100_000).map(\.1).verbs == [])
    }

    @Test("ten thousand results are sent paced, and after what is asked")
    func paced() {
        var rig = UplinkRig.live()
        for number in 1...10_000 as ClosedRange<UInt64> {
            var request = UplinkRig.request(PresentationID(number))
            request.present.digest = digest
            _ = rig.machine.presented(request, at: rig.now)
            _ = rig.get(.answer(PresentationID(number), .decision()))
            _ = rig.settle(PresentationID(number))
        }
        _ = rig.present(PresentationID(20_000))
        rig.reconnect()
        let first = rig.get(UplinkRig.welcome(boot: 51)).verbs
        #expect(first.first == .present)
        #expect(first.count <= 21)
        let rest = rig.run(2_100).map(\.1).verbs.filter { $0 == .settled }
        #expect(rest.count >= 10_000 - first.count)
    }

    // MARK: The hop that knows nothing

    @Test("a hop passes a result on that it knows nothing of, and says OK")
    func passedOn() {
        var rig = DownlinkRig.withChild()
        let settled = Message.Settled(
            id: id, answer: Message.sampleAnswer, result: .recovered, asked: asked)
        #expect(
            rig.get(.settled(settled), from: one) == [
                .passOn(settled), .send(.ok(id: id), to: one),
            ])
        // What does not say of what it is a result is nothing.
        #expect(rig.get(.settled(id, .recovered), from: one) == [])
        #expect(rig.machine.entries.isEmpty)
    }

    @Test("above, it is said until OK, and to each next life of the parent, for ten minutes")
    func passedUpward() {
        var rig = UplinkRig.live()
        guard case .settled(let settled) = said(.recovered) else { return }
        #expect(rig.machine.passOn(settled, at: rig.now) == [.send(.settled(settled))])
        #expect(rig.get(.answer(id, .decision())).sent == [.settled(id, .recovered)])
        rig.reconnect()
        #expect(rig.get(UplinkRig.welcome(boot: 51)).sent == [.settled(settled)])
        _ = rig.get(.ok(id: id))
        #expect(rig.runAlive(100_000).map(\.1).verbs == [])
        // That one may have died before it was on record.
        rig.reconnect()
        #expect(rig.get(UplinkRig.welcome(boot: 52)).sent == [.settled(settled)])
        _ = rig.get(.ok(id: id))
        _ = rig.runAlive(500_000)
        #expect(rig.machine.entries.isEmpty)
    }

    @Test("so is a withdrawal that is passed on")
    func withdrawalPassedUpward() {
        var rig = UplinkRig.live()
        _ = rig.machine.passOnWithdrawal(of: id, asked, at: rig.now)
        _ = rig.get(.withdrawn(id: id))
        rig.reconnect()
        #expect(rig.get(UplinkRig.welcome(boot: 51)).verbs == [.withdraw])
        _ = rig.get(.withdrawn(id: id))
        _ = rig.runAlive(601_000)
        #expect(rig.machine.entries.isEmpty)
    }

    @Test("without a parent it waits for one, at most ten minutes")
    func passedOnLater() {
        var rig = UplinkRig.live()
        guard case .settled(let settled) = said(.failed) else { return }
        _ = rig.machine.disconnected("x", at: rig.now)
        #expect(rig.machine.passOn(settled, at: rig.now).sent == [])
        var other = rig
        _ = rig.run(200)
        _ = rig.machine.connected(at: rig.now)
        #expect(rig.get(UplinkRig.welcome(boot: 51)).sent == [.settled(settled)])
        _ = other.run(601_000)
        #expect(other.machine.entries.isEmpty)
    }

    @Test("what strangers pass on is bounded, and pushes out no result of this node")
    func bounded() {
        var limits = LinkLimits()
        limits.rememberedMax = 10
        var rig = UplinkRig.live(limits: limits)
        _ = rig.present(PresentationID(500))
        _ = rig.get(.answer(PresentationID(500), .decision()))
        _ = rig.settle(PresentationID(500))
        for number in 1...50 as ClosedRange<UInt64> {
            let settled = Message.Settled(
                id: PresentationID(number), answer: Message.sampleAnswer, result: .failed,
                asked: asked)
            _ = rig.machine.passOn(settled, at: rig.now)
            _ = rig.machine.passOnWithdrawal(
                of: PresentationID(number + 100), asked, at: rig.now)
            rig.pass(1)
        }
        #expect(rig.machine.entries.count == 11)
        #expect(
            rig.get(.answer(PresentationID(500), .decision())).sent
                == [.settled(PresentationID(500), .recovered)])
    }

    // MARK: Who may say it

    /// Asked by the relay `a` for the origin `c`, and answered.
    private func decided() -> DownlinkRig {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.hello("b"), from: two)
        let present = Message.Present(
            id: id, origin: "c", path: ["c", "a"], digest: digest, payload: Message.samplePayload)
        _ = rig.get(.present(present), from: one)
        _ = rig.answer(id)
        return rig
    }

    @Test("a sibling settles only what it can say was asked: the origin has moved to it")
    func sibling() {
        var rig = decided()
        #expect(rig.get(.settled(id, .recovered), from: two).reject(to: two) == .notYours)
        let alien = Message.Asked(origin: "c", digest: ReportDigest(of: [1]))
        let forged = Message.Settled(
            id: id, answer: Message.sampleAnswer, result: .recovered, asked: alien)
        #expect(rig.get(.settled(forged), from: two).reject(to: two) == .conflict)
        #expect(rig.machine.entries[id]?.isUnsettled == true)
        #expect(
            rig.get(said(.recovered), from: two) == [
                .settled(id, answer: Message.sampleAnswer, .recovered),
                .send(.ok(id: id), to: two),
            ])
        // Lost on the way, it is said again.
        #expect(rig.get(said(.recovered), from: two) == [.send(.ok(id: id), to: two)])
    }

    @Test("an origin that has a live link speaks for itself")
    func originIsHere() {
        var rig = decided()
        _ = rig.get(.hello("c"), from: PeerID(3))
        let refusal = rig.get(said(.recovered), from: two)
        #expect(refusal.reject(to: two) == .notYours)
        #expect(rig.get(said(.recovered), from: PeerID(3)).sent(to: PeerID(3)) == [.ok(id: id)])
    }

    // MARK: Giving up

    @Test("a withdrawal by the origin says what was asked; a hop that knows nothing passes it on")
    func withdrawalPassedOn() {
        var child = UplinkRig.live()
        var request = UplinkRig.request(id)
        request.present.digest = digest
        _ = child.machine.presented(request, at: child.now)
        let withdraw = Message.withdraw(id: id, reason: .origin, asked: asked)
        #expect(child.withdraw(id).sent == [withdraw])

        var hop = DownlinkRig.withChild()
        #expect(
            hop.get(withdraw, from: one) == [
                .passOnWithdrawal(id, asked), .send(.withdrawn(id: id), to: one),
            ])
        var above = UplinkRig.live()
        #expect(above.machine.passOnWithdrawal(of: id, asked, at: above.now).sent == [withdraw])
        #expect(above.get(.withdrawn(id: id)) == [])
        #expect(above.runAlive(100_000).map(\.1).verbs == [])
    }

    @Test("a new life of the parent hears of a withdrawal too, also where this one forgot the rest")
    func withdrawalToNewLife() {
        var rig = UplinkRig.live()
        let withdraw = Message.withdraw(id: id, reason: .origin, asked: asked)
        var request = UplinkRig.request(id)
        request.present.digest = digest
        _ = rig.machine.presented(request, at: rig.now)
        _ = rig.withdraw(id)
        _ = rig.get(.withdrawn(id: id))
        rig.reconnect()
        #expect(rig.get(UplinkRig.welcome()).verbs == [])
        rig.reconnect()
        #expect(rig.get(UplinkRig.welcome(boot: 51)).sent == [withdraw])
        _ = rig.get(.withdrawn(id: id))
        #expect(rig.runAlive(100_000).map(\.1).verbs == [])
    }

    @Test("what a child withdraws before it went upward may have gone there by an earlier life")
    func withdrawnUnsent() {
        var rig = UplinkRig.live()
        _ = rig.machine.disconnected("x", at: rig.now)
        _ = rig.present(id, isForwarded: true)
        _ = rig.present(PresentationID(2))
        _ = rig.withdraw(id)
        _ = rig.withdraw(PresentationID(2))
        _ = rig.run(200)
        _ = rig.machine.connected(at: rig.now)
        #expect(rig.get(UplinkRig.welcome()).sent == [.withdraw(id: id, reason: .origin)])
    }

    @Test("what a hop had given up is withdrawn for good by its origin")
    func withdrawnForGood() {
        var hop = DownlinkRig.withChild()
        let present = Message.Present(
            id: id, origin: "c", path: ["c", "a"], digest: digest, payload: Message.samplePayload)
        _ = hop.get(.present(present), from: one)
        _ = hop.get(.withdraw(id: id, reason: .abandoned), from: one)
        #expect(
            hop.get(.withdraw(id: id, reason: .origin), from: one) == [
                .withdrawnForGood(id, asked), .send(.withdrawn(id: id), to: one),
            ])
        var above = UplinkRig.live()
        _ = above.present(id, isForwarded: true)
        _ = above.machine.withdrew(id, reason: .abandoned, at: above.now)
        #expect(above.withdraw(id).sent == [.withdraw(id: id, reason: .origin)])
        #expect(above.get(.answer(id, .decision())).sent == [.settled(id, .withdrawn)])
    }

    @Test("a time that is over by the parent's clock is over: an answer after that is withdrawn")
    func deadlinePassed() {
        var rig = UplinkRig.live()
        _ = rig.present(id, deadline: 60_000)
        let refused = rig.get(.reject(.init(.deadlinePassed, "no time", id: id)))
        #expect(refused.refusals == [.deadlinePassed])
        #expect(refused.sent == [.withdraw(id: id, reason: .origin)])
        #expect(rig.get(.answer(id, .decision())).sent == [.settled(id, .withdrawn)])
    }

    @Test("undelivered, and given up by its origin: settled as that, not as undelivered")
    func undelivered() {
        var rig = decided()
        _ = rig.run(252_001)
        #expect(
            rig.get(.withdraw(id: id, reason: .origin), from: one).contains(
                .settled(id, answer: Message.sampleAnswer, .withdrawn)))
        var other = decided()
        _ = other.get(.bye(reason: "x"), from: one)
        _ = other.get(.withdraw(id: id, reason: .origin, asked: asked), from: two)
        var third = other
        _ = third.get(.hello("a"), from: one)
        #expect(
            third.get(.settled(id, .unknown), from: one).contains(
                .settled(id, answer: Message.sampleAnswer, .withdrawn)))
        let told = other.run(252_001).map(\.1)
        #expect(told.contains(.settled(id, answer: Message.sampleAnswer, .withdrawn)))
        #expect(!told.contains(.settled(id, answer: Message.sampleAnswer, .unknown)))
    }

    @Test("withdrawn by the origin that the answer went to, it is settled at once")
    func withdrawnByAsker() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.hello("c"), from: two)
        for peer in [two, PeerID(3)] {
            let origin: NodeName = peer == two ? "c" : "r"
            let id = PresentationID(peer == two ? 1 : 2)
            let present = Message.Present(
                id: id, origin: origin, path: [origin], digest: digest,
                payload: Message.samplePayload)
            _ = rig.get(.present(present), from: peer)
            _ = rig.answer(id)
            let asked = Message.Asked(origin: origin, digest: digest)
            // What another child knows of it is not its asker's word.
            var other = rig
            let withdraw = Message.withdraw(id: id, reason: .origin, asked: asked)
            let settled = DownlinkAction.settled(id, answer: Message.sampleAnswer, .withdrawn)
            #expect(!other.get(withdraw, from: one).contains(settled))
            #expect(rig.get(withdraw, from: peer).contains(settled))
            // Another life of the origin does not read that the option was carried out.
            #expect(rig.get(.present(present), from: peer).verbs(to: peer) == [.withdrawn])
        }
    }

    @Test("an origin that has ended by another answer has given this one up")
    func endedOtherwise() {
        var rig = decided()
        _ = rig.get(.bye(reason: "x"), from: one)
        let other = Message.Settled(id: id, answer: Answer.other.id, result: .failed, asked: asked)
        #expect(
            rig.get(.settled(other), from: two) == [
                .withdrawnForGood(id, asked), .send(.ok(id: id), to: two),
            ])
        let told = rig.run(252_001).map(\.1)
        #expect(told.contains(.settled(id, answer: Message.sampleAnswer, .withdrawn)))
    }

    @Test("an answer is not given up while the child that has it lives, but 4 min after its loss")
    func longRecovery() {
        var rig = decided()
        let alive = rig.runAlive(1_200_000, one)
        let unknown = DownlinkAction.settled(id, answer: Message.sampleAnswer, .unknown)
        #expect(!alive.contains(unknown))
        _ = rig.get(.bye(reason: "x"), from: one)
        let left = rig.run(300_000).filter { $0.1 == unknown }
        #expect(left.map(\.at) == [240_000])
    }
}
