extension UplinkMachine {
    /// Somebody here, or a child, asks. The same id again after a withdrawal is live again.
    mutating func presented(_ request: UplinkRequest, at now: MonotonicTime) -> [UplinkAction] {
        let id = request.present.id
        if let refusal = refusal(of: request) { return [.refused(id, refusal)] }
        if case .answered = entries[id]?.phase {
            return [.dropped(Anomaly(kind: .duplicate, detail: "asked again while answered: \(id)"))]
        }
        let attempt = entries[id]?.attempt ?? 0
        let entry = UplinkEntry(
            request: request, phase: .asking(next: now, tries: 0), openedAt: now,
            attempt: attempt, outOfContactSince: now)
        store(entry, id)
        return (isLive ? [] : [.moved(id, .unreachable, by: nil)]) + ticked(at: now)
    }

    private func refusal(of request: UplinkRequest) -> Message.Reject? {
        let id = request.present.id
        guard link != .closed else {
            return Message.Reject(.noResponder, "node \(name) is going down", id: id)
        }
        guard entries.count < limits.openUpwardMax || entries[id] != nil else {
            return Message.Reject(
                .busy, "\(entries.count) presentations are open; at most "
                    + "\(limits.openUpwardMax) are allowed", id: id, retryMilliseconds: 1000)
        }
        let payloadMax = min(welcome?.maxPayload ?? .max, UInt64(WireLimits.standard.payloadByteCountMax))
        guard request.present.payload.count <= payloadMax else {
            return Message.Reject(
                .tooLarge, "report of \(request.present.payload.count) bytes; the next hop takes "
                    + "at most \(payloadMax)", id: id)
        }
        guard request.present.path.count < WireLimits.hopCountMax else {
            return Message.Reject(
                .tooManyHops, "\(request.present.path.count) hops before this node; at most "
                    + "\(WireLimits.hopCountMax) in all", id: id)
        }
        return nil
    }

    /// The caller gave up, or nobody below asks any more. An answer that came before stands.
    mutating func withdrew(
        _ id: PresentationID, reason: Message.WithdrawReason, at now: MonotonicTime
    ) -> [UplinkAction] {
        guard var entry = entries[id], entry.isOpen else { return [] }
        guard entry.attempt > 0 else {
            entries[id] = nil
            return []
        }
        entry.phase = .withdrawing(reason, next: now, tries: 0)
        store(entry, id)
        return ticked(at: now)
    }

    /// The answer was carried out.
    mutating func settled(
        _ id: PresentationID, answer: UniqueID, result: RecoveryResult, at now: MonotonicTime
    ) -> [UplinkAction] {
        guard var entry = entries[id] else {
            return [.dropped(Anomaly(kind: .unknownID, detail: "settled \(id)"))]
        }
        switch entry.phase {
        case .answered(answer), .settled(answer, _, _):
            entry.phase = .settled(answer, result, until: now + times.tombstone)
            entry.request.present.payload = []
            store(entry, id)
            return isLive ? [.send(settledMessage(id, answer, result))] : []
        case .asking, .accepted, .answered, .settled, .withdrawing, .gone:
            return [.dropped(Anomaly(kind: .late, detail: "settled \(id) in \(entry.phase)"))]
        }
    }

    func settledMessage(
        _ id: PresentationID, _ answer: UniqueID, _ result: RecoveryResult
    ) -> Message {
        .settled(Message.Settled(id: id, answer: answer, result: result))
    }

    /// Puts an entry back and plans when to look at it again.
    mutating func store(_ entry: UplinkEntry, _ id: PresentationID) {
        var entry = entry
        let due = due(of: entry)
        if entry.due != due, let due { queue.push(id, at: due) }
        entry.due = due
        entries[id] = entry
    }

    private func due(of entry: UplinkEntry) -> MonotonicTime? {
        var times: [MonotonicTime] = []
        switch entry.phase {
        case .asking(let next, _): if isLive { times.append(next) }
        case .accepted(let next): if isLive { times.append(next) }
        case .withdrawing(_, let next, _):
            // Not for ever: a parent that never comes back has nothing to withdraw.
            times.append(isLive ? next : entry.openedAt + self.times.tombstone)
        case .answered: break
        case .settled(_, _, let until), .gone(let until): times.append(until)
        }
        if entry.isOpen {
            if let deadline = entry.request.deadline { times.append(deadline) }
            if let grace = entry.request.grace, let since = entry.outOfContactSince,
                !entry.graceIsOver
            {
                times.append(since + grace)
            }
        }
        return times.min()
    }
}
