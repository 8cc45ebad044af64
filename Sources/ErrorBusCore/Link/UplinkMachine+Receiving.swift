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
        switch entry.phase {
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
        default: break
        }
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
}

// Results of answers, on their way up.
//
// The parent that sent an answer repeats it until it has the result. A later life of it, or another
// parent, may not know the answer: it gets the result until it sends OK (rule 12).
extension UplinkMachine {
    /// The attempt ended.
    mutating func settled(
        _ id: PresentationID, answer: UniqueID, result: RecoveryResult, at now: MonotonicTime
    ) -> [UplinkAction] {
        guard var entry = entries[id] else {
            return [.dropped(Anomaly(kind: .unknownID, detail: "settled \(id)"))]
        }
        switch entry.phase {
        case .settled(answer, let known, _) where known != .unknown:
            return []  // Withdrawn below, or a repetition: the known result stands.
        case .answered(answer), .settled(answer, .unknown, _):
            let again = entry.askedMeanwhile
            entry.askedMeanwhile = nil
            // By "unknown" this path has ended above: only what was asked speaks for it now.
            if case .settled = entry.phase { entry.knownIn = nil }
            entry.phase = .settled(answer, result, until: now + times.tombstone)
            if result != .unknown { entry.answer = entry.answer?.withoutValues }
            var actions: [UplinkAction] = []
            if isLive {
                if isOwed(entry, result) {
                    entry.resending = .init(next: now)
                } else {
                    actions.append(.send(settledMessage(id, answer, result)))
                }
            }
            store(entry, id)
            guard let again else {
                actions += ticked(at: now)
                return actions
            }
            if let settled = entry.answer?.settled(result) {
                return actions + [.answered(id, settled)] + ticked(at: now)
            }
            return actions + ask(again, at: now) + ticked(at: now)
        case .waiting, .asking, .accepted, .moving, .answered, .settled, .withdrawing, .gone:
            return [.dropped(Anomaly(kind: .late, detail: "settled \(id) in \(entry.phase)"))]
        }
    }

    /// A child reports the result of an answer that an earlier life of this node sent down.
    mutating func passOn(_ settled: Message.Settled, at now: MonotonicTime) -> [UplinkAction] {
        let (id, answer, result) = (settled.id, settled.answer, settled.result)
        guard let asked = settled.asked, result != .unknown,
            entries[id]?.isForwarded(as: asked) ?? true
        else { return [] }
        switch entries[id]?.phase {
        case .answered(answer), .settled(answer, .unknown, _):
            return self.settled(id, answer: answer, result: result, at: now)
        case .answered, .settled:
            return []  // The child replies with the result to the answer that goes down.
        case .waiting, .asking, .accepted, .moving:
            // The child got the answer by another path. Any other end is that of one path alone.
            guard result.isOfAttempt else { return [] }
        case .withdrawing, .gone, nil: break
        }
        return passOn(id, asked, .settled(answer, result, until: now + times.tombstone), at: now)
    }

    /// A child reports that the origin withdrew a presentation of an earlier life of this node.
    mutating func passOnWithdrawal(
        of id: PresentationID, _ asked: Message.Asked, at now: MonotonicTime
    ) -> [UplinkAction] {
        guard entries[id]?.isForwarded(as: asked) ?? true else { return [] }
        guard entries[id] == nil else { return withdrew(id, reason: .origin, at: now) }
        return passOn(id, asked, .withdrawing(.origin, next: now, tries: 0), at: now)
    }

    private mutating func passOn(
        _ id: PresentationID, _ asked: Message.Asked, _ phase: UplinkEntry.Phase,
        at now: MonotonicTime
    ) -> [UplinkAction] {
        guard link != .closed else { return [] }
        var entry = UplinkEntry(id, asked, phase, since: now)
        entry.isPassedOn = true
        if case .settled = phase { entry.resending = .init(next: now) }
        store(entry, id)
        return ticked(at: now)
    }

    /// A parent is up: it gets the results that it may not know, paced, after the presentations.
    /// The latest first, which no life of it may have heard: it takes only so many at once.
    ///
    /// - Parameter mayHaveLapsed: It was out of reach for so long that it may have given up its
    ///   answers: then it neither repeats them nor asks for results.
    mutating func tellResults(after count: Int, mayHaveLapsed: Bool, at now: MonotonicTime) {
        var position = count
        for id in entries.endedLatestFirst {
            guard var entry = entries[id] else { continue }
            let next = now + UInt64(position / times.pacePerMillisecond)
            switch entry.phase {
            case .settled(_, let result, _):
                if mayHaveLapsed { entry.knownIn = nil }
                guard isOwed(entry, result) else { continue }
                entry.resending = .init(next: next)
            case .gone(.origin, _):
                guard isOwed(entry, .withdrawn) else { continue }
                entry.phase = .withdrawing(.origin, next: next, tries: 0)
            case .waiting, .asking, .accepted, .moving, .answered, .withdrawing, .gone: continue
            }
            store(entry, id)
            position += 1
        }
    }

    /// The parent takes only the word of the origin's own link, until that is lost, or this life of
    /// it does not know the answer. The result is sent again, with origin and digest.
    private mutating func tellLater(
        _ result: RecoveryResult, _ former: UplinkEntry, _ reject: Message.Reject,
        at now: MonotonicTime
    ) -> [UplinkAction] {
        var entry = former
        entry.knownIn = nil
        guard entry.resending == nil, isOwed(entry, result) else { return [] }
        entry.resending = .init(next: now + min(reject.retryMilliseconds ?? 1_000, 60_000))
        store(entry, entry.request.present.id)
        return []
    }

    /// Whether the result has to be sent to the parent in use without a request.
    private func isOwed(_ entry: UplinkEntry, _ result: RecoveryResult) -> Bool {
        result != .unknown && entry.asked != nil
            && (entry.knownIn == nil || entry.knownIn != welcome?.boot)
    }

    /// Sends the result again when due.
    mutating func sendResult(
        _ entry: inout UplinkEntry, _ answer: UniqueID, _ result: RecoveryResult,
        at now: MonotonicTime
    ) -> [UplinkAction] {
        guard isLive, var resending = entry.resending, now >= resending.next else { return [] }
        resending.tries += 1
        resending.next = now + jitter.resendDelay(afterTries: resending.tries)
        entry.resending = resending
        let settled = Message.Settled(
            id: entry.request.present.id, answer: answer, result: result, asked: entry.asked)
        return [.send(.settled(settled))]
    }

    /// OK to a result; false when it belongs to something else.
    mutating func acknowledged(_ id: PresentationID) -> Bool {
        guard var entry = entries[id], case .settled = entry.phase else { return false }
        // Kept for a next life of the parent, even if it was passed on: this life may die before
        // the result is recorded.
        entry.noteKnown(in: welcome?.boot)
        store(entry, id)
        return true
    }

    func settledMessage(
        _ id: PresentationID, _ answer: UniqueID, _ result: RecoveryResult
    ) -> Message {
        .settled(Message.Settled(id: id, answer: answer, result: result))
    }
}
