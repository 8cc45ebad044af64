import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// The result of an answer whose origin has changed its path meanwhile (rules 11 and 12).
@Suite struct ResultPathTests {
    private let one = PeerID(1)
    private let two = PeerID(2)
    private let id = PresentationID(1)
    private let digest = ReportDigest(of: Message.samplePayload)
    private var asked: Message.Asked { .init(origin: "a", digest: digest) }
    private var carriedOut: Message.Settled {
        .init(id: id, answer: Message.sampleAnswer, result: .recovered, asked: asked)
    }
    private func settled(_ result: RecoveryResult) -> DownlinkAction {
        .settled(id, answer: Message.sampleAnswer, result)
    }

    /// `b` asked, then `c`, for the origin `a`.
    private func askedByBoth(isReachableByFirst: Bool = true) -> DownlinkRig {
        var rig = DownlinkRig()
        _ = rig.get(.hello("b"), from: one)
        _ = rig.get(.hello("c"), from: two)
        for (peer, name) in [(one, "b"), (two, "c")] as [(PeerID, NodeName)] {
            let present = Message.Present(
                id: id, origin: "a", path: ["a", name], digest: digest,
                isOriginReachable: peer == two || isReachableByFirst,
                payload: Message.samplePayload)
            _ = rig.get(.present(present), from: peer)
        }
        return rig
    }

    // MARK: The hop

