extension DownlinkMachine {
    /// The chain chose one of the child's own options: the answer is sent down for the attempt.
    mutating func answered(
        _ id: PresentationID, generation: Int, with answer: Answer, at now: MonotonicTime
    ) -> [DownlinkAction] {
        guard let entry = entries[id], entry.generation == generation else {
            // An answer of an earlier generation: no result, so that the later one gets it from
            // above.
            return [.settled(id, answer: answer.id, .unknown)]
        }
        switch entry.phase {
        case .open:
            // Offered on an earlier path upward: its owner is not known here.
            guard var answer = entry.accepted(answer) else {
                return [.settled(id, answer: answer.id, .invalid)]
            }
            answer.reason = Outcome.Reason.answered.rawValue
            return decided(entry, answer, at: now)
        case .answered(let delivery):
            guard delivery.answer.id == answer.id else {
                return [.settled(id, answer: answer.id, .late)]
            }
            return delivery.result.map { [.settled(id, answer: answer.id, $0)] } ?? []
        case .abandoned:
            // A hop's withdrawal is not a result: the presentation may return.
            return [.settled(id, answer: answer.id, .unknown)]
        case .withdrawn, .refused:
            return [.settled(id, answer: answer.id, .withdrawn)]
        }
    }

    /// The chain ended without an attempt by the child.
    package mutating func completed(
        _ id: PresentationID, generation: Int, verdict: DownlinkVerdict, at now: MonotonicTime
    ) -> [DownlinkAction] {
        guard var entry = entries[id], entry.generation == generation else { return [] }
        if case .abandoned = entry.phase, let answer = verdict.carriedOut {
            // A child that returns gets the result, and no second attempt is made.
            return decided(entry, answer, at: now)
        }
        // A race: answered or withdrawn before, so there is nothing left to send.
        guard entry.isOpen else { return [] }
        if verdict.isExpiry, expiresByOwnClock(entry, at: now) { return [] }
        switch verdict {
        case .decided(let answer):
            if answer.isExpiry, let applied = answerOnExpiry(of: entry) {
                return decided(entry, applied, at: now)
            }
            return decided(entry, answer, at: now)
        case .refused(let code, let reason):
            if code == .deadlinePassed, let applied = answerOnExpiry(of: entry) {
                return decided(entry, applied, at: now)
            }
            let pause: UInt64? = code == .busy ? 1_000 : nil
            let reject = Message.Reject(code, reason, id: id, retryMilliseconds: pause)
            if case .requester(nil) = entry.asker {
                // No peer waits now: kept for the next request, which would otherwise get 404,
                // present again, and never get the refusal.
                entry.phase = .refused(reject, until: now + times.lease)
                store(entry)
                return []
            }
            let actions = refuse(&entry, reject)
            forget(id)
            return actions
        }
    }

    /// The chain reports the state of the presentation.
    package mutating func moved(
        _ id: PresentationID, generation: Int, to state: PresentationState.Station, by: String?,
        since: MonotonicTime? = nil, at now: MonotonicTime
    ) -> [DownlinkAction] {
        // That it is relayed is what ACCEPTED says.
        guard var entry = entries[id], entry.generation == generation, entry.isOpen,
            entry.standing ?? .relayed != state || entry.standingBy != by
        else { return [] }
        entry.standing = state
        entry.standingBy = by
        entry.standingSince = min(since ?? now, now)
        store(entry)
        guard entry.heldBack == nil, case .child(let name) = entry.asker,
            let child = children[name], child.isReachable
        else { return [] }
        return [.send(pending(entry, at: now), to: child.peer)]
    }

    /// The option that a bare client declared for expiry: this hop is its end of the protocol, and
    /// its clock.
    func answerOnExpiry(of entry: DownlinkEntry) -> Answer? {
        guard entry.isBare, let option = entry.onExpiry else { return nil }
        // A presentation expires only once, so its own id identifies the answer.
        var answer = Answer(
            id: entry.id.value, option: option, by: name.description, via: .expiry,
            reason: Outcome.Reason.answered.rawValue)
        answer.isFromAbove = true
        return entry.accepted(answer, isDeclared: true) ?? answer
    }

    /// Whether a bare client waits for this hop's own clock: the option that it declared for expiry
    /// needs two people, and a node above could say at any time that the time is over.
    private func expiresByOwnClock(_ entry: DownlinkEntry, at now: MonotonicTime) -> Bool {
        guard entry.isBare, let deadline = entry.deadline, now < deadline else { return false }
        return entry.offered?.contains { $0.id == entry.onExpiry && $0.needsTwoPeople } ?? false
    }

