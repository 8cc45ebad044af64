import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Children and presentations that return after they were given up.
@Suite struct DownlinkReturnTests {
    private let one = PeerID(1)
    private let two = PeerID(2)
    private let id = PresentationID(1)

    /// A presentation of a child that went, after it was given up.
    private func abandoned() -> DownlinkRig {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.present(id), from: one)
        let actions = rig.run(600_000).map(\.1)
        #expect(actions.contains(.cancel(id, generation: 1, reason: .abandoned)))
        return rig
    }

    private func verdict(_ reason: Outcome.Reason, didRecover: Bool = false) -> DownlinkVerdict {
        var answer = Answer.decision(option: "fix", didRecover: didRecover)
        answer.reason = reason.rawValue
        return .decided(answer)
    }

    @Test(
        "the result of an option of this node counts for a child that returns",
        arguments: [Outcome.Reason.answered, .recoveryFailed])
    func carriedOut(reason: Outcome.Reason) {
        var rig = abandoned()
        let isDone = reason == .answered
        _ = rig.machine.completed(
            id, generation: 1, verdict: verdict(reason, didRecover: isDone), at: rig.now)
        _ = rig.get(.hello("a"), from: two)
        let actions = rig.get(.present(id, attempt: 2), from: two)
        #expect(actions.offers.isEmpty)
        for case .answer(_, let answer, _) in actions.sent(to: two) {
            #expect(answer.didRecover == isDone && answer.reason == reason.rawValue)
        }
        #expect(actions.verbs(to: two) == [.answer])
    }

    @Test(
        "what was not carried out is asked again",
        arguments: [Outcome.Reason.withdrawn, .undelivered])
    func notCarriedOut(reason: Outcome.Reason) {
        var rig = abandoned()
        #expect(
            rig.machine.completed(id, generation: 1, verdict: verdict(reason), at: rig.now) == [])
        let plain = Answer(
            id: Message.sampleAnswer, option: nil, by: "p", via: .handler, didRecover: false,
            reason: "withdrawn")
        #expect(
            rig.machine.completed(id, generation: 1, verdict: .decided(plain), at: rig.now) == [])
        _ = rig.get(.hello("a"), from: two)
        #expect(rig.get(.present(id, attempt: 2), from: two).offers.map(\.generation) == [2])
    }

    @Test("a HELLO that comes late on a former link leaves the present one alone")
    func lateHello() {
        var rig = DownlinkRig.withChild()
        _ = rig.get(.hello("a"), from: two)
        #expect(rig.get(.hello("a"), from: one).drops == [.supersededLink])
        #expect(rig.get(.ping(1), from: two).verbs(to: two) == [.pong])
        // Of another life it is a claim, as from any peer.
        #expect(rig.get(.hello("a", boot: 2), from: one).verbs(to: two) == [.ping])
    }

    @Test("answers that are asked for again without a result keep within their limit")
    func limit() {
        var limits = LinkLimits()
        limits.undeliveredMax = 2
        var rig = DownlinkRig.withChild(limits: limits)
        let ids = (1...4 as ClosedRange<UInt64>).map { PresentationID($0) }
        for id in ids {
            _ = rig.get(.present(id), from: one)
            _ = rig.answer(id)
        }
        func waiting() -> Int {
            rig.machine.entries.keys { $0.undeliveredSince != nil }.count
        }
        #expect(waiting() == 2)
        for id in ids {
            #expect(rig.get(.present(id, attempt: 2), from: one).verbs(to: one) == [.answer])
            #expect(waiting() == 2)
        }
    }
}
