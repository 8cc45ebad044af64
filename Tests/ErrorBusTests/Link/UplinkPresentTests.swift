import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// One presentation on its way up.
@Suite struct UplinkPresentTests {
    private let id = PresentationID(1)

    private func asked(accepted: Bool = true, isForwarded: Bool = false) -> UplinkRig {
        var rig = UplinkRig.live()
        _ = rig.present(id, isForwarded: isForwarded)
        if accepted { _ = rig.get(.accepted(id: id, attempt: 1)) }
        return rig
    }

    @Test("sent at once, with this node in the path and the time left")
    func sent() {
        var rig = UplinkRig.live()
        guard case .send(.present(let present))? = rig.present(id, deadline: 900).first else {
            Issue.record("no PRESENT")
            return
        }
        #expect(present.path == ["c"])
        #expect(present.attempt == 1)
        #expect(present.leftMilliseconds == 900)
    }

    @Test("resent after 1, 2, 4 .. 30 s with the next attempt, until it is accepted")
    func resending() {
        var rig = asked(accepted: false)
        let sent = rig.runAlive(100_000).compactMap { action -> (UInt64, UInt64)? in
            if case .send(.present(let present)) = action.1 {
                (action.at, present.attempt)
            } else {
                nil
            }
        }
        #expect(sent.map(\.1) == Array(2...UInt64(sent.count + 1)))
        let gaps = zip(sent.map(\.0), [0] + sent.map(\.0)).map { $0 - $1 }
        for (gap, seconds) in zip(gaps, [1, 2, 4, 8, 16, 30] as [UInt64]) {
            #expect((seconds * 1000...seconds * 1250).contains(gap))
        }
        #expect(rig.get(.accepted(id: id, attempt: 3)) == [.moved(id, .relayed, by: nil)])
        #expect(rig.runAlive(29_000).map(\.1).verbs == [])
    }

    @Test("accepted, it is asserted with AWAIT about once a minute")
    func awaiting() {
        var rig = asked()
        let times = rig.runAlive(600_000).filter { [$0.1].verbs == [.await] }.map(\.at)
        #expect((10...20).contains(times.count))
        #expect(zip(times.dropFirst(), times).allSatisfy { (30_000...60_000).contains($0 - $1) })
    }

    @Test("404 to AWAIT asks again at once; to PRESENT it does not hurry anything")
    func unknown() {
        var rig = asked()
        let reject = Message.reject(.init(.unknownID, "no such id", id: id))
        #expect(rig.get(reject).verbs == [.present])
        #expect(rig.get(reject).verbs == [])
        #expect(rig.get(reject).verbs == [])
    }

    @Test(
        "429, and 503 and 403 with retry-ms, wait; the same id is asked again",
        arguments: [
            RejectCode.busy, .noResponder, .notYours,
        ])
    func busy(_ code: RejectCode) {
        var rig = asked(accepted: false)
        let reject = Message.reject(.init(code, "full", id: id, retryMilliseconds: 8_000))
        #expect(rig.get(reject).sent == [])
        let next = rig.runAlive(20_000).first { [$0.1].verbs == [.present] }
        #expect((8_000...12_000).contains(next?.at ?? 0))
    }

    @Test(
        "other refusals are final, and but for that of what is too late nothing more is said",
        arguments: RejectCode.allCases.filter {
            ![.busy, .unknownID, .deadlinePassed].contains($0)
        })
    func refused(_ code: RejectCode) {
        var rig = asked(accepted: false)
        #expect(rig.get(.reject(.init(code, "no", id: id))).refusals == [code])
        #expect(rig.get(.reject(.init(code, "no", id: id))) == [])
        #expect(rig.machine.entries.isEmpty)
    }

    @Test("a report or header larger than the next hop takes is refused here, also after WELCOME")
    func tooLarge() {
        var rig = UplinkRig()
        _ = rig.machine.started(at: rig.now)
        var big = UplinkRig.request(id, payload: Frame(repeating: 0x20, count: 262_145))
        #expect(rig.machine.presented(big, at: rig.now).refusals == [.tooLarge])
        big.present.payload.removeLast()
        #expect(rig.machine.presented(big, at: rig.now).refusals == [])
        _ = rig.machine.connected(at: rig.now)
        let welcomed = rig.get(UplinkRig.welcome(maxPayload: 1000))
        #expect(welcomed.refusals == [.tooLarge])
        #expect(welcomed.verbs == [])
        var wide = UplinkRig.request(PresentationID(2))
        wide.present.unknownFields = [.init(name: "x", value: String(repeating: "v", count: 8_180))]
        #expect(rig.machine.presented(wide, at: rig.now).refusals == [.tooLarge])
    }

