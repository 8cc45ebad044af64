extension DownlinkMachine {
    /// How long after its deadline an entry is closed here when neither its chain nor its origin
    /// has done so: both have clocks of their own.
    private static let deadlineSlack: UInt64 = 1_000

    /// When the machine next has something to do.
    var nextDue: MonotonicTime? {
        switch (queue.next, nextChildDue) {
        case (let entry?, let child?): min(entry, child)
        case (let entry, let child): entry ?? child
        }
    }

    /// Time passed.
    mutating func ticked(at now: MonotonicTime) -> [DownlinkAction] {
        var actions = tickedChildren(at: now)
        while let (id, time) = queue.pop(at: now) {
            guard var entry = entries[id], entry.due == time else { continue }
            entry.due = nil
            actions += tickedEntry(entry, at: now)
        }
        return actions
    }

    private mutating func tickedEntry(
        _ former: DownlinkEntry, at now: MonotonicTime
    ) -> [DownlinkAction] {
        var entry = former
        switch entry.phase {
        case .open:
            return tickedOpen(entry, at: now)
        case .answered(var delivery):
            if let until = delivery.until {
                if now >= until { forget(entry) } else { store(entry) }
                return []
            }
            let asked = max(entry.askedAt, delivery.decidedAt)
            if now.since(asked) >= times.lease + times.abandonAfter {
                // Nobody came for it: delivery is given up, the answer is kept a while longer.
                delivery.result = .unknown
                delivery.next = nil
                delivery.until = now + times.tombstone
                entry.phase = .answered(delivery)
                store(entry)
                return [.settled(entry.id, answer: delivery.decision.answer, .unknown)]
            }
            if let next = delivery.next, now >= next { return deliver(entry, at: now) }
            store(entry)
            return []
        case .withdrawn(let until), .abandoned(let until), .refused(_, let until):
            if now >= until { forget(entry) } else { store(entry) }
            return []
        }
    }

    private mutating func tickedOpen(
        _ former: DownlinkEntry, at now: MonotonicTime
    ) -> [DownlinkAction] {
        var entry = former
        var actions: [DownlinkAction] = []
        if let deadline = entry.deadline, now >= deadline + Self.deadlineSlack {
            let reject = Message.Reject(
                .deadlinePassed, "nobody answered before the deadline", id: entry.id)
            actions += refuse(&entry, reject)
            entry.phase = .refused(reject, until: now + times.tombstone)
            store(entry)
            return actions + [.cancel(entry.id, generation: entry.generation, reason: .expired)]
        }
        if isForsaken(entry, at: now) {
            entry.phase = .abandoned(until: now + times.tombstone)
            store(entry)
            return [.cancel(entry.id, generation: entry.generation, reason: .abandoned)]
        }
        if case .requester(let waiting?) = entry.asker, now >= waiting.until {
            actions.append(.send(pending(entry, at: now), to: waiting.peer))
            entry.asker = .requester(nil)
        }
        store(entry)
        return actions
    }

    /// Out of reach for too long, or asked by nobody for the length of a lease (rules 8 and 9).
    private func isForsaken(_ entry: DownlinkEntry, at now: MonotonicTime) -> Bool {
        if let since = entry.unreachableSince, now.since(since) >= times.abandonAfter { return true }
        if case .bare = entry.asker { return false }
        return now.since(entry.askedAt) >= times.lease
    }

    /// Puts an entry back, keeps the counts, and plans when to look at it again.
    mutating func store(_ entry: DownlinkEntry) {
        var entry = entry
        count(entries[entry.id], by: -1)
        count(entry, by: 1)
        if entries[entry.id]?.isUnsettled ?? true, !entry.isUnsettled { remember(entry.id) }
        let due = due(of: entry)
        if entry.due != due, let due { queue.push(entry.id, at: due) }
        entry.due = due
        entries[entry.id] = entry
    }

    mutating func forget(_ entry: DownlinkEntry) {
        count(entries[entry.id], by: -1)
        entries[entry.id] = nil
    }

    private mutating func count(_ entry: DownlinkEntry?, by change: Int) {
        guard let entry, entry.isUnsettled else { return }
        unsettledCount += change
        guard case .child(let name) = entry.asker else { return }
        let count = unsettledOfChild[name, default: 0] + change
        unsettledOfChild[name] = count == 0 ? nil : count
    }

    /// Keeps no more results than the bound: the oldest go first.
    private mutating func remember(_ id: PresentationID) {
        remembered.append(id)
        guard remembered.count > 2 * limits.rememberedMax else { return }
        let kept = remembered.filter { entries[$0].map { !$0.isUnsettled } ?? false }
        for id in kept.dropLast(limits.rememberedMax) { entries[id] = nil }
        remembered = Array(kept.suffix(limits.rememberedMax))
    }

    private func due(of entry: DownlinkEntry) -> MonotonicTime? {
        switch entry.phase {
        case .open:
            var due: [MonotonicTime] = []
            if let deadline = entry.deadline { due.append(deadline + Self.deadlineSlack) }
            if let since = entry.unreachableSince { due.append(since + times.abandonAfter) }
            if case .requester(let waiting?) = entry.asker { due.append(waiting.until) }
            if !isBare(entry.asker) { due.append(entry.askedAt + times.lease) }
            return due.min()
        case .answered(let delivery):
            if let until = delivery.until { return until }
            let givenUp =
                max(entry.askedAt, delivery.decidedAt) + (times.lease + times.abandonAfter)
            return delivery.next.map { min($0, givenUp) } ?? givenUp
        case .withdrawn(let until), .abandoned(let until), .refused(_, let until):
            return until
        }
    }
}
