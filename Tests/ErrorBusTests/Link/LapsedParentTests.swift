import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// A parent gives an answer up some time after a lease without a word of its child: when the child
/// is back, this life of the parent gets the result (rule 12).
@Suite struct LapsedParentTests {
    private let id = PresentationID(1)
    private let digest = ReportDigest(of: Message.samplePayload)
    private var result: Message {
        .settled(
            .init(
                id: id, answer: Message.sampleAnswer, result: .recovered,
                asked: .init(origin: "c", digest: digest)))
    }

    /// Answered by the life 50 of the first parent.
    private func answered(parents: Int = 1) -> UplinkRig {
        var rig = UplinkRig.live(parents: parents)
        var request = UplinkRig.request(id)
        request.present.digest = digest
        _ = rig.machine.presented(request, at: rig.now)
        _ = rig.get(.answer(id, .decision()))
        return rig
    }

    /// The parent that is next in turn is there.
    private func connect(_ rig: inout UplinkRig) {
        while rig.machine.connected(at: rig.now).isEmpty { _ = rig.run(100) }
    }

    @Test(
        "the time since the last reply counts, not since the loss was noticed",
        arguments: [(160, false), (175, true)] as [(UInt64, Bool)])
    func silent(seconds: UInt64, isTold: Bool) {
        var rig = answered()
        #expect(rig.settle(id).sent == [.settled(id, .recovered)])
        _ = rig.run(seconds * 1_000)
        connect(&rig)
        #expect(rig.get(UplinkRig.welcome()).sent == (isTold ? [result] : []))
    }

    @Test(
        "the time at another parent counts as well",
        arguments: [(60, false), (300, true)] as [(UInt64, Bool)])
    func atAnother(seconds: UInt64, isTold: Bool) {
        var rig = answered(parents: 2)
        _ = rig.run(12_000)
        #expect(rig.machine.parent == 1)
        connect(&rig)
        _ = rig.get(UplinkRig.welcome(boot: 60))
        _ = rig.runAlive(seconds * 1_000)
        _ = rig.machine.disconnected("x", at: rig.now)
        #expect(rig.settle(id).sent == [])
        while rig.machine.parent != 0 { _ = rig.run(100) }
        connect(&rig)
        #expect(rig.get(UplinkRig.welcome()).sent == (isTold ? [result] : []))
    }
}
