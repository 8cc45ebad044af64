extension DownlinkMachine {
    /// WITHDRAW: final when the origin itself gave up, reopened when a hop did.
    mutating func withdrawReceived(
        _ id: PresentationID, _ reason: Message.WithdrawReason, _ asked: Message.Asked?,
        from peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        let isChild = namesOfPeers[peer] != nil
        let done = DownlinkAction.send(isChild ? .withdrawn(id: id) : .ok(id: id), to: peer)
        if let refusal = refusal(about: id, asked, from: peer) { return refusal }
        guard var entry = entries[id] else {
            guard reason == .origin else { return [done] }
            rememberWithdrawal(id, from: peer, at: now)
            return (asked.map { [.passOnWithdrawal(id, $0)] } ?? []) + [done]
        }
        if reason == .abandoned, entry.isOpen, let name = namesOfPeers[peer] {
            if entry.child != name {
                entry.forgetPath(by: name)
                store(entry)
                return [done]
            }
            if let actions = fallenBack(entry, forgettingAsker: true, at: now) {
                return actions + [done]
            }
        }
        switch (entry.phase, reason) {
        case (.open, .origin):
            entry.phase = .withdrawn(until: now + times.tombstone)
        case (.open, .abandoned):
            entry.phase = .abandoned(until: now + times.tombstone)
        case (.abandoned(let until), .origin):
            entry.phase = .withdrawn(until: until)
            store(entry)
            return [.withdrawnForGood(id), done]
        case (.refused, .origin):
            return [.withdrawnForGood(id), done]
        case (.answered(var delivery), .origin) where delivery.result == .unknown:
            // Not delivered, and never to be carried out.
            let actions = settle(&delivery, id, .withdrawn, at: now)
            entry.phase = .answered(delivery)
            store(entry)
            return actions + [.withdrawnForGood(id), done]
        case (.answered(var delivery), .origin):
            // Not at once the end of it: the option may be another node's, which carries it out.
            delivery.isWithdrawn = true
            entry.phase = .answered(delivery)
            store(entry)
            // What went down may be this hop's own word, that the time is over.
            return [.withdrawnForGood(id), done]
        case (.answered, _), (.withdrawn, _), (.abandoned, _), (.refused, _):
            return [done]  // The answer stands, or it is gone already.
        }
        let waiting = replaceWaiting(entry.asker, by: .requester(nil), of: entry, at: now)
        entry.stopWaiting()
        store(entry)
        let why: DownlinkAction.Outcome = reason == .origin ? .withdrawn : .abandoned
        return waiting + [.cancel(id, generation: entry.generation, reason: why), done]
    }

    /// A PRESENT that was overtaken by its WITHDRAW stays withdrawn.
    private mutating func rememberWithdrawal(
        _ id: PresentationID, from peer: PeerID, at now: MonotonicTime
    ) {
        store(
            DownlinkEntry(
                id: id, origin: nil, digest: nil,
                asker: namesOfPeers[peer].map { .child($0) } ?? .requester(nil),
                phase: .withdrawn(until: now + times.tombstone), askedAt: now,
                standingSince: now))
    }
}