    @Test("too many hops, too many open; what is settled does not count")
    func limits() {
        var limits = LinkLimits()
        limits.openUpwardMax = 1
        var rig = UplinkRig.live(limits: limits)
        var far = UplinkRig.request(id)
        far.present.path = (1...16).map { NodeName("n\($0)") ?? "x" }
        #expect(rig.machine.presented(far, at: rig.now).refusals == [.tooManyHops])
        _ = rig.present(id)
        #expect(rig.present(PresentationID(2)).refusals == [.busy])
        _ = rig.get(.answer(id, .decision()))
        _ = rig.settle(id)
        #expect(rig.present(PresentationID(2)).refusals == [])
    }

    @Test("the deadline: expired once, and withdrawn")
    func deadline() {
        var rig = UplinkRig.live()
        _ = rig.present(id, deadline: 2_000)
        _ = rig.get(.accepted(id: id, attempt: 1))
        let actions = rig.run(3_000)
        #expect(actions.map(\.1) == [.expired(id), .send(.withdraw(id: id, reason: .origin))])
        #expect(actions.map(\.at) == [3_000, 3_000])
    }

    @Test("A29 an answer that was given in time and comes a little late counts")
    func answerAtDeadline() {
        var rig = UplinkRig.live()
        _ = rig.present(id, deadline: 3_000)
        _ = rig.get(.accepted(id: id, attempt: 1))
        #expect(rig.run(3_500).isEmpty)
        let decision = Answer.decision()
        #expect(rig.get(.answer(id, decision)).contains(.answered(id, decision)))
        #expect(!rig.run(3_500).map(\.1).contains(.expired(id)))
    }

    @Test("Without a link nothing can be on its way: the deadline is the end")
    func deadlineWithoutLink() {
        var rig = UplinkRig()
        _ = rig.machine.started(at: rig.now)
        _ = rig.present(id, deadline: 3_000)
        #expect(rig.run(3_500).filter { $0.1 == .expired(id) }.map(\.at) == [3_000])
    }

    @Test("ten thousand deadlines at one moment")
    func deadlines() {
        var rig = UplinkRig.live()
        for number in 1...10_000 as ClosedRange<UInt64> {
            _ = rig.present(PresentationID(number), deadline: 2_000)
            _ = rig.get(.accepted(id: PresentationID(number), attempt: 1))
            _ = rig.get(.pong(rig.machine.pingNumber))
        }
        #expect(rig.run(3_000).count == 20_000)
    }

    @Test("the grace is over exactly once, and only out of contact")
    func grace() {
        var rig = UplinkRig.live()
        _ = rig.present(id, grace: 2_000)
        _ = rig.get(.accepted(id: id, attempt: 1))
        #expect(!rig.runAlive(10_000).map(\.1).contains(.graceOver(id, nil)))
        _ = rig.get(.pending(.init(id: id, state: .unreachable)))
        let over = rig.runAlive(20_000).filter { $0.1 == .graceOver(id, nil) }
        #expect(over.map(\.at) == [2_000])
    }

    @Test("F8 abandoned and asked again: the late reply to the abandonment ends nothing")
    func lateWithdrawn() {
        var rig = UplinkRig.live()
        _ = rig.present(id, isForwarded: true)
        _ = rig.machine.withdrew(id, reason: .abandoned, at: rig.now)
        #expect(rig.present(id, isForwarded: true).verbs == [.present])
        #expect(rig.get(.withdrawn(id: id)) == [])
        #expect(rig.machine.entries[id]?.isOpen == true)
    }

    @Test("withdrawn before anything was sent: nothing is sent")
    func withdrawnUnsent() {
        var rig = UplinkRig()
        _ = rig.machine.started(at: rig.now)
        _ = rig.present(id)
        #expect(rig.withdraw(id) == [])
        #expect(rig.machine.entries.isEmpty)
    }

    @Test("F33 403 to AWAIT: another path asked meanwhile, so it is asked again by this one")
    func takenOver() {
        var rig = asked()
        let reject = Message.reject(.init(.notYours, "asked by another peer", id: id))
        #expect(rig.get(reject).verbs == [.present])
        // Said twice, to one AWAIT that arrived twice.
        #expect(rig.get(reject) == [])
        #expect(rig.machine.entries[id]?.isOpen == true)
    }