    @Test("carried out by another path, it is over here, and those who ask get the result")
    func endedElsewhere() {
        var rig = askedByBoth()
        let told = Answer(
            id: Message.sampleAnswer, option: nil, by: "p", via: .handler, didRecover: true,
            reason: "answered")
        #expect(
            rig.get(.settled(carriedOut), from: one) == [
                .cancel(id, generation: 1, reason: .abandoned), settled(.recovered),
                .send(.answer(id, told, digest: digest), to: two), .passOn(carriedOut),
                .send(.ok(id: id), to: one),
            ])
        #expect(rig.machine.openCount == 0)
        #expect(
            rig.get(.await(id: id, waitMilliseconds: 0), from: one).sent(to: one)
                == [.answer(id, told, digest: digest)])
        #expect(rig.answer(id, .other) == [.settled(id, answer: Answer.other.id, .late)])
    }

    @Test("what does not say of what it is a result, or is none, ends nothing")
    func endsNothing() {
        var rig = askedByBoth()
        #expect(rig.get(.settled(id, .recovered), from: one) == [])
        var late = carriedOut
        late.result = .late
        #expect(
            rig.get(.settled(late), from: one) == [.passOn(late), .send(.ok(id: id), to: one)])
        #expect(rig.machine.entries[id]?.isOpen == true)
    }

    @Test("above, it takes the place of what was asked for the child", arguments: [true, false])
    func passedOnWhileAsked(isAccepted: Bool) {
        var rig = UplinkRig.live()
        var request = UplinkRig.request(id, isForwarded: true)
        request.present.origin = "a"
        request.present.digest = digest
        var own = rig
        _ = rig.machine.presented(request, at: rig.now)
        if isAccepted { _ = rig.get(.accepted(id: id, attempt: 1)) }
        #expect(rig.machine.passOn(carriedOut, at: rig.now).sent == [.settled(carriedOut)])
        // The chain notices later that it is over.
        #expect(rig.machine.withdrew(id, reason: .abandoned, at: rig.now) == [])
        #expect(rig.get(.ok(id: id)) == [])
        #expect(rig.runAlive(100_000).map(\.1).verbs == [])
        #expect(rig.machine.openCount == 0)
        // No child speaks for what this node asks itself.
        request.isForwarded = false
        _ = own.machine.presented(request, at: own.now)
        #expect(own.machine.passOn(carriedOut, at: own.now) == [])
        #expect(own.machine.openCount == 1)
    }

    @Test("above, it takes the place of an answer whose delivery was given up, and of no other")
    func passedOnInPlaceOfUnknown() {
        for isGivenUp in [true, false] {
            var rig = UplinkRig.live()
            var request = UplinkRig.request(id, isForwarded: true)
            request.present.origin = "a"
            request.present.digest = digest
            _ = rig.machine.presented(request, at: rig.now)
            _ = rig.get(.answer(id, .decision(Answer.other.id)))
            if isGivenUp {
                _ = rig.machine.settled(
                    id, answer: Answer.other.id, result: .unknown, at: rig.now)
            }
            let passed = rig.machine.passOn(carriedOut, at: rig.now)
            #expect(passed.sent == (isGivenUp ? [.settled(carriedOut)] : []))
            guard isGivenUp else { continue }
            // The parent may send the one that was given up once more.
            let repeated = rig.get(.answer(id, .decision(Answer.other.id)))
            #expect(repeated.sent == [.settled(id, .late, answer: Answer.other.id)])
        }
    }

    // MARK: The node that decided

    @Test("a path that gives up after the answer was given is no path any more")
    func abandonedOnceAnswered() {
        var rig = askedByBoth()
        _ = rig.answer(id)
        _ = rig.get(.withdraw(id: id, reason: .abandoned), from: one)
        #expect(rig.get(.bye(reason: "x"), from: two).verbs(to: one) == [])
        // Its result may have been lost with the link.
        #expect(rig.get(.hello("c"), from: PeerID(3)).verbs(to: PeerID(3)) == [.welcome, .answer])
    }

    @Test("one path cannot carry it out, and the other is lost: that one is waited for")
    func lostMayHaveIt() {
        var rig = askedByBoth()
        _ = rig.answer(id)
        #expect(rig.get(.bye(reason: "x"), from: two).verbs(to: one) == [.answer])
        #expect(rig.get(.settled(id, .unknown), from: one) == [])
        var other = rig
        #expect(rig.get(.hello("c"), from: PeerID(3)).verbs(to: PeerID(3)) == [.welcome, .answer])
        #expect(rig.get(.settled(id, .recovered), from: PeerID(3)).contains(settled(.recovered)))
        let given = other.run(300_000).filter { $0.1 == settled(.unknown) }
        #expect(given.map(\.at) == [240_000])
    }

    @Test("an option that one path does not know may be a hop's of the other, also of one cut off")
    func hopsOption() {
        var rig = askedByBoth(isReachableByFirst: false)
        _ = rig.answer(id)
        var last = rig
        #expect(rig.get(.settled(id, .invalid), from: two).verbs(to: one) == [.answer])
        #expect(rig.get(.settled(id, .recovered), from: one) == [settled(.recovered)])
        _ = last.get(.settled(id, .invalid), from: two)
        // That the origin does not know it says more than that a path has lost the origin.
        #expect(last.get(.settled(id, .unknown), from: one) == [settled(.invalid)])
    }

    // MARK: The child

    @Test(
        "a refused withdrawal without origin and digest is not sent again",
        arguments: [403, 409] as [UInt64])
    func refusedWithdrawal(code: UInt64) throws {
        var rig = UplinkRig.live()
        _ = rig.present(id)
        _ = rig.get(.accepted(id: id, attempt: 1))
        #expect(rig.withdraw(id).verbs == [.withdraw])
        let reject = Message.Reject(
            try #require(RejectCode(number: code)), "another's", id: id)
        _ = rig.get(.reject(reject))
        #expect(!rig.runAlive(100_000).map { [$0.1].verbs }.contains([.withdraw]))
    }

    /// The origin has moved, and the parent does not know yet that its former link is lost.
    @Test(
        "with origin and digest it is sent again after 403, but for that of a hop",
        arguments: [nil, 2_000] as [UInt64?])
    func withdrawalRefusedForNow(retry: UInt64?) {
        let reject = Message.Reject(
            .notYours, "c has a live link here", id: id, retryMilliseconds: retry)
        for reason in Message.WithdrawReason.allCases {
            var rig = UplinkRig.live()
            var request = UplinkRig.request(id, isForwarded: true)
            request.present.digest = digest
            _ = rig.machine.presented(request, at: rig.now)
            _ = rig.get(.accepted(id: id, attempt: 1))
            _ = rig.machine.withdrew(id, reason: reason, at: rig.now)
            _ = rig.run(3_000)
            _ = rig.get(.reject(reject))
            #expect(rig.machine.placedCount == 0)
            let again = rig.runAlive(20_000).filter { [$0.1].verbs == [.withdraw] }
            #expect(again.isEmpty == (reason == .abandoned))
            _ = rig.get(.withdrawn(id: id))
            let later = rig.runAlive(100_000).map(\.1)
            #expect(later.verbs == [])
        }
    }

    @Test("an answer to another report under the id is for an earlier life of the origin")
    func anotherReport() {
        var rig = UplinkRig.live()
        var request = UplinkRig.request(id)
        request.present.digest = digest
        _ = rig.machine.presented(request, at: rig.now)
        let other = rig.get(.answer(id, .decision(), digest: ReportDigest(of: [1])))
        #expect(other == [.answeredBefore(id, .decision(), ReportDigest(of: [1]))])
        let own = rig.get(.answer(id, .decision(), digest: digest))
        #expect(own == [.answered(id, .decision())])
    }

    @Test("the latest result is sent first, whichever was presented first")
    func latestFirst() {
        var rig = UplinkRig.live()
        let ids = (1...3 as ClosedRange<UInt64>).map { PresentationID($0) }
        for id in ids {
            var request = UplinkRig.request(id)
            request.present.digest = digest
            _ = rig.machine.presented(request, at: rig.now)
            _ = rig.get(.answer(id, .decision()))
        }
        let order = [ids[1], ids[2], ids[0]]
        for id in order {
            _ = rig.settle(id)
            rig.pass(1)
        }
        rig.reconnect()
        let told: [PresentationID] = rig.get(UplinkRig.welcome(boot: 51)).sent.compactMap {
            if case .settled(let settled) = $0 { settled.id } else { nil }
        }
        #expect(told == Array(order.reversed()))
    }

    @Test("with its result an answer keeps no values above either; given up, it keeps them")
    func values() {
        for (result, areKept) in [(.recovered, false), (.unknown, true)]
            as [(RecoveryResult, Bool)]
        {
            var rig = UplinkRig.live()
            _ = rig.present(id)
            let answer = Answer(
                id: Message.sampleAnswer, option: "retry", by: "ann", via: .person,
                values: ["n": 1])
            _ = rig.get(.answer(id, answer))
            _ = rig.settle(id, result)
            let payload = rig.machine.entries[id]?.answer?.extras.payload
            #expect(payload?.isEmpty == !areKept)
        }
    }
}
