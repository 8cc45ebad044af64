extension DownlinkMachine {
    /// The next due time of the machine.
    var nextDue: MonotonicTime? {
        plans.next.orEarlier(remembered.next).orEarlier(unasked.next).orEarlier(childPlans.next)
    }

    /// Time passed.
    mutating func ticked(at now: MonotonicTime) -> [DownlinkAction] {
        var actions = tickedChildren(at: now)
        while let id = plans.pop(at: now) {
            guard let entry = entries[id] else { continue }
            actions += tickedEntry(entry, at: now)
        }
        while let id = remembered.pop(at: now) ?? unasked.pop(at: now) { forget(id) }
        return actions
    }

    private mutating func tickedEntry(
        _ entry: DownlinkEntry, at now: MonotonicTime
    ) -> [DownlinkAction] {
        switch entry.phase {
        case .open:
            return tickedOpen(entry, at: now)
        case .answered(let delivery):
            guard delivery.result == nil else { return [] }
            if let until = deliveredUntil(entry, delivery), now >= until {
                return handedOver(entry, at: now) ?? giveUpDelivery(of: entry, at: now)
            }
            if let next = delivery.next, now >= next {
                return deliverAgain(entry, delivery, at: now)
            }
            store(entry)
            return []
        case .withdrawn, .abandoned, .refused:
            return []
        }
    }

    /// The time has come to send an answer again.
    private mutating func deliverAgain(
        _ former: DownlinkEntry, _ sent: DownlinkEntry.Delivery, at now: MonotonicTime
    ) -> [DownlinkAction] {
        guard mayBeUnread(sent, by: former.child),
            let unread = former.child.flatMap({ children[$0]?.unread })
        else { return deliver(former, at: now) }
        var (entry, delivery) = (former, sent)
        delivery.next = unread.nextLook(after: now)
        entry.phase = .answered(delivery)
        store(entry)
        return []
    }

    /// The time until which an answer waits for its child. Nil for a child that has the answer, or
    /// first has to read others, and a live link: however long the attempt takes, the child will
    /// report its result.
    private func deliveredUntil(
        _ entry: DownlinkEntry, _ delivery: DownlinkEntry.Delivery
    ) -> MonotonicTime? {
        let asker = entry.child.flatMap { children[$0] }.flatMap {
            $0.boot == entry.askedBy ? $0 : nil
        }
        let isHeldBack = entry.child.flatMap { heldAnswers[$0] }?.contains(entry.id) == true
        if delivery.tries > 0 || isHeldBack, asker?.isReachable == true { return nil }
        let heardAt = asker?.heardAt ?? entry.unreachableSince ?? entry.askedAt
        return max(entry.askedAt, delivery.decidedAt, heardAt) + (times.lease + times.abandonAfter)
    }

    /// Whether a child with a live link has the answer, so that it will report the result: to this
    /// life of the node or to the next one.
    func isWithChild(_ id: PresentationID, answer: UniqueID) -> Bool {
        guard let entry = entries[id], case .answered(let delivery) = entry.phase,
            delivery.answer.id == answer, delivery.result == nil
        else { return false }
        return deliveredUntil(entry, delivery) == nil
    }

    /// Gives up the delivery: no child came for the answer, or the limit of waiting answers is
    /// exceeded. The answer stays under its id for repeated requests.
    mutating func giveUpDelivery(
        of former: DownlinkEntry, at now: MonotonicTime
    ) -> [DownlinkAction] {
        guard case .answered(var delivery) = former.phase, delivery.result == nil else { return [] }
        var entry = former
        let actions = settle(&delivery, entry.id, delivery.ifUndelivered, at: now)
        entry.phase = .answered(delivery)
        store(entry)
        return actions
    }

    private mutating func tickedOpen(
        _ former: DownlinkEntry, at now: MonotonicTime
    ) -> [DownlinkAction] {
        var entry = former
        var actions: [DownlinkAction] = []
        if let deadline = entry.deadline, now >= deadline + times.deadlineSlack {
            let isOver = DownlinkAction.cancel(
                entry.id, generation: entry.generation, reason: .expired)
            if let answer = answerOnExpiry(of: entry) {
                return decided(entry, answer, at: now) + [isOver]
            }
            let reject = Message.Reject(.deadlinePassed, RejectCode.noAnswer, id: entry.id)
            actions += refuse(&entry, reject)
            entry.phase = .refused(reject, until: now + times.tombstone)
            store(entry)
            return actions + [isOver]
        }
        if let until = keptUntil(entry), now >= until {
            if let actions = fallenBack(entry, at: now) { return actions }
            entry.phase = .abandoned(until: now + times.tombstone)
            store(entry)
            return [.cancel(entry.id, generation: entry.generation, reason: .abandoned)]
        }
        if case .requester(let waiting?) = entry.asker, now >= waiting.until {
            actions.append(.send(pending(entry, at: now), to: waiting.peer))
            entry.asker = .requester(nil)
        }
        if let heldBack = entry.heldBack, now >= heldBack.until {
            actions += acknowledgeHeldBack(&entry, at: now)
        }
        store(entry)
        return actions
    }

    /// The time until which an open presentation is kept without another request (section 7, rule
    /// 8). A child out of reach cannot ask, so its lease does not count.
    private func keptUntil(_ entry: DownlinkEntry) -> MonotonicTime? {
        if let since = entry.unreachableSince { return since + times.abandonAfter }
        // A bare client is silent while it waits; a waiting request counts as asking.
        return entry.isBare || entry.isAwaited ? nil : entry.askedAt + times.lease
    }

    /// Stores an entry, updates the counts, and plans its next check.
    mutating func store(_ stored: consuming DownlinkEntry) {
        let entry = stored.counted
        plans.plan(entry.id, at: due(of: stored))
        let former = entries.replace(entry.id, with: stored)?.counted
        count(former, now: entry)
        let account = entry.account
        let formerAccount = former?.account ?? account
        if let former, formerAccount != account { leaveLines(former) }
        // The others keep an entry's time until it is another, or another account's.
        if formerAccount != account || former?.undeliveredSince != entry.undeliveredSince {
            undelivered.plan(entry.id, of: account, at: entry.undeliveredSince)
        }
        if formerAccount != account || former?.forgetAt != entry.forgetAt {
            let wasAsked = entry.origin != nil
            remembered.plan(entry.id, of: account, at: wasAsked ? entry.forgetAt : nil)
            unasked.plan(entry.id, of: account, at: wasAsked ? nil : entry.forgetAt)
        }
        // Above the limit the account that has the most loses its oldest.
        while remembered.count > limits.rememberedMax, let oldest = remembered.popOfMost() {
            forget(oldest)
        }
        while unasked.count > limits.unaskedMax, let oldest = unasked.popOfMost() {
            forget(oldest)
        }
    }

    mutating func forget(_ id: PresentationID) {
        if let entry = entries[id] {
            count(entry.counted, now: nil)
            leaveLines(entry.counted)
            forgottenGeneration = max(forgottenGeneration, entry.generation)
        }
        plans.plan(id, at: nil)
        entries.removeAndShrink(id)
    }

    private mutating func leaveLines(_ entry: DownlinkEntry.Counted) {
        let account = entry.account
        undelivered.plan(entry.id, of: account, at: nil)
        remembered.plan(entry.id, of: account, at: nil)
        unasked.plan(entry.id, of: account, at: nil)
    }

    private mutating func count(
        _ former: DownlinkEntry.Counted?, now entry: DownlinkEntry.Counted?
    ) {
        countOpen(former, now: entry)
        countBytes(former, now: entry)
        let was = former?.isUnsettled == true
        let isNow = entry?.isUnsettled == true
        if was != isNow { unsettledCount += isNow ? 1 : -1 }
        let formerChild = was ? former?.child : nil
        let child = isNow ? entry?.child : nil
        guard formerChild != child else { return }
        if let former, let formerChild {
            unsettledOfChild[formerChild]?.remove(former.id)
            heldAnswers[formerChild]?.plan(former.id, at: nil)
            if unsettledOfChild[formerChild]?.isEmpty == true {
                unsettledOfChild[formerChild] = nil
                planForgetting(formerChild)
            }
        }
        if let entry, let child {
            unsettledOfChild[child, default: []].insert(entry.id)
            if unsettledOfChild[child]?.count == 1 { planForgetting(child) }
        }
    }

    private mutating func countOpen(
        _ former: DownlinkEntry.Counted?, now entry: DownlinkEntry.Counted?
    ) {
        // Most changes are of something else.
        if former?.isOpen == entry?.isOpen, former?.account == entry?.account,
            former?.child == entry?.child
        {
            return
        }
        if let former, former.isOpen { countOpen(-1, of: former) }
        if let entry, entry.isOpen { countOpen(1, of: entry) }
    }

    private mutating func countOpen(_ change: Int, of entry: DownlinkEntry.Counted) {
        openCount += change
        openOfAccount.count(change, of: entry.account)
        guard let child = entry.child else { return }
        openOfChild.count(change, of: child)
        guard openOfChild[child] != nil else { return originsOfChild[child] = nil }
        guard let origin = entry.origin else { return }
        originsOfChild[child, default: [:]].count(change, of: origin)
    }

    private func due(of entry: DownlinkEntry) -> MonotonicTime? {
        switch entry.phase {
        case .open:
            var due = entry.deadline.map { $0 + times.deadlineSlack }
            due = due.orEarlier(keptUntil(entry)).orEarlier(entry.heldBack?.until)
            if case .requester(let waiting?) = entry.asker { due = due.orEarlier(waiting.until) }
            return due
        case .answered(let delivery):
            guard delivery.result == nil else { return nil }
            return delivery.next.orEarlier(deliveredUntil(entry, delivery))
        case .withdrawn, .abandoned, .refused:
            return nil
        }
    }
}