    @Test("403 to AWAIT, and the child is lost: it waits for the child, and asks when it is there")
    func takenOverAndLost() {
        var rig = asked(isForwarded: true)
        let reject = Message.reject(.init(.notYours, "asked by another peer", id: id))
        _ = rig.machine.reachabilityChanged(id, false, at: rig.now)
        _ = rig.get(.accepted(id: id, attempt: 2))
        #expect(rig.get(reject) == [])
        #expect(rig.runAlive(50_000).map(\.1).verbs.allSatisfy { $0 == .await })
        let back = rig.machine.reachabilityChanged(id, true, at: rig.now)
        #expect(back.verbs == [.present])
    }

    @Test("F13 that the child is lost is said until that is accepted, whatever was said before it")
    func saidUntilAccepted() {
        var rig = asked(isForwarded: true)
        let said = rig.machine.reachabilityChanged(id, false, at: rig.now)
        #expect(said.verbs == [.present])
        // Of its own accord, before that PRESENT came; and to the asking before.
        let pending = Message.Pending(id: id, state: .presented, sinceMilliseconds: nil, by: "boss")
        #expect(rig.get(.pending(pending)) == [.moved(id, .presented, by: "boss")])
        #expect(rig.get(.accepted(id: id, attempt: 1)) == [])
        guard case .send(.present(let again))? = rig.runAlive(2_000).map(\.1).first else {
            Issue.record("not said again")
            return
        }
        #expect(again.attempt == 3)
        #expect(!again.isOriginReachable)
        _ = rig.get(.accepted(id: id, attempt: 2))
        #expect(rig.runAlive(25_000).map(\.1).verbs == [])
    }

    @Test("403 to WITHDRAW: another path asks, nothing is left to withdraw")
    func withdrawnElsewhere() {
        var rig = asked()
        #expect(rig.withdraw(id).verbs == [.withdraw])
        #expect(rig.get(.reject(.init(.notYours, "asked by another peer", id: id))) == [])
        #expect(rig.runAlive(100_000).isEmpty)
    }

    @Test(
        "WITHDRAW is resent until it is confirmed, at most ten minutes",
        arguments: [
            Message.withdrawn(id: PresentationID(1)), .ok(id: PresentationID(1)),
        ])
    func withdrawing(_ confirmation: Message) {
        var rig = asked()
        #expect(rig.withdraw(id).verbs == [.withdraw])
        #expect(rig.runAlive(10_000).map(\.1).verbs == [.withdraw, .withdraw, .withdraw])
        var deaf = rig
        #expect(rig.get(confirmation) == [])
        #expect(rig.runAlive(60_000).isEmpty)
        _ = deaf.runAlive(591_000)
        #expect(deaf.runAlive(100_000).isEmpty)
        _ = deaf.runAlive(600_000)
        #expect(deaf.machine.entries.isEmpty)
    }

    @Test("a presentation that is old when it is withdrawn out of contact is withdrawn later")
    func withdrawnLater() {
        var rig = asked()
        _ = rig.runAlive(700_000)
        _ = rig.machine.disconnected("x", at: rig.now)
        #expect(rig.withdraw(id) == [])
        _ = rig.run(200)
        _ = rig.machine.connected(at: rig.now)
        #expect(rig.get(UplinkRig.welcome()).verbs == [.withdraw])
    }

    @Test("F9 the answer comes once; its result goes up at once, and again when it is asked again")
    func answered() {
        var rig = asked()
        let answer = Message.answer(id, .decision())
        #expect(rig.get(answer) == [.answered(id, .decision())])
        #expect(rig.get(answer) == [])
        #expect(rig.withdraw(id) == [])
        let settled = [UplinkAction.send(.settled(id, .recovered))]
        #expect(rig.settle(id) == settled)
        #expect(rig.get(answer) == settled)
        let other = Message.answer(id, .decision(Answer.other.id))
        #expect(rig.get(other) == [.send(.settled(id, .late, answer: Answer.other.id))])
        #expect(rig.get(.reject(.init(.gone, "x", id: id))) == [])
        _ = rig.runAlive(601_000)
        #expect(rig.machine.entries.isEmpty)
    }

    @Test("unknown is overtaken by a result, never the other way round")
    func unknownResult() {
        var rig = asked()
        _ = rig.get(.answer(id, .decision()))
        #expect(rig.settle(id, .unknown).verbs == [.settled])
        #expect(rig.settle(id, .recovered).sent == [.settled(id, .recovered)])
        #expect(rig.settle(id, .unknown) == [])
        #expect(rig.get(.answer(id, .decision())).sent == [.settled(id, .recovered)])
    }

