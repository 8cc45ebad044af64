import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// ANSWER until SETTLED.
@Suite struct DownlinkAnswerTests {
    private let one = PeerID(1)
    private let id = PresentationID(1)

    private func asked(_ limits: LinkLimits = LinkLimits()) -> DownlinkRig {
        var rig = DownlinkRig.withChild(limits: limits)
        _ = rig.get(.present(id), from: one)
        return rig
    }

    @Test("resent after 1, 2, 4 .. 30 s, each up to a quarter longer, until SETTLED")
    func resending() {
        var rig = asked()
        #expect(rig.answer(id) == [.send(.answered(id, .decision()), to: one)])
        var last = rig.now
        for seconds in [1, 2, 4, 8, 16, 30, 30] as [UInt64] {
            var sent: [Message] = []
            while sent.isEmpty, let due = rig.machine.nextDue {
                rig.now = due
                sent = rig.machine.ticked(at: due).sent(to: one).filter { $0.verb == .answer }
                _ = rig.get(.pong(0), from: one)
            }
            #expect(sent == [.answered(id, .decision())])
            #expect((seconds * 1000...seconds * 1250).contains(rig.now.since(last)))
            last = rig.now
        }
        _ = rig.get(.settled(id, .failed), from: one)
        #expect(rig.runAlive(100_000).isEmpty)
    }

    @Test("F12 F14 held while the child is out of reach, given to the same life when it comes back")
    func held() {
        var rig = asked()
        _ = rig.run(12_000)
        #expect(rig.answer(id) == [])
        #expect(rig.run(30_000).map(\.1).verbs(to: one) == [])
        #expect(rig.get(.hello("a"), from: PeerID(2)).verbs(to: PeerID(2)) == [.welcome, .answer])
        #expect(rig.get(.present(id), from: PeerID(2)).verbs(to: PeerID(2)) == [.answer])
    }

    @Test("held for another life until that one asks")
    func heldForAnother() {
        var rig = asked()
        _ = rig.run(12_000)
        _ = rig.answer(id)
        let hello = rig.get(.hello("a", boot: 2), from: PeerID(2))
        #expect(hello.verbs(to: PeerID(2)) == [.welcome])
        #expect(rig.runAlive(5_000, PeerID(2)).verbs(to: PeerID(2)) == [])
        #expect(rig.get(.present(id), from: PeerID(2)).verbs(to: PeerID(2)) == [.answer])
    }

    @Test("SETTLED lost with the connection: the same life is asked for it on the next one")
    func settledLost() {
        var rig = asked()
        #expect(rig.answer(id).verbs(to: one) == [.answer])
        let hello = rig.get(.hello("a"), from: PeerID(2))
        #expect(hello.verbs(to: PeerID(2)) == [.welcome, .answer])
        let settled = rig.get(.settled(id, .recovered), from: PeerID(2))
        #expect(settled == [.settled(id, answer: Message.sampleAnswer, .recovered)])
        #expect(rig.runAlive(100_000, PeerID(2)).isEmpty)
    }

    @Test("an answer for what a hop gave up is no result: asked again, it is given")
    func answeredAfterAbandonment() {
        var rig = asked()
        _ = rig.get(.withdraw(id: id, reason: .abandoned), from: one)
        #expect(rig.answer(id) == [.settled(id, answer: Message.sampleAnswer, .unknown)])
        #expect(rig.get(.present(id), from: one).offers.map(\.generation) == [2])
        #expect(rig.answer(id) == [.settled(id, answer: Message.sampleAnswer, .unknown)])
        #expect(rig.answer(id, generation: 2).verbs(to: one) == [.answer])
    }

    @Test("an answer that a peer without a link asked for again is not resent by itself")
    func askedByRequester() {
        var rig = asked()
        _ = rig.answer(id)
        _ = rig.get(.bye(reason: "moving"), from: one)
        #expect(rig.get(.present(id), from: PeerID(9)).verbs(to: PeerID(9)) == [.answer])
        while let due = rig.machine.nextDue, due < rig.now + 3_000 {
            #expect(rig.machine.ticked(at: due) == [])
            guard let next = rig.machine.nextDue, next > due else {
                Issue.record("ticked at \(due), and still due")
                return
            }
        }
    }

    @Test("delivery given up is settled as unknown, and can still become a result")
    func givenUp() {
        var rig = asked()
        _ = rig.answer(id)
        let given = rig.run(12_000 + 240_000).filter {
            $0.1 == .settled(id, answer: Message.sampleAnswer, .unknown)
        }
        #expect(given.map(\.at) == [240_000])
        _ = rig.get(.hello("a"), from: PeerID(2))
        let late = rig.get(.settled(id, .recovered), from: PeerID(2))
        #expect(late == [.settled(id, answer: Message.sampleAnswer, .recovered)])
    }

