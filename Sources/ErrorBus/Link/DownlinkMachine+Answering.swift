extension DownlinkMachine {
    /// The chain chose one of the child's own options: it goes down to be attempted there.
    mutating func answered(
        _ id: PresentationID, generation: Int, with answer: Answer, at now: MonotonicTime
    ) -> [DownlinkAction] {
        let decision = Message.Decision(
            id: id, answer: answer.id, by: answer.by, via: answer.via, option: answer.option,
            reason: Outcome.Reason.answered.rawValue, extras: answer.extras)
        guard let entry = entries[id], entry.generation == generation else {
            // An earlier asking's answer: no result, so that the later one gets it from above.
            return [.settled(id, answer: answer.id, .unknown)]
        }
        switch entry.phase {
        case .open:
            // Offered on a way up that is not this one any more: whose it is, is not known here.
            if let offered = entry.offered, !offered.contains(answer.option) {
                return [.settled(id, answer: answer.id, .invalid)]
            }
            return decided(entry, decision, isFromAbove: answer.isFromAbove, at: now)
        case .answered(let delivery):
            guard delivery.decision.answer == answer.id else {
                return [.settled(id, answer: answer.id, .late)]
            }
            return delivery.result.map { [.settled(id, answer: answer.id, $0)] } ?? []
        case .abandoned:
            // A hop's giving up is no result: it may be asked again.
            return [.settled(id, answer: answer.id, .unknown)]
        case .withdrawn, .refused:
            return [.settled(id, answer: answer.id, .withdrawn)]
        }
    }

    /// The chain is done with it without asking the child to attempt anything.
    mutating func completed(
        _ id: PresentationID, generation: Int, verdict: DownlinkVerdict, at now: MonotonicTime
    ) -> [DownlinkAction] {
        // A race: answered or withdrawn before, then there is nothing left to say.
        guard var entry = entries[id], entry.generation == generation, entry.isOpen else {
            return []
        }
        switch verdict {
        case .decided(let decision):
            if decision.isExpiry, let applied = decisionOnExpiry(of: entry) {
                return decided(entry, applied, at: now)
            }
            return decided(entry, decision, at: now)
        case .refused(let code, let reason):
            if code == .deadlinePassed, let applied = decisionOnExpiry(of: entry) {
                return decided(entry, applied, at: now)
            }
            let reject = Message.Reject(code, reason, id: id)
            if case .requester(nil) = entry.asker {
                // No peer to tell now: kept for the request that comes next, or it would be told
                // 404, ask again, and never learn.
                entry.phase = .refused(reject, until: now + times.lease)
                store(entry)
                return []
            }
            let actions = refuse(&entry, reject)
            forget(id)
            return actions
        }
    }

    /// The chain says where it stands.
    mutating func moved(
        _ id: PresentationID, generation: Int, to state: Message.Pending.State, by: String?,
        at now: MonotonicTime
    ) -> [DownlinkAction] {
        guard var entry = entries[id], entry.generation == generation, entry.isOpen,
            entry.standing != state || entry.standingBy != by
        else { return [] }
        entry.standing = state
        entry.standingBy = by
        entry.standingSince = now
        store(entry)
        guard case .child(let name) = entry.asker, let child = children[name], child.isReachable
        else { return [] }
        return [.send(pending(entry, at: now), to: child.peer)]
    }

    /// What a bare client declared for the case that no answer comes in time: this hop is its end
    /// of the protocol, and its clock.
    func decisionOnExpiry(of entry: DownlinkEntry) -> Message.Decision? {
        guard entry.isBare, let option = entry.onExpiry else { return nil }
        // A presentation expires once: its own id will do.
        return Message.Decision(
            id: entry.id, answer: entry.id.value, by: name.description, via: .expiry,
            option: option, reason: Outcome.Reason.answered.rawValue)
    }

    mutating func decided(
        _ entry: DownlinkEntry, _ decision: Message.Decision, isFromAbove: Bool = true,
        at now: MonotonicTime
    ) -> [DownlinkAction] {
        var entry = entry
        entry.phase = .answered(
            .init(decision: decision, isFromAbove: isFromAbove, decidedAt: now))
        counters.answeredBelow += 1
        var actions = deliver(entry, at: now)
        while undelivered.count > limits.undeliveredMax, let oldest = undelivered.popFirst() {
            if let entry = entries[oldest] { actions += giveUpDelivery(of: entry, at: now) }
        }
        return actions
    }

    /// Sends the answer to the peer that asks, as that one gets answers.
    mutating func deliver(_ entry: DownlinkEntry, at now: MonotonicTime) -> [DownlinkAction] {
        guard case .answered(var delivery) = entry.phase else { return [] }
        var entry = entry
        var actions: [DownlinkAction] = []
        let message = Message.answer(toldDecision(delivery))
        // Only a child within reach is sent it again; any other peer that asks again gets it again.
        delivery.next = nil
        switch entry.asker {
        case .child(let name):
            guard let child = children[name], child.isReachable else { break }
            delivery.tries += 1
            if delivery.result == nil {
                delivery.next = now + jitter.resendDelay(afterTries: delivery.tries)
            }
            actions.append(.send(message, to: child.peer))
        case .requester(let waiting?):
            actions.append(.send(message, to: waiting.peer))
            entry.asker = .requester(nil)
        case .bare(let peer?):
            actions.append(.reply(BareReply(toldDecision(delivery)), to: peer))
            entry.asker = .bare(nil)
            // A bare client reports nothing: delivered is all that will ever be known.
            if delivery.result == nil {
                actions += settle(&delivery, entry.id, .unknown, at: now)
            }
        case .requester(nil), .bare(nil):
            break
        }
        entry.phase = .answered(delivery)
        store(entry)
        return actions
    }

    /// Settled is answered with its result, never with the option again (rule 1).
    func toldDecision(_ delivery: DownlinkEntry.Delivery) -> Message.Decision {
        var decision = delivery.decision
        switch delivery.result {
        case .recovered: decision.didRecover = true
        case .failed, .late, .withdrawn, .invalid: decision.didRecover = false
        case .unknown, nil: break
        }
        return decision
    }

    /// Tells the peer that asks, once, that it is refused.
    func refuse(_ entry: inout DownlinkEntry, _ reject: Message.Reject) -> [DownlinkAction] {
        switch entry.asker {
        case .child(let name):
            guard let child = children[name], child.isReachable else { return [] }
            return [.send(.reject(reject), to: child.peer)]
        case .requester(let waiting?):
            entry.asker = .requester(nil)
            return [.send(.reject(reject), to: waiting.peer)]
        case .bare(let peer?):
            entry.asker = .bare(nil)
            return [.reply(BareReply(reject), to: peer)]
        case .requester(nil), .bare(nil):
            return []
        }
    }
}
