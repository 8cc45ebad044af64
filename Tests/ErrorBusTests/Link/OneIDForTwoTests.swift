import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// One id for a presentation of a node itself and one of its child: at a hop an id belongs to one
/// origin (rule 1).
@Suite struct OneIDForTwoTests {
    private let id = PresentationID(1)
    private let now: MonotonicTime = 1_000_000
    private let child = PeerID(1)

    /// A relay with the child `a` and a live parent.
    private func relay(isPassage: Bool = true) throws -> NodeMachine {
        var machine = NodeMachine(
            below: DownlinkRig.withChild().machine, above: [UplinkRig.live().machine],
            endpoints: [[try Endpoint("ipc:///p")]])
        machine.isPassage = isPassage
        return machine
    }

    /// What the node itself presents under the id.
    private var own: UplinkRequest {
        var request = UplinkRig.request(id)
        request.present.digest = ReportDigest(of: Message.samplePayload)
        return request
    }

    /// The own call gets `withdrawn`, its entry becomes the child's, the parent gets the child's
    /// report under the id and refuses it (409): the prompt above has no asker any longer.
    @Test("A child that presents another report under the id of a call of this node gets 409")
    func callStays() throws {
        var machine = try relay()
        _ = machine.asked(own, on: 0, caller: 1, at: now)
        _ = machine.above(0, at: now) { $0.received(.accepted(id: id, attempt: 1), at: now) }
        let asked = machine.below(at: now) { $0.received(.present(id), from: child, at: now) }
        #expect(!asked.contains(.ended(caller: 1, .withdrawn)))
        #expect(asked.up == [])
        #expect(asked.messages(to: child).codes == [.conflict])
        let answered = machine.above(0, at: now) {
            $0.received(.answer(id, .decision()), at: now)
        }
        #expect(answered.contains(.ended(caller: 1, .answered(.decision()))))
    }

    /// The child gets ANSWER with `did-recover: true`, as if something had been done about its
    /// error, and repeats its operation.
    @Test("The result of a call of this node is no result of a child's report under its id")
    func resultIsNotTheChilds() throws {
        var machine = try relay()
        _ = machine.asked(own, on: 0, caller: 1, at: now)
        _ = machine.above(0, at: now) { $0.received(.answer(id, .decision()), at: now) }
        _ = machine.settled(id, answer: Message.sampleAnswer, .recovered, on: 0, at: now)
        let asked = machine.below(at: now) { $0.received(.present(id), from: child, at: now) }
        #expect(asked.down(to: child) != [.answer])
        #expect(asked.messages(to: child).codes == [.conflict])
    }

    /// The other way round: the child's asker is replaced without a word, PRESENT of the node's own
    /// report gets 409 above, and the uplink forgets the entry: nothing asks for the child any
    /// longer, which waits without end.
    @Test("A call of this node under the id of what a child asks gets 409")
    func childStays() throws {
        var machine = try relay()
        _ = machine.below(at: now) { $0.received(.present(id), from: child, at: now) }
        _ = machine.above(0, at: now) { $0.received(.accepted(id: id, attempt: 1), at: now) }
        let asked = machine.asked(own, on: 0, caller: 1, at: now)
        #expect(asked.up == [])
        let codes = asked.compactMap { action -> RejectCode? in
            if case .ended(caller: 1, .refused(let reject)) = action { reject.code } else { nil }
        }
        #expect(codes == [.conflict])
        let answered = machine.above(0, at: now) {
            $0.received(.answered(id, .decision()), at: now)
        }
        #expect(answered.down(to: child) == [.answer])
    }

    /// `.reachable` goes to each link upward by the id alone: PRESENT with `reachable: false` for
    /// the node's own presentation, whose prompt then shows an origin out of reach.
    @Test("A child that is lost takes no call of this node out of reach")
    func callIsInReach() throws {
        var machine = try relay(isPassage: false)
        _ = machine.asked(own, on: 0, caller: 1, at: now)
        _ = machine.below(at: now) { $0.received(.present(id), from: child, at: now) }
        let lost = machine.below(at: now) {
            $0.received(.bye(reason: "x"), from: child, at: now)
        }
        #expect(lost.up == [])
    }
}

extension [Message] {
    fileprivate var codes: [RejectCode] {
        compactMap { if case .reject(let reject) = $0 { reject.code } else { nil } }
    }
}
