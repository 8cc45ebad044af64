extension UplinkMachine {
    /// A caller here, or a child, presents. A withdrawn id is open again.
    mutating func presented(_ request: UplinkRequest, at now: MonotonicTime)
        -> [UplinkAction]
    {
        let id = request.present.id
        if let refusal = refusal(of: request) {
            // An earlier call for it has ended with this one.
            guard let entry = entries[id], entry.isOpen || entry.askedMeanwhile != nil else {
                return [.refused(id, refusal)]
            }
            withdraw(id, reason: request.isForwarded ? .abandoned : .origin, at: now)
            return [.refused(id, refusal)] + ticked(at: now)
        }
        if var entry = entries[id] {
            switch entry.phase {
            case .answered:
                entry.askedMeanwhile = Boxed(request)
                store(entry, id)
                return []
            case .settled(_, let result, _):
                if let settled = entry.answer?.settled(result) { return [.answered(id, settled)] }
            case .waiting, .asking, .accepted, .moving, .withdrawing, .gone: break
            }
        }
        return askNow(request, at: now)
    }

    /// Asks for what has no answer here, and reports it if it waits for room.
    mutating func askNow(_ request: UplinkRequest, at now: MonotonicTime) -> [UplinkAction] {
        var actions = ask(request, at: now)
        let wasSilent = room.isSilent
        actions += ticked(at: now)
        // Else the tick has reported it, if it waits.
        if !wasSilent { actions += waitsHere(request.present.id) }
        return actions
    }

    private mutating func ask(_ request: UplinkRequest, at now: MonotonicTime) -> [UplinkAction] {
        let id = request.present.id
        let former = entries[id]
        if former == nil { counters.presentedAbove += 1 }
        var entry = UplinkEntry(
            request: request, phase: .waiting, since: now, attempt: former?.attempt ?? 0,
            outOfContactSince: now)
        entry.wasAccepted = former?.wasAccepted ?? false
        entry.lastWord = former?.owedWord(about: entry.asked)
        entry.isBehindWithdrawal = former?.isBehindWithdrawal ?? false
        switch former?.phase {
        case .withdrawing(.origin, _, 1...)
        where !request.isForwarded && former?.isPassedOn == false:
            entry.isBehindWithdrawal = true
        case .withdrawing, .gone:
            entry.wasAbandoned = request.isForwarded || former?.isPassedOn == true
        case .moving(let next, let tries)?:
            entry.wasAbandoned = true
            entry.isHeldAbove = former?.isHeldAbove ?? false
            entry.phase = .moving(next: next, tries: tries)
        case .accepted,
            .asking where former?.isTurnedAway == false:
            // It has its place.
            entry.askAnew(at: now)
            entry.wasAbandoned = former?.wasAbandoned ?? false
            entry.isHeldAbove = former?.isHeldAbove ?? false
        case .waiting, .asking:
            entry.wasAbandoned = former?.wasAbandoned ?? false
            entry.isHeldAbove = former?.isHeldAbove ?? false
        case .answered, .settled, nil:
            entry.wasAbandoned = former?.wasAbandoned ?? false
        }
        store(entry, id)
        return isLive ? [] : [.moved(id, .unreachable, by: nil)]
    }

    /// The refusal of what a child presents under the id of a presentation of this node itself, or
    /// the other way round: at a hop an id belongs to one origin (rule 1).
    func conflict(with request: UplinkRequest) -> Message.Reject? {
        let id = request.present.id
        guard let entry = entries[id], !entry.isPassedOn,
            entry.request.isForwarded != request.isForwarded
        else { return nil }
        return Message.Reject(.conflict, RejectCode.anotherReport, id: id)
    }

    private func refusal(of request: UplinkRequest) -> Message.Reject? {
        let id = request.present.id
        guard link != .closed else {
            return Message.Reject(.noResponder, "node \(name) is going down", id: id)
        }
        guard unfinishedCount < limits.openUpwardMax || entries[id] != nil else {
            return Message.Reject(
                .busy,
                "\(unfinishedCount) presentations are open; at most "
                    + "\(limits.openUpwardMax) are allowed", id: id, retryMilliseconds: 1000)
        }
        if let tooLarge = tooLarge(request.present) { return tooLarge }
        guard request.present.path.count < WireLimits.hopCountMax else {
            return Message.Reject(
                .tooManyHops,
                "\(request.present.path.count) hops before this node; at most "
                    + "\(WireLimits.hopCountMax) in all", id: id)
        }
        return nil
    }

    /// A frame above the next hop's limit would end the session, so it is not sent. While no link
    /// is live the next hop may be another parent, with other limits; each sending checks again.
    func tooLarge(_ present: Message.Present) -> Message.Reject? {
        let welcome = isLive ? welcome : nil
        let payloadMax = min(
            welcome?.maxPayload ?? .max, UInt64(WireLimits.standard.payloadByteCountMax))
        guard present.payload.count <= payloadMax else {
            return Message.Reject(
                .tooLarge,
                "report of \(present.payload.count) bytes; the next hop takes at most "
                    + "\(payloadMax)", id: present.id)
        }
        let headerMax = min(
            welcome?.maxHeader ?? .max, UInt64(WireLimits.standard.headerByteCountMax))
        // Most are far from any limit.
        if let most = present.headerByteCountAtMost, most <= headerMax { return nil }
        // With what a later sending may add: refused now rather than once accepted.
        var longest = present
        longest.attempt = WireLimits.numberMax
        longest.isOriginReachable = false
        let (byteCount, fieldCount) = Message.present(longest).headerSize
        guard byteCount <= headerMax else {
            return Message.Reject(
                .tooLarge,
                "header of up to \(byteCount) bytes; the next hop takes at most \(headerMax)",
                id: present.id)
        }
        guard fieldCount <= WireLimits.headerFieldCountMax else {
            return Message.Reject(
                .tooLarge,
                "header of up to \(fieldCount) fields; the next hop takes at most "
                    + "\(WireLimits.headerFieldCountMax)", id: present.id)
        }
        return nil
    }

    /// The number of entries with a pending action.
    private var unfinishedCount: Int { entries.count - remembered.count - passedOn.count }

    /// The caller gave up, or no child waits for the presentation. An earlier answer stands.
    mutating func withdrew(
        _ id: PresentationID, reason: Message.WithdrawReason, at now: MonotonicTime
    ) -> [UplinkAction] {
        if reason == .origin, case .settled(let answer, .unknown, _) = entries[id]?.phase {
            return settled(id, answer: answer, result: .withdrawn, at: now)
        }
        withdraw(id, reason: reason, at: now)
        return ticked(at: now)
    }

    /// The child that presented became unreachable, or reachable again: another PRESENT carries
    /// this to the presenter.
    mutating func reachabilityChanged(
        _ id: PresentationID, _ isReachable: Bool, at now: MonotonicTime
    ) -> [UplinkAction] {
        guard var entry = entries[id], entry.isOpen, entry.request.isForwarded,
            entry.request.present.isOriginReachable != isReachable
        else { return [] }
        entry.request.present.isOriginReachable = isReachable
        switch entry.phase {
        case .waiting, .moving: break  // Sent with the next PRESENT.
        case .asking where entry.isTurnedAway:
            // It has no place now.
            entry.phase = .waiting
            store(entry, id)
            let wasSilent = room.isSilent
            let actions = ticked(at: now)
            return wasSilent ? actions : actions + waitsHere(id)
        case .asking, .accepted, .answered, .settled, .withdrawing, .gone: entry.askAnew(at: now)
        }
        store(entry, id)
        return ticked(at: now)
    }

    /// Plans the withdrawal, which the next tick sends.
    mutating func withdraw(
        _ id: PresentationID, reason: Message.WithdrawReason, at now: MonotonicTime
    ) {
        guard var entry = entries[id] else { return }
        guard entry.isOpen else {
            entry.askedMeanwhile = nil
            if reason == .origin, entry.isGivenUpByHop {
                entry.phase = .withdrawing(.origin, next: now, tries: 0)
                entry.since = now
            }
            store(entry, id)
            return
        }
        if keepLastWord(of: entry, at: now) { return }
        let isUnsent = entry.attempt == 0
        guard !isUnsent || mayBeHeldAbove(entry, reason) else { return forget(id) }
        entry.isPassedOn = isUnsent && reason == .abandoned
        // Another path may present what a hop abandons at this moment: delayed, so that no prompt
        // disappears and returns.
        let next = reason == .abandoned ? now + times.abandonPause : now
        entry.phase = .withdrawing(reason, next: next, tries: 0)
        entry.since = now
        store(entry, id)
    }

    /// Whether the parent has to get the end of a presentation that only an earlier life may have
    /// sent: if the origin has withdrawn it, or people here see it, since the grace is over. A
    /// parent itself gives up the presentations of a lost child, soon after the loss.
    private func mayBeHeldAbove(_ entry: UplinkEntry, _ reason: Message.WithdrawReason) -> Bool {
        guard entry.request.isForwarded else { return false }
        let isEarly = entry.since.since(startedAt) <= times.silenceMax + times.abandonAfter
        return reason == .origin || (entry.graceIsOver && isEarly)
    }

    /// Stores an entry and plans its next check.
    mutating func store(_ stored: consuming UplinkEntry, _ id: PresentationID) {
        plans.plan(id, at: due(of: stored))
        // Its report will not be sent again.
        if !stored.isOpen { stored.request.present.payload = [] }
        let entry = stored.counted
        let former = entries.replace(id, with: stored)?.counted
        // The others keep what they have of an entry until it is another.
        if former?.rememberedUntil != entry.rememberedUntil {
            remembered.plan(id, at: entry.rememberedUntil)
        }
        if former?.passedOnSince != entry.passedOnSince {
            passedOn.plan(id, at: entry.passedOnSince.map { $0 + times.tombstone })
        }
        if entry.isBetween != (former?.isBetween == true) {
            if entry.isBetween { between.insert(id) } else { between.remove(id) }
        }
        if entry.isUnreleased != (former?.isUnreleased == true) {
            if entry.isUnreleased { unreleased.insert(id) } else { unreleased.remove(id) }
        }
        openCount += (entry.isOpen ? 1 : 0) - (former?.isOpen == true ? 1 : 0)
        place(id, former, now: entry)
        if openCount == 0 { cutOffSince = nil }
        while remembered.count > limits.rememberedMax, let oldest = remembered.popFirst() {
            forget(oldest)
        }
        while passedOn.count > limits.rememberedMax, let oldest = passedOn.popFirst() {
            forget(oldest)
        }
    }

    mutating func forget(_ id: PresentationID) {
        plans.plan(id, at: nil)
        remembered.plan(id, at: nil)
        passedOn.plan(id, at: nil)
        between.remove(id)
        unreleased.remove(id)
        let former = entries[id]?.counted
        if former?.isOpen == true { openCount -= 1 }
        place(id, former, now: nil)
        if openCount == 0 { cutOffSince = nil }
        entries.removeAndShrink(id)
    }

    /// Counts the places at the parent, and puts an entry without a place into the line.
    private mutating func place(
        _ id: PresentationID, _ former: UplinkEntry.Counted?, now entry: UplinkEntry.Counted?
    ) {
        placedCount += (entry?.isPlaced == true ? 1 : 0) - (former?.isPlaced == true ? 1 : 0)
        if let entry, entry.isWaiting {
            line.put(id, of: entry.origin, since: entry.since, wasHeld: entry.isHeldAbove)
        } else if let former, former.isWaiting {
            line.remove(id, of: former.origin)
        }
    }

    private func due(of entry: UplinkEntry) -> MonotonicTime? {
        var due: MonotonicTime?
        switch entry.phase {
        case .asking(let next, _): if isLive, !isLeaving { due = next }
        case .accepted(let next), .moving(let next, _): if isLive { due = next }
        case .withdrawing(_, let next, _):
            // Limited, since a parent that never replies has nothing left to withdraw.
            due = (isLive ? next : nil).orEarlier(entry.since + times.tombstone)
        case .settled: if isLive { due = entry.resending?.next }
        case .waiting, .answered, .gone: break
        }
        guard entry.isOpen else { return due }
        due = due.orEarlier(entry.request.deadline.map(expiry))
        guard let grace = entry.request.grace, let since = entry.outOfContactSince,
            !entry.graceIsOver
        else { return due }
        return due.orEarlier(graceEnd(grace, since, of: entry))
    }

    /// Adopts the answer to a request of an earlier life of this node, for which a child waits
    /// here.
    mutating func adopted(
        _ id: PresentationID, _ asked: Message.Asked, _ answer: Answer, at now: MonotonicTime
    ) {
        counters.answeredAbove += 1
        var entry = UplinkEntry(id, asked, .answered(answer.id), since: now)
        entry.answer = answer
        entry.noteKnown(in: welcome?.boot)
        store(entry, id)
    }

    /// The reply to an answer for which no child waits here: the result, if the presentation has
    /// ended here without the answer. Else a child may still return for it shortly after the start;
    /// later no child will (rule 5).
    func unasked(
        _ id: PresentationID, _ answer: UniqueID, _ result: RecoveryResult? = nil,
        at now: MonotonicTime
    ) -> [UplinkAction] {
        result != nil || now.since(startedAt) > times.abandonAfter
            ? [.send(settledMessage(id, answer, result ?? .unknown))]
            : [.dropped(Anomaly(kind: .unknownID, detail: "answer for \(id)"))]
    }
}
