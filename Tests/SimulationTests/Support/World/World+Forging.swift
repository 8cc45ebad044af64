@testable import ErrorBus

extension World {
    /// Says something at `node` that is not for its sayer to say.
    func forge(_ forgery: Plan.Fault.Forgery, at node: SimulatedNode, _ number: UInt64) {
        guard node.isUp, !node.isFrozen, let downlink = node.downlink else { return }
        let entries = downlink.machine.entries.values.filter { entry in
            if case .child = entry.asker { true } else { false }
        }.sorted { $0.id.value.isBefore($1.id.value) }
        guard !entries.isEmpty else { return }
        let entry = entries[Int(number % UInt64(entries.count))]
        guard case .child(let asker) = entry.asker else { return }
        let paths = entry.otherPaths.map(\.child) + [asker]
        let siblings = downlink.machine.children.keys.filter { !paths.contains($0) }.sorted()
        let sibling = siblings.first.flatMap { downlink.machine.children[$0]?.peer }
        let stranger = PeerID(socket: 0, envelope: Envelope(frames: [Array("c0".utf8), []]))
        var answer = makeID()
        if case .answered(let delivery) = entry.phase { answer = delivery.decision.answer }
        switch forgery {
        case .answerFromBelow:
            guard let peer = downlink.machine.children[asker]?.peer else { return }
            let decision = Message.Decision(
                id: entry.id, answer: makeID(), by: "forger", via: .person,
                option: "\(entry.origin ?? asker).retry")
            node.received(.message(.answer(decision)), from: peer)
        case .settledBySibling:
            let settled = Message.Settled(id: entry.id, answer: answer, result: .recovered)
            node.received(.message(.settled(settled)), from: sibling ?? stranger)
        case .withdrawBySibling:
            let withdraw = Message.withdraw(id: entry.id, reason: .origin)
            node.received(.message(withdraw), from: sibling ?? stranger)
        case .presentFromAbove:
            let present = Message.Present(
                id: PresentationID(makeID()), origin: "forger", path: ["forger"], payload: [])
            node.uplink?.received(.present(present))
        }
    }
}
