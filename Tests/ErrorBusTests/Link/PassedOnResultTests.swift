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
}
