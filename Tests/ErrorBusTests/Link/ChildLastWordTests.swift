import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// A child's last word about an id that the child has not asked for.
@Suite struct ChildLastWordTests {
    private let id = PresentationID(1)

    @Test("No child withdraws what this node asks itself, or what another report is asked for")
    func others() {
        for isForwarded in [false, true] {
            var rig = UplinkRig.live()
            var request = UplinkRig.request(id, isForwarded: isForwarded)
            request.present.digest = ReportDigest(of: Message.samplePayload)
            _ = rig.machine.presented(request, at: rig.now)
            let asked = Message.Asked(origin: "kid", digest: ReportDigest(of: [1]))
            let passed = rig.machine.passOnWithdrawal(of: id, asked, at: rig.now)
            #expect(passed.sent == [])
            #expect(rig.machine.openCount == 1)
        }
    }

    @Test("A call of this node keeps its deadline")
    func callStays() throws {
        let now: MonotonicTime = 1_000_000
        var machine = NodeMachine(
            below: DownlinkRig.withChild().machine, above: [UplinkRig.live().machine],
            endpoints: [[try Endpoint("ipc:///p")]])
        var request = UplinkRig.request(id, deadline: now + 5_000)
        request.present.digest = ReportDigest(of: Message.samplePayload)
        _ = machine.asked(request, on: 0, caller: 1, at: now)
        let asked = Message.Asked(origin: "a", digest: ReportDigest(of: [1]))
        let withdrawal = Message.withdraw(id: id, reason: .origin, asked: asked)
        let actions = machine.below(at: now) {
            $0.received(withdrawal, from: PeerID(1), at: now)
        }
        #expect(actions.up == [])
        let later = machine.ticked(at: now + 6_000)
        let isExpired = later.contains {
            if case .ended(caller: 1, .expired) = $0 { true } else { false }
        }
        #expect(isExpired)
    }

    private let kids = Message.Asked(origin: "kid", digest: ReportDigest(of: [1]))

    private func presented() -> UplinkRig {
        var rig = UplinkRig.live()
        var request = UplinkRig.request(id)
        request.present.digest = ReportDigest(of: Message.samplePayload)
        _ = rig.machine.presented(request, at: rig.now)
        return rig
    }

    private func word(_ result: RecoveryResult) -> Message.Settled {
        .init(id: id, answer: Message.sampleAnswer, result: result, asked: kids)
    }

    /// The answer's id can be overheard, as a presentation's can.
    @Test("No child says the result of an option that this node carries out")
    func attempt() {
        var rig = presented()
        _ = rig.get(.answer(id, .decision()))
        #expect(rig.machine.passOn(word(.failed), at: rig.now).sent == [])
        #expect(rig.settle(id).sent == [.settled(id, .recovered)])
    }

    /// Replaced by the child's word: WITHDRAW is not sent again, the prompt stays until the lease
    /// ends, and an answer given meanwhile is unknown.
    @Test("A child's result takes the place of no withdrawal of this node's own call")
    func withdrawal() {
        var rig = presented()
        #expect(rig.withdraw(id).verbs == [.withdraw])
        #expect(rig.machine.passOn(word(.failed), at: rig.now).sent == [])
        #expect(rig.runAlive(2_000).map(\.1).verbs == [.withdraw])
        #expect(rig.get(.answer(id, .decision())).sent == [.settled(id, .withdrawn)])
    }

    @Test("No child sends a last word in the name of the node that it is a child of")
    func ownName() {
        var rig = DownlinkRig.withChild()
        let asked = Message.Asked(origin: "p", digest: ReportDigest(of: [1]))
        let settled = Message.Settled(
            id: id, answer: Message.sampleAnswer, result: .recovered, asked: asked)
        for message in [
            .settled(settled), .withdraw(id: id, reason: .origin, asked: asked),
        ] as [Message] {
            let actions = rig.get(message, from: PeerID(1))
            #expect(actions.verbs(to: PeerID(1)) == [.reject])
            #expect(actions.count == 1)
        }
    }
}
