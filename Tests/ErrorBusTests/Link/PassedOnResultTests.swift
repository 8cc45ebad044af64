import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Results on their way up to a node that may not know the answer.
@Suite struct PassedOnResultTests {
    private let id = PresentationID(1)

    @Test("A result that a parent does not know is sent again, with origin and digest")
    func again() {
        let digest = ReportDigest(of: Message.samplePayload)
        var rig = UplinkRig.live()
        var request = UplinkRig.request(id)
        request.present.digest = digest
        _ = rig.machine.presented(request, at: rig.now)
        _ = rig.get(.answer(id, .decision()))
        #expect(rig.settle(id).sent == [.settled(id, .recovered)])
        _ = rig.get(.reject(.init(.unknownID, "no answer to this id is known here", id: id)))
        let settled = Message.Settled(
            id: id, answer: Message.sampleAnswer, result: .recovered,
            asked: .init(origin: "c", digest: digest))
        #expect(rig.runAlive(2_000).map(\.1).sent.contains(.settled(settled)))
    }

    private let word = Message.Settled(
        id: PresentationID(1), answer: Message.sampleAnswer, result: .recovered,
        asked: .init(origin: "a", digest: ReportDigest(of: Message.samplePayload)))

    /// A relay has restarted and has no link yet: one child reports a result, another presents.
    private func presentedBehind() -> UplinkRig {
        var rig = UplinkRig()
        _ = rig.machine.started(at: rig.now)
        _ = rig.machine.passOn(word, at: rig.now)
        var request = UplinkRig.request(id, isForwarded: true)
        request.present.origin = "a"
        request.present.digest = ReportDigest(of: Message.samplePayload)
        _ = rig.machine.presented(request, at: rig.now)
        _ = rig.machine.connected(at: rig.now)
        return rig
    }

    @Test("A PRESENT by another path replaces no result: that goes first, until OK")
    func beforePresent() {
        var rig = presentedBehind()
        let first = rig.get(UplinkRig.welcome())
        #expect(first.verbs == [.settled, .present])
        #expect(first.sent.first == .settled(word))
        #expect(rig.runAlive(2_000).map(\.1).verbs == [.settled, .present])
        #expect(rig.get(.ok(id: id)) == [])
        #expect(rig.runAlive(3_000).map(\.1).verbs == [.present])
        // Of the presentation the OK says nothing.
        #expect(rig.machine.openCount == 1)
        let answered = rig.get(.answer(id, .decision()))
        #expect(answered == [.answered(id, .decision())])
    }

    @Test("Where the other path's presentation ends first, the result goes on alone")
    func outlivesPresent() {
        for reason in Message.WithdrawReason.allCases {
            var rig = presentedBehind()
            #expect(rig.machine.withdrew(id, reason: reason, at: rig.now) == [])
            #expect(rig.machine.openCount == 0)
            #expect(rig.get(UplinkRig.welcome()).sent == [.settled(word)])
            #expect(rig.get(.ok(id: id)) == [])
            #expect(rig.runAlive(100_000).map(\.1).verbs == [])
        }
    }

    @Test("It also takes the place of a WITHDRAW: it ends the presentation above")
    func inPlaceOfWithdrawal() {
        var rig = presentedBehind()
        #expect(rig.get(UplinkRig.welcome()).verbs == [.settled, .present])
        _ = rig.get(.accepted(id: id, attempt: 1))
        let actions = rig.machine.withdrew(id, reason: .origin, at: rig.now)
        #expect(actions.sent == [.settled(word)])
        #expect(rig.machine.placedCount == 0)
    }

    @Test("A result of another report under the id does not go with the PRESENT of this one")
    func otherReport() {
        var rig = UplinkRig()
        _ = rig.machine.started(at: rig.now)
        _ = rig.machine.passOn(word, at: rig.now)
        var request = UplinkRig.request(id, isForwarded: true)
        request.present.origin = "a"
        request.present.digest = ReportDigest(of: [1])
        _ = rig.machine.presented(request, at: rig.now)
        _ = rig.machine.connected(at: rig.now)
        let actions = rig.get(UplinkRig.welcome())
        #expect(actions.verbs == [.present])
    }
}