    @Test("after unknown a result says what was asked: the path that had the answer has ended")
    func resultAfterUnknown() {
        var rig = UplinkRig.live()
        var request = UplinkRig.request(id)
        let digest = ReportDigest(of: Message.samplePayload)
        request.present.digest = digest
        _ = rig.machine.presented(request, at: rig.now)
        _ = rig.get(.answer(id, .decision()))
        #expect(rig.settle(id, .unknown).sent == [.settled(id, .unknown)])
        let result = Message.Settled(
            id: id, answer: Message.sampleAnswer, result: .recovered,
            asked: .init(origin: "c", digest: digest))
        #expect(rig.settle(id, .recovered).sent == [.settled(result)])
    }

    @Test("an answer after the withdrawal is settled so; one not asked for only after a minute up")
    func lateAnswers() {
        var rig = asked()
        _ = rig.withdraw(id)
        let answer = Message.answer(id, .decision())
        #expect(rig.get(answer).sent == [.settled(id, .withdrawn)])
        let other = PresentationID(2)
        let alien = Answer.decision()
        #expect(rig.get(.answer(other, alien)) == [.answeredBefore(other, alien, nil)])
        #expect(rig.machine.unasked(other, alien.id, at: rig.now).drops == [.unknownID])
        _ = rig.runAlive(61_000)
        let reply = rig.machine.unasked(other, alien.id, at: rig.now)
        #expect(reply.sent == [.settled(other, .unknown)])
    }

    @Test("asked again while its answer is carried out: asked once that is settled")
    func askedMeanwhile() {
        var rig = asked()
        _ = rig.get(.answer(id, .decision()))
        #expect(rig.present(id) == [])
        let actions = rig.settle(id, .withdrawn)
        #expect(actions.verbs == [.settled, .present])
        #expect(rig.get(.answer(id, .decision(didRecover: false))).count == 1)
    }

    @Test(
        "asked again after or while it was carried out: told the result, never the option again",
        arguments: [RecoveryResult.recovered, .failed], [true, false])
    func toldResult(_ result: RecoveryResult, isMeanwhile: Bool) {
        var rig = asked()
        _ = rig.get(.answer(id, .decision()))
        if isMeanwhile { _ = rig.present(id) }
        let actions = rig.settle(id, result) + (isMeanwhile ? [] : rig.present(id))
        let told = Answer.repeated(didRecover: result == .recovered)
        #expect(actions == [.send(.settled(id, result)), .answered(id, told)])
        #expect(rig.get(.answer(id, .decision())).sent == [.settled(id, result)])
    }

    @Test("delivery given up is no result: asked again, it is asked above")
    func unknownAskedAgain() {
        var rig = asked()
        _ = rig.get(.answer(id, .decision()))
        _ = rig.settle(id, .unknown)
        #expect(rig.present(id).verbs == [.present])
    }

    @Test("an answer that crosses a hop's giving up is not settled by that")
    func crossesAbandonment() {
        var rig = asked()
        _ = rig.machine.withdrew(id, reason: .abandoned, at: rig.now)
        let answer = Message.answer(id, .decision())
        #expect(rig.get(answer).sent == [.settled(id, .unknown)])
        _ = rig.get(.withdrawn(id: id))
        #expect(rig.get(answer).sent == [.settled(id, .unknown)])
    }

    @Test("a hop keeps its giving up back for 2 s: another path may ask by then")
    func abandonsLater() {
        var rig = asked()
        #expect(rig.machine.withdrew(id, reason: .abandoned, at: rig.now) == [])
        let sent = rig.run(3_000)
        #expect(sent.map(\.at) == [2_000])
        #expect(sent.map(\.1) == [.send(.withdraw(id: id, reason: .abandoned))])
    }

    @Test("WITHDRAWN for what is asked: the parent keeps an earlier withdrawal for final")
    func gone() {
        var rig = asked()
        #expect(rig.get(.ok(id: id)) == [])
        #expect(rig.get(.withdrawn(id: id)).refusals == [.gone])
    }

    @Test("results are kept up to the bound")
    func bound() {
        var limits = LinkLimits()
        limits.rememberedMax = 5
        var rig = UplinkRig.live(limits: limits)
        for number in 1...20 as ClosedRange<UInt64> {
            let id = PresentationID(number)
            _ = rig.present(id)
            _ = rig.get(.answer(id, .decision()))
            _ = rig.settle(id)
            rig.now = rig.now + 1
        }
        #expect(rig.machine.entries.count == 5)
        let payloads = rig.machine.entries.values.map(\.request.present.payload)
        #expect(payloads == [Frame](repeating: [], count: 5))
    }
}
