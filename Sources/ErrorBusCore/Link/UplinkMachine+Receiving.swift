extension UplinkMachine {
    /// A message arrived from the parent. It may be late, doubled or unexpected (rule 10).
    package mutating func received(_ message: Message, at now: MonotonicTime) -> [UplinkAction] {
        guard message.verb.goesDown else {
            return [.dropped(Anomaly(kind: .wrongDirection, detail: message.verb.rawValue))]
        }
        if case .live(var live) = link, message.verb.isReply {
            // Only a reply counts: unsolicited messages arrive even when this side's are lost.
            live.heardAt = now
            live.pingedAt = nil
            link = .live(live)
        }
        var actions = handled(message, at: now)
        // In place: a sum would be a copy.
        actions += fillRoom(at: now) > 0 ? ticked(at: now) : tickedReturn(at: now)
        return actions
    }

    private mutating func handled(_ message: Message, at now: MonotonicTime) -> [UplinkAction] {
        switch message {
        case .welcome(let welcome): return welcomed(welcome, at: now)
        case .reject(let reject) where reject.id == nil: return linkRefused(reject, at: now)
        case .bye(let reason): return giveUp("parent left: \(reason)", at: now)
        case .ping(let number): return isLive ? [.send(.pong(number))] : []
        case .ok(let id?): return acknowledged(id) ? [] : withdrawn(id, isOK: true, at: now)
        case .pong(let number): return ponged(number, at: now)
        case .state:
            return [.dropped(Anomaly(kind: .unknownID, detail: "STATE that was not asked for"))]
        case .hello, .present, .await, .settled, .withdraw, .status, .ok(nil): return []
        case .accepted, .pending, .answer, .withdrawn, .reject:
            guard isLive else {
                // A race: sent before the link was given up. The parent will send it again.
                return [.dropped(Anomaly(kind: .whileClosed, detail: message.verb.rawValue))]
            }
            return receivedAbout(message, at: now)
        }
    }

    private mutating func receivedAbout(
        _ message: Message, at now: MonotonicTime
    ) -> [UplinkAction] {
        switch message {
        case .accepted(let id, let attempt): return accepted(id, attempt, at: now)
        case .pending(let pending):
            if entries[pending.id]?.isOpen == true { noteWay(pending.state, at: now) }
            return held(
                pending.id, pending.state, by: pending.by,
                since: pending.sinceMilliseconds.map { now - $0 }, at: now)
        case .answer(let id, let answer, let digest):
            return answered(id, answer, to: digest)
        case .withdrawn(let id): return withdrawn(id, isOK: false, at: now)
        case .reject(let reject): return refused(reject, at: now)
        default: return []
        }
    }

    /// The parent refuses this link: another process has the name, or it has another version.
    private mutating func linkRefused(
        _ reject: Message.Reject, at now: MonotonicTime
    ) -> [UplinkAction] {
        switch link {
        case .greeting, .live:
            let pause = min(max(reject.retryMilliseconds ?? 5_000, 100), 60_000)
            return giveUp(
                "refused: \(reject.code.rawValue) \(reject.reason)", pause: pause,
                isRefusal: true, at: now)
        case .idle, .opening, .waiting, .closed:
            return []
        }
    }

    /// ACCEPTED: the next hop received this PRESENT. Not an answer (section 5).
    private mutating func accepted(
        _ id: PresentationID, _ attempt: UInt64, at now: MonotonicTime
    ) -> [UplinkAction] {
        if var entry = entries[id], case .asking = entry.phase {
            // A reply to an earlier generation does not confirm this one.
            guard attempt >= entry.firstAttempt else { return [] }
            entry.phase = .accepted(nextAwait: now + nextAwait())
            entry.isBehindWithdrawal = false
            entry.isTurnedAway = false
            store(entry, id)
            roomFound()
        }
        return held(id, .relayed, by: nil, at: now)
    }

    /// ACCEPTED or PENDING: the next hop holds it. PENDING may be unsolicited, and sent before that
    /// hop received the current PRESENT.
    private mutating func held(
        _ id: PresentationID, _ state: PresentationState.Station, by: String?,
        since: MonotonicTime? = nil, at now: MonotonicTime
    ) -> [UplinkAction] {
        guard var entry = entries[id] else {
            return [.dropped(Anomaly(kind: .unknownID, detail: "pending \(id)"))]
        }
        switch entry.phase {
        case .asking, .accepted:
            entry.wasAccepted = true
            entry.isHeldAbove = true
            (entry.lastRefusal, lastFailure) = (nil, nil)
            if state.isHeld { entry.notYoursCount = 0 }
            if state == .unreachable {
                if entry.outOfContactSince == nil { entry.outOfContactSince = now }
            } else {
                entry.outOfContactSince = nil
            }
            store(entry, id)
            return [.moved(id, state, by: by, since: since)]
        case .waiting, .moving, .answered, .settled, .withdrawing, .gone:
            return []  // A race: it was sent before the parent heard.
        }
    }

    private mutating func answered(
        _ id: PresentationID, _ answer: Answer, to digest: ReportDigest?
    ) -> [UplinkAction] {
        func settle(_ result: RecoveryResult) -> [UplinkAction] {
            [.send(settledMessage(id, answer.id, result))]
        }
        // One for another report under the id is for an earlier life of the origin, and one to
        // what this life has not presented for one of this node.
        guard var entry = entries[id], entry.isAbout(digest), !entry.isLeftByEarlierLife else {
            return [.answeredBefore(id, answer, digest)]
        }
        switch entry.phase {
        case .waiting, .asking, .accepted, .moving:
            guard !entry.isBehindWithdrawal else { return settle(.withdrawn) }
            counters.answeredAbove += 1
            // It comes in the place of ACCEPTED.
            if case .asking = entry.phase { roomFound() }
            entry.phase = .answered(answer.id)
            entry.answer = answer
            entry.noteKnown(in: welcome?.boot)
            entry.outOfContactSince = nil
            store(entry, id)
            return [.answered(id, answer)]
        case .answered(let earlier):
            guard earlier == answer.id else { return settle(.late) }
            // A repetition during the attempt: its result follows.
            entry.noteKnown(in: welcome?.boot)
            store(entry, id)
            return []
        case .settled(let earlier, let result, _):
            guard earlier == answer.id else { return settle(.late) }
            entry.noteKnown(in: welcome?.boot)
            store(entry, id)
            return settle(result)
        case .withdrawing(let reason, _, _), .gone(let reason, _):
            // Only the origin's withdrawal is a result. After a hop's, the presentation may return.
            return settle(reason == .origin ? .withdrawn : .unknown)
        }
    }

    /// WITHDRAWN, or the OK that a parent may send in its place.
    private mutating func withdrawn(
        _ id: PresentationID, isOK: Bool, at now: MonotonicTime
    ) -> [UplinkAction] {
        guard var entry = entries[id] else { return [] }
        switch entry.phase {
        case .withdrawing(let reason, _, _):
            entry.phase = .gone(reason, until: now + times.tombstone)
            entry.noteKnown(in: welcome?.boot)
            store(entry, id)
            return []
        case .moving:
            letGo(entry, id, at: now)
            return []
        case .waiting, .asking, .accepted:
            // A race: presented again meanwhile. A hop's abandonment is never final above.
            guard !isOK, !entry.wasAbandoned else { return [] }
            // The parent holds an earlier, final withdrawal of this id.
            forget(id)
            return [.refused(id, Message.Reject(.gone, "withdrawn before under this id", id: id))]
        case .answered, .settled, .gone:
            return []
        }
    }

    private mutating func refused(
        _ reject: Message.Reject, at now: MonotonicTime
    ) -> [UplinkAction] {
        guard let id = reject.id, var entry = entries[id] else { return [] }
        if let actions = refusedToEnd(entry, id, reject, at: now) { return actions }
        guard entry.isOpen else { return [] }  // A race: withdrawn or answered meanwhile.
        let retry = reject.retryMilliseconds
        switch reject.code {
        case .unknownID:
            // The reply to AWAIT. A PRESENT ignores it and goes on at its own pace.
            guard case .accepted = entry.phase else { return [] }
            entry.askAnew(at: now)
        case .notYours
        where entry.wasAccepted && retry == nil && entry.notYoursCount < UplinkEntry.notYoursMax:
            // The origin presented by another path meanwhile and may have returned to this one,
            // unless it is known not to have: then this path only waits for it (rule 11). Two
            // refusals cause one PRESENT. A refusal by a hop further up comes each time.
            guard entry.request.present.isOriginReachable else { return [] }
            entry.askOnceMore(at: now)
        case .busy,
            .noResponder where retry != nil,
            .notYours where retry != nil:
            let pause = min(max(retry ?? 1_000, 100), 60_000)
            let next = now + pause + jitter.milliseconds(in: 0...pause / 2)
            entry.phase = reject.code == .busy ? .waiting : .asking(next: next, tries: 1)
            entry.isTurnedAway = reject.code == .notYours
            entry.sentAfterPing = nil
            if entry.outOfContactSince == nil { entry.outOfContactSince = now }
            lastFailure = "refused: \(reject.code.rawValue) \(reject.reason)"
            entry.lastRefusal = reject
            guard reject.code == .busy else { break }
            store(entry, id)
            return roomEnded(for: id, until: next) + ticked(at: now)
        default:
            // Past its deadline: an answer on its way is too late.
            let isOver = reject.code == .deadlinePassed && !entry.request.isForwarded
            if isOver { withdraw(id, reason: .origin, at: now) } else { forget(id) }
            counters.refusedAbove += 1
            return [.refused(id, reject)] + ticked(at: now)
        }
        store(entry, id)
        return ticked(at: now)
    }

    /// REJECT to a last word, or to what is moving to another parent; nil: to PRESENT or AWAIT.
    private mutating func refusedToEnd(
        _ former: UplinkEntry, _ id: PresentationID, _ reject: Message.Reject,
        at now: MonotonicTime
    ) -> [UplinkAction]? {
        var entry = former
        switch entry.phase {
        case .withdrawing(.origin, _, _) where reject.code == .notYours && entry.asked != nil:
            // The link by which the origin speaks for itself there may be lost, or the names of
            // that node's keys out of date: this is sent again, as a result is.
            entry.isTurnedAway = true
            store(entry, id)
            return []
        case .withdrawing(let reason, _, _)
        where [.notYours, .conflict, .malformed].contains(reject.code):
            // Another path, or another origin, presents it: nothing is left to withdraw here.
            entry.phase = .gone(reason, until: now + times.tombstone)
            store(entry, id)
            return []
        case .moving where reject.code == .notYours:
            letGo(entry, id, at: now)
            return []
        case .moving
        where reject.code == .busy || reject.code == .unknownID || reject.retryMilliseconds != nil:
            return []  // A race: said to what was asked before.
        case .settled(_, let result, _) where [.notYours, .unknownID].contains(reject.code):
            return tellLater(result, entry, reject, at: now)
        case .settled where reject.code == .conflict || reject.code == .malformed:
            // A repetition would get the same reply.
            entry.noteKnown(in: welcome?.boot)
            store(entry, id)
            return []
        default: return nil
        }
    }
}