    @Test("an answer goes to the next life of its hop, which may say that the origin is gone")
    func nextLife() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(id, origin: "w", path: ["w", "a"]), from: one)
        _ = rig.answer(id)
        _ = rig.get(.bye(reason: "restart"), from: one)
        // What was due to be sent again meanwhile finds no link.
        _ = rig.run(10_000)
        _ = rig.get(.hello("a", boot: 2), from: PeerID(2))
        #expect(rig.runAlive(40_000, PeerID(2)).verbs(to: PeerID(2)).contains(.answer))
        let settled = rig.get(.settled(id, .unknown), from: PeerID(2))
        #expect(settled == [.settled(id, answer: Message.sampleAnswer, .unknown)])
    }

    @Test("an answered entry is not abandoned")
    func notAbandoned() {
        var rig = asked()
        _ = rig.answer(id)
        let actions = rig.run(230_000).map(\.1)
        #expect(!actions.contains(.cancel(id, generation: 1, reason: .abandoned)))
        #expect(
            rig.get(.withdraw(id: id, reason: .abandoned), from: one).verbs(to: one).last
                == .withdrawn)
        #expect(rig.machine.entries[id]?.isUnsettled == true)
    }

    @Test("F8 another answer is late, an earlier generation's has no result, the same one is known")
    func otherAnswers() {
        var rig = asked()
        _ = rig.answer(id)
        #expect(rig.answer(id, .other) == [.settled(id, answer: Answer.other.id, .late)])
        #expect(
            rig.answer(id, generation: 2) == [.settled(id, answer: Answer.sample.id, .unknown)])
        #expect(rig.answer(id) == [])
        _ = rig.get(.settled(id, .recovered), from: one)
        #expect(rig.answer(id) == [.settled(id, answer: Answer.sample.id, .recovered)])
        #expect(
            rig.answer(PresentationID(7)) == [
                .settled(PresentationID(7), answer: Answer.sample.id, .unknown)
            ])
    }

    @Test("F8 F9 SETTLED for another answer changes nothing")
    func alienSettled() {
        var rig = asked()
        #expect(rig.get(.settled(id, .recovered), from: one) == [])
        _ = rig.answer(id)
        #expect(rig.get(.settled(id, .recovered, answer: Answer.other.id), from: one) == [])
        #expect(rig.machine.entries[id]?.isUnsettled == true)
    }

    @Test("what was dealt with above goes down with did-recover")
    func dealtWith() {
        var rig = asked()
        let decision = Answer.decision(option: nil, didRecover: true)
        let actions = rig.machine.completed(
            id, generation: 1, verdict: .decided(decision), at: rig.now)
        #expect(actions == [.send(.answered(id, decision), to: one)])
        #expect(
            rig.machine.completed(id, generation: 1, verdict: .decided(decision), at: rig.now) == []
        )
    }

    @Test(
        "with its result an answer keeps no values; given up, it keeps them for another try",
        arguments: [(.recovered, false), (.failed, false), (.unknown, true)]
            as [(RecoveryResult, Bool)])
    func values(result: RecoveryResult, areKept: Bool) {
        var rig = asked()
        let answer = Answer(
            id: Message.sampleAnswer, option: "retry", by: "ann", via: .person,
            values: ["n": 1], secrets: ["pin": "hunter2"])
        _ = rig.answer(id, answer)
        _ = rig.get(.settled(id, result), from: one)
        guard case .answered(let delivery) = rig.machine.entries[id]?.phase else {
            Issue.record("not answered")
            return
        }
        #expect(delivery.result == result)
        #expect(delivery.answer.extras.payload.isEmpty != areKept)
    }

    @Test("a result after unknown leaves the values to the record, and no secret")
    func valuesAfterUnknown() {
        var rig = asked()
        let answer = Answer(
            id: Message.sampleAnswer, option: "retry", by: "ann", via: .person,
            values: ["n": 1], secrets: ["pin": "hunter2"])
        _ = rig.answer(id, answer)
        _ = rig.get(.settled(id, .unknown), from: one)
        _ = rig.get(.settled(id, .recovered), from: one)
        let payload = rig.machine.entries[id]?.answer?.extras.payload
        #expect(payload == answer.withoutSecrets.extras.payload)
    }

    @Test("a result is kept for ten minutes")
    func tombstone() {
        var rig = asked()
        _ = rig.answer(id)
        _ = rig.get(.settled(id, .recovered), from: one)
        _ = rig.runAlive(599_000)
        #expect(rig.get(.present(id), from: one).verbs(to: one) == [.answer])
        _ = rig.runAlive(2_000)
        #expect(rig.machine.entries.isEmpty)
    }

    @Test("results are kept up to the bound, the oldest go first")
    func tombstoneBound() {
        var limits = LinkLimits()
        limits.rememberedMax = 10
        var rig = DownlinkRig.withChild(limits: limits)
        for number in 1...50 as ClosedRange<UInt64> {
            let id = PresentationID(number)
            _ = rig.get(.present(id), from: one)
            _ = rig.answer(id, generation: rig.generation(of: id))
            _ = rig.get(.settled(id, .recovered), from: one)
            rig.pass(1)
        }
        #expect(
            rig.machine.entries.keys.sorted(by: PresentationID.areInOrder)
                == (41...50).map { PresentationID($0) })
        #expect(rig.machine.unsettledCount == 0)
    }

    @Test("a stranger's withdrawals of what was never asked push no result out")
    func floodOfWithdrawals() {
        var limits = LinkLimits()
        limits.rememberedMax = 10
        limits.unaskedMax = 5
        var rig = DownlinkRig.withChild(limits: limits)
        _ = rig.get(.present(id), from: one)
        _ = rig.answer(id)
        _ = rig.get(.settled(id, .recovered), from: one)
        let stranger = PeerID(9)
        for number in 100..<200 as Range<UInt64> {
            _ = rig.get(.withdraw(id: PresentationID(number), reason: .origin), from: stranger)
            rig.pass(1)
        }
        #expect(
            rig.get(.present(id), from: one).sent(to: one)
                == [.answered(id, .decision(didRecover: true))])
        let kept = rig.machine.entries.keys.filter { $0 != id }
        #expect(Set(kept) == Set((195..<200).map { PresentationID($0) }))
        #expect(
            rig.get(.present(PresentationID(199)), from: one).verbs(to: one) == [.withdrawn])
        _ = rig.run(700_000)
        #expect(rig.machine.entries.isEmpty)
    }
}
