/// What came of an answer, as the side below says it.
extension DownlinkMachine {
    /// SETTLED: the resending ends.
    mutating func settledReceived(
        _ settled: Message.Settled, from peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        let isConfirmed = namesOfPeers[peer] == nil || settled.asked != nil
        let ok: [DownlinkAction] = isConfirmed ? [.send(.ok(id: settled.id), to: peer)] : []
        if let refusal = refusal(about: settled.id, settled.asked, from: peer) { return refusal }
        guard var entry = entries[settled.id], case .answered(var delivery) = entry.phase else {
            return passedOn(settled) + ok
        }
        guard delivery.decision.answer == settled.answer,
            delivery.result == nil || delivery.result == .unknown,
            delivery.result != settled.result
        else { return ok }  // Another answer's, or known already.
        if settled.result == .unknown, let name = namesOfPeers[peer] {
            // That path holds it no more: another may.
            if entry.child != name {
                entry.forgetPath(by: name)
                store(entry)
                return ok
            }
            if let actions = fallenBack(entry, forgettingAsker: true, at: now) { return actions }
        }
        let isGone = settled.result == .unknown && delivery.isWithdrawn
        var actions = settle(
            &delivery, settled.id, isGone ? .withdrawn : settled.result, at: now)
        counters.settledBelow += 1
        // This hop's own word that the time is over was heard: an answer from above is too late.
        if delivery.decision.isExpiry, settled.result != .unknown {
            actions.append(.withdrawnForGood(settled.id))
        }
        entry.phase = .answered(delivery)
        entry.unreachableSince = nil
        store(entry)
        return actions + ok
    }

    /// Why a peer may not say its last word on an id. A sibling may only where it says what was
    /// asked: then the origin speaks by it, as by one that would PRESENT the same.
    func refusal(
        about id: PresentationID, _ asked: Message.Asked?, from peer: PeerID
    ) -> [DownlinkAction]? {
        let entry = entries[id]
        guard let asked, entry?.isBare != true else {
            return entry.flatMap { notTheAsker($0, peer) }
        }
        if let reject = notTheOrigin(asked.origin, id, namesOfPeers[peer]) {
            return [.send(.reject(reject), to: peer)]
        }
        guard let entry, let origin = entry.origin else { return nil }
        if origin == asked.origin, entry.digest == asked.digest { return nil }
        let reject = Message.Reject(.conflict, "this id stands for another report", id: id)
        return [.send(.reject(reject), to: peer)]
    }

    /// This life did not pass that answer down, or has given the presentation up since: the node
    /// that decided may still wait for the result (rule 12).
    private func passedOn(_ settled: Message.Settled) -> [DownlinkAction] {
        settled.asked == nil || settled.result == .unknown ? [] : [.passOn(settled)]
    }

    mutating func settle(
        _ delivery: inout DownlinkEntry.Delivery, _ id: PresentationID, _ result: RecoveryResult,
        at now: MonotonicTime
    ) -> [DownlinkAction] {
        delivery.result = result
        delivery.next = nil
        delivery.until = now + times.tombstone
        return [.settled(id, answer: delivery.decision.answer, result)]
    }
}
