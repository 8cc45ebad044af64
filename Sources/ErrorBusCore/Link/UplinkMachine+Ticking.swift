extension UplinkMachine {
    /// The next due time of the machine.
    var nextDue: MonotonicTime? {
        let link: MonotonicTime? =
            switch self.link {
            case .idle, .closed: nil
            case .opening(let since): since + greetingMax
            case .greeting(let since, let nextHello): min(nextHello, since + greetingMax)
            case .live(let live):
                repeatedPingDue.orEarlier(
                    live.heardAt + (live.pingedAt == nil ? times.pingAfter : times.silenceMax))
            case .waiting(let until): until
            }
        return link.orEarlier(returnDue).orEarlier(roomDue).orEarlier(plans.next)
            .orEarlier(remembered.next).orEarlier(passedOn.next)
    }

    /// The limit of a parent's greeting: longer with each failed round, so that slow links succeed
    /// in the end. A round stays bounded, so that every parent is tried.
    private var greetingMax: UInt64 {
        let most = max(times.greetingMax, times.greetingRoundMax / UInt64(parentCount))
        return min(most, times.greetingMax << UInt64(min(failures / parentCount, 6)))
    }

    /// Time passed.
    mutating func ticked(at now: MonotonicTime) -> [UplinkAction] {
        var actions = tickedLink(at: now)
        repeat {
            while let id = plans.pop(at: now) {
                guard let entry = entries[id] else { continue }
                actions += tickedEntry(id, entry, at: now)
            }
        } while fillRoom(at: now) > 0
        actions += reportWaiting()
        while let id = remembered.pop(at: now) ?? passedOn.pop(at: now) { forget(id) }
        actions += tickedReturn(at: now)
        return actions
    }

    private mutating func tickedLink(at now: MonotonicTime) -> [UplinkAction] {
        switch link {
        case .idle, .closed:
            return []
        case .opening(let since):
            guard now.since(since) >= greetingMax else { return [] }
            return giveUp(lastFailure ?? "no connection", at: now)
        case .greeting(let since, let nextHello):
            guard now.since(since) < greetingMax else {
                return giveUp("connected, but no WELCOME came", at: now)
            }
            guard now >= nextHello else { return [] }
            link = .greeting(since: since, nextHello: now + times.helloAgainAfter)
            return [.send(hello)]
        case .waiting(let until):
            guard now >= until else { return [] }
            link = .opening(since: now)
            return [.open(parent: parent)]
        case .live(var live):
            let silence = now.since(live.heardAt)
            guard silence < times.silenceMax else {
                return giveUp("silent for \(silence) ms", at: now)
            }
            let actions = pingForReports(at: now)
            let isSilent = silence >= times.pingAfter && live.pingedAt == nil
            guard isSilent || !actions.isEmpty else { return [] }
            live.pingedAt = now
            link = .live(live)
            // One PING serves both.
            guard actions.isEmpty else { return actions }
            pingNumber += 1
            return [.send(.ping(pingNumber))]
        }
    }

    /// The time at which an unanswered presentation expires. An answer recorded above before the
    /// deadline may still be on its way, and counts (A29).
    func expiry(_ deadline: MonotonicTime) -> MonotonicTime {
        deadline + (isLive ? times.deadlineSlack : 0)
    }

    /// The end of a grace. A parent that is there may hold its ACCEPTED back.
    func graceEnd(
        _ grace: UInt64, _ since: MonotonicTime, of entry: UplinkEntry
    ) -> MonotonicTime {
        guard isLive, grace > 0, case .asking = entry.phase else { return since + grace }
        return since + grace + times.holdBack
    }

    private mutating func tickedEntry(
        _ id: PresentationID, _ entry: consuming UplinkEntry, at now: MonotonicTime
    ) -> [UplinkAction] {
        if entry.isOpen, let deadline = entry.request.deadline,
            now >= expiry(deadline)
        {
            // Only the origin's own clock is final: the origin may present by another path.
            withdraw(id, reason: entry.request.isForwarded ? .abandoned : .origin, at: now)
            return [.expired(id)]
        }
        var actions: [UplinkAction] = []
        if entry.isOpen, !entry.graceIsOver, let grace = entry.request.grace,
            let since = entry.outOfContactSince, now >= graceEnd(grace, since, of: entry)
        {
            entry.graceIsOver = true
            actions.append(.graceOver(id, entry.lastRefusal))
        }
        switch entry.phase {
        case .asking(let next, _)
        where isLive && !isLeaving && now >= next && entry.isTurnedAway && placedCount >= room.most:
            // Others have taken its place meanwhile.
            entry.phase = .waiting
            store(entry, id)
            return actions + waitsHere(id)
        case .asking(let next, let tries)
        where isLive && !isLeaving && now >= next && mustWait(entry, tries):
            // Held back until the parent has read more. What it may have waits for its reply.
            entry.phase =
                tries == 0
                ? .waiting : .asking(next: unread.nextLook(after: now), tries: tries)
            store(entry, id)
            return actions + waitsHere(id)
        case .asking(let next, let tries) where isLive && !isLeaving && now >= next:
            entry.attempt += 1
            entry.isTurnedAway = false
            entry.phase = .asking(
                next: now + jitter.resendDelay(afterTries: tries + 1), tries: tries + 1)
            entry.sentAfterPing = pingNumber
            let present = sending(of: entry, at: now)
            if let refusal = tooLarge(present) {
                forget(id)
                return [.refused(id, refusal)]
            }
            if let word = entry.lastWord { actions.append(.send(.settled(word))) }
            actions.append(.send(.present(present)))
            actions += sentReport(present.payload.count, at: now)
        case .accepted(let next) where isLive && now >= next:
            entry.phase = .accepted(nextAwait: now + nextAwait())
            actions.append(.send(.await(id: id, waitMilliseconds: 0)))
        case .moving(let next, let tries) where isLive && now >= next:
            entry.phase = .moving(
                next: now + jitter.resendDelay(afterTries: tries + 1), tries: tries + 1)
            actions.append(.send(.withdraw(id: id, reason: .abandoned)))
        case .withdrawing(let reason, _, _) where now.since(entry.since) >= times.tombstone:
            entry.phase = .gone(reason, until: now + times.tombstone)
        case .withdrawing(let reason, let next, let tries) where isLive && now >= next:
            entry.phase = .withdrawing(
                reason, next: now + jitter.resendDelay(afterTries: tries + 1), tries: tries + 1)
            actions.append(.send(entry.withdrawal(for: reason)))
        case .settled(let answer, let result, _):
            actions += sendResult(&entry, answer, result, at: now)
        case .waiting, .asking, .accepted, .moving, .withdrawing, .answered, .gone: break
        }
        store(entry, id)
        return actions
    }

    /// Whether the parent first has to read more: before any report, or before this one again.
    private func mustWait(_ entry: UplinkEntry, _ tries: Int) -> Bool {
        guard unread.haveRoom else { return true }
        return tries > 0 && entry.sentAfterPing.map { unread.mayBeUnread(after: $0) } == true
    }

    mutating func nextAwait() -> UInt64 {
        jitter.milliseconds(in: times.awaitEvery / 2...times.awaitEvery)
    }

    /// The PRESENT to send now: the next attempt, the time left, this node in the path.
    private func sending(of entry: UplinkEntry, at now: MonotonicTime) -> Message.Present {
        var present = entry.request.present
        present.attempt = entry.attempt
        present.path.append(name)
        present.leftMilliseconds = entry.request.deadline.map { $0.since(now) }
        return present
    }
}
