extension DownlinkMachine {
    /// WITHDRAW: final when the origin withdrew; a hop's can be reopened.
    mutating func withdrawReceived(
        _ id: PresentationID, _ reason: Message.WithdrawReason, _ asked: Message.Asked?,
        from peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        let isChild = namesOfPeers[peer] != nil
        let done = DownlinkAction.send(isChild ? .withdrawn(id: id) : .ok(id: id), to: peer)
        let known = entries[id]
        if let refusal = refusal(
            about: id, known, asked, from: peer, endsPath: reason == .abandoned)
        {
            return refusal
        }
        guard var entry = known,
            entry.origin != nil || asked == nil || asked == entry.withdrawnAs
        else {
            guard reason == .origin else { return [done] }
            if asked != nil, let refusal = tooManyLastWords(id, from: peer, at: now) {
                return refusal
            }
            rememberWithdrawal(id, asked, from: peer, at: now)
            return (asked.map { [.passOnWithdrawal(id, $0)] } ?? []) + [done]
        }
        let waiting = replaceWaiting(entry.asker, by: .requester(nil), of: entry, at: now)
        if reason == .abandoned {
            if forgetOther(peer, of: &entry) { return [done] }
            if entry.isOpen, let actions = fallenBack(entry, forgettingAsker: true, at: now) {
                return waiting + actions + [done]
            }
        }
        switch (entry.phase, reason) {
        case (.open, .origin):
            entry.phase = .withdrawn(until: now + times.tombstone)
        case (.open, .abandoned):
            entry.phase = .abandoned(until: now + times.tombstone)
        case (.abandoned, .origin):
            entry.phase = .withdrawn(until: now + times.tombstone)
            store(entry)
            return [.withdrawnForGood(id, entry.asked), done]
        case (.refused, .origin):
            return [.withdrawnForGood(id, entry.asked), done]
        case (.answered(let delivery), .origin):
            return withdrawnByOrigin(entry, delivery, from: peer, at: now) + [done]
        case (.answered, _), (.withdrawn, _), (.abandoned, _), (.refused, _):
            return [done]  // The answer stands, or it is gone already.
        }
        entry.stopWaiting()
        store(entry)
        let why: DownlinkAction.Outcome = reason == .origin ? .withdrawn : .abandoned
        return waiting + [.cancel(id, generation: entry.generation, reason: why), done]
    }

    /// The origin has ended without the answer that went down.
    mutating func withdrawnByOrigin(
        _ former: DownlinkEntry, _ undelivered: DownlinkEntry.Delivery, from peer: PeerID,
        at now: MonotonicTime
    ) -> [DownlinkAction] {
        var (entry, delivery) = (former, undelivered)
        var actions: [DownlinkAction] = []
        let isUndelivered = delivery.result == nil && entry.isAsked(byOrigin: namesOfPeers[peer])
        if isUndelivered || delivery.result == .unknown {
            actions = settle(&delivery, entry.id, .withdrawn, at: now)
        } else {
            // Not at once the end of it: the option may be another node's, which carries it out.
            delivery.ifUndelivered = .withdrawn
        }
        entry.phase = .answered(delivery)
        store(entry)
        // What went down may be this hop's own word, that the time is over.
        return actions + [.withdrawnForGood(entry.id, entry.asked)]
    }

    /// A PRESENT that was overtaken by its WITHDRAW stays withdrawn.
    private mutating func rememberWithdrawal(
        _ id: PresentationID, _ asked: Message.Asked?, from peer: PeerID, at now: MonotonicTime
    ) {
        store(
            DownlinkEntry(
                id: id, origin: nil, digest: nil, withdrawnAs: asked,
                asker: namesOfPeers[peer].map { .child($0) } ?? .requester(nil),
                key: peer.holder?.name, phase: .withdrawn(until: now + times.tombstone),
                askedAt: now, standingSince: now))
    }
}