    mutating func decided(
        _ entry: consuming DownlinkEntry, _ answer: Answer, at now: MonotonicTime
    ) -> [DownlinkAction] {
        entry.phase = .answered(.init(answer: answer, decidedAt: now))
        counters.answeredBelow += 1
        return deliver(entry, at: now) + giveUpAboveLimit(at: now)
    }

    /// Gives up answers that wait for their result above the limit: the oldest of the account that
    /// has the most.
    mutating func giveUpAboveLimit(at now: MonotonicTime) -> [DownlinkAction] {
        var actions: [DownlinkAction] = []
        while undelivered.count > limits.undeliveredMax, let oldest = undelivered.popOfMost() {
            if let entry = entries[oldest] { actions += giveUpDelivery(of: entry, at: now) }
        }
        return actions
    }

    /// Sends the answer to the asker, in the form for that kind of peer.
    ///
    /// - Parameter isAsked: Whether it replies to a request: then it does not wait in line.
    mutating func deliver(
        _ entry: consuming DownlinkEntry, isAsked: Bool = false, at now: MonotonicTime
    ) -> [DownlinkAction] {
        guard case .answered(var delivery) = entry.phase else { return [] }
        var actions: [DownlinkAction] = []
        let message = Message.answer(entry.id, delivery.answerToSend, digest: entry.digest)
        // Resent only to a child within reach; any other peer gets it by repeating its request.
        delivery.next = nil
        switch entry.asker {
        case .child(let name):
            guard let child = children[name], child.isReachable else { break }
            // Never behind the answer (section 9): that may come again, and have to wait then.
            let heldBack = entry.heldBack
            entry.heldBack = nil
            if !isAsked, holdsBack(entry.id, delivery, of: name) {
                if let heldBack {
                    let accepted = Message.accepted(id: entry.id, attempt: heldBack.attempt)
                    actions.append(.send(accepted, to: child.peer))
                }
                break
            }
            delivery.tries += 1
            if delivery.result == nil {
                delivery.next = now + jitter.resendDelay(afterTries: delivery.tries)
                delivery.sentAfterPing = pingNumber
            }
            actions.append(.send(message, to: child.peer))
            actions += sentAnswer(entry.id, delivery.answer, to: name, at: now)
        case .requester(let waiting?):
            actions.append(.send(message, to: waiting.peer))
            entry.asker = .requester(nil)
        case .bare(let peer?):
            actions.append(.reply(BareReply(entry.id, delivery.answerToSend), to: peer))
            entry.asker = .bare(nil)
            // A bare client reports no result: none will ever be known.
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

    /// The reply to a bare client could not be sent, since the client is gone. Its place goes to
    /// the last other path that can reach the origin, which gets the answer (rule 11).
    package mutating func lostReply(
        _ id: PresentationID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        guard var entry = entries[id], entry.asker == .bare(nil),
            case .answered(var delivery) = entry.phase, delivery.result == .unknown
        else { return [] }
        delivery.result = nil
        delivery.until = nil
        delivery.decidedAt = now
        entry.phase = .answered(delivery)
        return fallenBack(entry, at: now) ?? []
    }

    /// Refuses the request of the peer that waits, once.
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

// Results and withdrawals from the side below.
extension DownlinkMachine {
    /// SETTLED: ends the resending.
    mutating func settledReceived(
        _ settled: Message.Settled, from peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        let isConfirmed = namesOfPeers[peer] == nil || settled.asked != nil
        let ok: [DownlinkAction] = isConfirmed ? [.send(.ok(id: settled.id), to: peer)] : []
        let endsPath = settled.result == .unknown || settled.result == .invalid
        let known = entries[settled.id]
        if let refusal = refusal(
            about: settled.id, known, settled.asked, from: peer, endsPath: endsPath)
        {
            return refusal
        }
        guard var entry = known, case .answered(var delivery) = entry.phase else {
            if let refusal = unheard(settled, from: peer) { return refusal }
            let further = passedOn(settled)
            if !further.isEmpty, let refusal = tooManyLastWords(settled.id, from: peer, at: now) {
                return refusal
            }
            return endedElsewhere(settled, at: now) + further + ok
        }
        guard delivery.answer.id == settled.answer else {
            // The origin has ended by another answer: a hop's word that the time is over.
            guard settled.asked != nil, settled.result != .unknown else { return ok }
            return withdrawnByOrigin(entry, delivery, from: peer, at: now) + ok
        }
        guard delivery.result == nil || delivery.result == .unknown,
            delivery.result != settled.result
        else { return ok }  // Known already.
        if settled.result == .unknown || settled.result == .invalid {
            // That path cannot carry it out: another may.
            if settled.result == .invalid, delivery.ifUndelivered == .unknown {
                delivery.ifUndelivered = .invalid
                entry.phase = .answered(delivery)
            }
            if forgetOther(peer, of: &entry) { return ok }
            if let actions = handedOver(entry, at: now) { return actions + ok }
        }
        let result = settled.result == .unknown ? delivery.ifUndelivered : settled.result
        var actions = settle(&delivery, settled.id, result, at: now)
        // This hop's own expiry was received first: an answer from above is too late.
        if delivery.answer.isExpiry, settled.result != .unknown {
            actions.append(.withdrawnForGood(settled.id, entry.asked))
        }
        entry.phase = .answered(delivery)
        entry.unreachableSince = nil
        store(entry)
        return actions + ok
    }

    /// A SETTLED without origin and digest, at a hop that does not know the answer: OK would lose
    /// the result. The refusal makes the peer present again, get its answer again, and report with
    /// them.
    private func unheard(_ settled: Message.Settled, from peer: PeerID) -> [DownlinkAction]? {
        guard settled.asked == nil, namesOfPeers[peer] == nil else { return nil }
        switch entries[settled.id]?.phase {
        case nil, .open, .abandoned: break
        case .answered, .withdrawn, .refused: return nil
        }
        let reject = Message.Reject(
            .unknownID, "no answer to this id is known here; PRESENT it again", id: settled.id)
        return [.send(.reject(reject), to: peer)]
    }

    /// The refusal of a last word of this peer on an id. A sibling may send it only with the same
    /// origin and digest: then the origin speaks through it, as with the same PRESENT.
    ///
    /// - Parameter endsPath: Whether a hop says that its own path has ended.
    func refusal(
        about id: PresentationID, _ entry: DownlinkEntry?, _ asked: Message.Asked?,
        from peer: PeerID, endsPath: Bool
    ) -> [DownlinkAction]? {
        guard let asked, entry?.isBare != true else {
            guard let entry else { return nil }
            return notTheAsker(entry, peer) ?? (endsPath ? nil : formerPath(entry, peer))
        }
        if let reject = notAChild(asked.origin, id) ?? notTheKey(of: asked, peer, id)
            ?? notTheOrigin(asked.origin, id, namesOfPeers[peer])
        {
            return [.send(.reject(reject), to: peer)]
        }
        guard let entry, let origin = entry.origin else { return nil }
        if origin == asked.origin, entry.digest == asked.digest { return nil }
        let reject = Message.Reject(.conflict, RejectCode.anotherReport, id: id)
        return [.send(.reject(reject), to: peer)]
    }

    /// The refusal of a path that the presentation has left for the origin's own link: the origin
    /// speaks for itself. Once it is settled the word changes nothing.
    private func formerPath(_ entry: DownlinkEntry, _ peer: PeerID) -> [DownlinkAction]? {
        let child = namesOfPeers[peer]
        guard entry.isUnsettled, entry.child != child, let origin = entry.origin,
            let reject = notTheOrigin(origin, entry.id, child)
        else { return nil }
        return [.send(.reject(reject), to: peer)]
    }

    /// The origin has carried out an answer that came by another path: nothing is left to decide
    /// here, and any child that still asks gets the result.
    private mutating func endedElsewhere(
        _ settled: Message.Settled, at now: MonotonicTime
    ) -> [DownlinkAction] {
        guard settled.asked != nil, settled.result.isOfAttempt,
            var entry = entries[settled.id], entry.isOpen
        else { return [] }
        let answer = Answer(
            id: settled.answer, option: nil, by: name.description, via: .handler,
            reason: Outcome.Reason.answered.rawValue)
        var delivery = DownlinkEntry.Delivery(answer: answer, decidedAt: now)
        let result = settle(&delivery, settled.id, settled.result, at: now)
        entry.phase = .answered(delivery)
        return [.cancel(entry.id, generation: entry.generation, reason: .abandoned)] + result
            + deliver(entry, at: now)
    }

    /// This life did not send that answer down, or has given up the presentation since: the node
    /// that decided may still wait for the result (rule 12).
    private func passedOn(_ settled: Message.Settled) -> [DownlinkAction] {
        settled.asked == nil || settled.result == .unknown ? [] : [.passOn(settled)]
    }

    mutating func settle(
        _ delivery: inout DownlinkEntry.Delivery, _ id: PresentationID, _ result: RecoveryResult,
        at now: MonotonicTime
    ) -> [DownlinkAction] {
        // Not carried out again: its values are not kept, nor taken off each time that it is sent.
        // After `unknown` what the node records of a later result has them, without secrets.
        if result != .unknown {
            let (answer, isFirst) = (delivery.answer, delivery.result == nil)
            delivery.answer = isFirst ? answer.withoutValues : answer.withoutSecrets
            counters.settledBelow += 1
        }
        delivery.result = result
        delivery.next = nil
        delivery.until = now + times.tombstone
        return [.settled(id, answer: delivery.answer.id, result)]
    }
}
