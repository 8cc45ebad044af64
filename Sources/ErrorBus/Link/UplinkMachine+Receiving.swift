extension UplinkMachine {
    /// A message came from the parent. Whatever it is may be late, doubled or alien (rule 9).
    mutating func received(_ message: Message, at now: MonotonicTime) -> [UplinkAction] {
        guard message.verb.goesDown else {
            return [.dropped(Anomaly(kind: .wrongDirection, detail: message.verb.rawValue))]
        }
        if case .live(var live) = link, message.verb != .ping {
            // Any frame counts as life, and answers the ping. Only the parent's own ping does not:
            // it comes also where nothing of this side's arrives any more.
            live.heardAt = now
            live.pingedAt = nil
            link = .live(live)
        }
        let actions = handled(message, at: now)
        return actions + tickedReturn(at: now)
    }

    private mutating func handled(_ message: Message, at now: MonotonicTime) -> [UplinkAction] {
        switch message {
        case .welcome(let welcome): return welcomed(welcome, at: now)
        case .reject(let reject) where reject.id == nil: return linkRefused(reject, at: now)
        case .bye(let reason): return giveUp("parent left: \(reason)", at: now)
        case .ping(let number): return isLive ? [.send(.pong(number))] : []
        case .ok(let id?): return told(id) ? [] : withdrawn(id, isOK: true, at: now)
        case .pong, .ok(nil): return []
        case .state:
            return [.dropped(Anomaly(kind: .unknownID, detail: "STATE that was not asked for"))]
        case .hello, .present, .await, .settled, .withdraw, .status: return []
        case .accepted, .pending, .answer, .withdrawn, .reject:
            guard isLive else {
                // A race: it was on its way when the link was given up. It will come again.
                return [.dropped(Anomaly(kind: .whileClosed, detail: message.verb.rawValue))]
            }
            return receivedAbout(message, at: now)
        }
    }

    private mutating func receivedAbout(
        _ message: Message, at now: MonotonicTime
    ) -> [UplinkAction] {
        switch message {
        case .accepted(let id, _): return acknowledged(id, .relayed, by: nil, at: now)
        case .pending(let pending):
            return acknowledged(pending.id, pending.state, by: pending.by, at: now)
        case .answer(let decision): return answered(decision, at: now)
        case .withdrawn(let id): return withdrawn(id, isOK: false, at: now)
        case .reject(let reject): return refused(reject, at: now)
        default: return []
        }
    }

    /// The parent does not take this link: another holds the name, or it speaks another version.
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

    /// ACCEPTED or PENDING: the next hop holds it. Not an answer (rule 2).
    private mutating func acknowledged(
        _ id: PresentationID, _ state: Message.Pending.State, by: String?, at now: MonotonicTime
    ) -> [UplinkAction] {
        guard var entry = entries[id] else {
            return [.dropped(Anomaly(kind: .unknownID, detail: "pending \(id)"))]
        }
        switch entry.phase {
        case .asking, .accepted:
            if case .asking = entry.phase { entry.phase = .accepted(nextAwait: now + nextAwait()) }
            entry.wasAccepted = true
            if state == .unreachable {
                if entry.outOfContactSince == nil { entry.outOfContactSince = now }
            } else {
                entry.outOfContactSince = nil
            }
            store(entry, id)
            return [.moved(id, state, by: by)]
        case .moving, .answered, .settled, .withdrawing, .gone:
            return []  // A race: it was sent before the parent heard.
        }
    }

    private mutating func answered(
        _ decision: Message.Decision, at now: MonotonicTime
    ) -> [UplinkAction] {
        let id = decision.id
        func settle(_ result: RecoveryResult) -> [UplinkAction] {
            [.send(settledMessage(id, decision.answer, result))]
        }
        guard var entry = entries[id] else {
            // Just up, a child may still come back for it; later none will (rule 9).
            guard now.since(startedAt) > times.abandonAfter else {
                return [.dropped(Anomaly(kind: .unknownID, detail: "answer for \(id)"))]
            }
            return settle(.unknown)
        }
        switch entry.phase {
        case .asking, .accepted, .moving:
            counters.answeredAbove += 1
            entry.phase = .answered(decision.answer)
            entry.decision = decision
            entry.noteKnown(in: welcome?.boot)
            entry.outOfContactSince = nil
            store(entry, id)
            return [.answered(id, decision)]
        case .answered(let answer):
            guard answer == decision.answer else { return settle(.late) }
            // The same one again while it is carried out: its result follows.
            entry.noteKnown(in: welcome?.boot)
            store(entry, id)
            return []
        case .settled(let answer, let result, _):
            guard answer == decision.answer else { return settle(.late) }
            entry.noteKnown(in: welcome?.boot)
            store(entry, id)
            return settle(result)
        case .withdrawing(let reason, _, _), .gone(let reason, _):
            // Only the origin's giving up is a result. After a hop's, it may be asked again.
            return settle(reason == .origin ? .withdrawn : .unknown)
        }
    }

    /// WITHDRAWN, or the OK that a parent may say in its place.
    private mutating func withdrawn(
        _ id: PresentationID, isOK: Bool, at now: MonotonicTime
    ) -> [UplinkAction] {
        guard var entry = entries[id] else { return [] }
        switch entry.phase {
        case .withdrawing where entry.isPassedOn:
            forget(id)
            return []
        case .withdrawing(let reason, _, _):
            entry.phase = .gone(reason, until: now + times.tombstone)
            store(entry, id)
            return []
        case .moving:
            letGo(entry, id, at: now)
            return []
        case .asking, .accepted:
            // A race: asked again meanwhile. A hop's abandonment is never final above.
            guard !isOK, !entry.wasAbandoned else { return [] }
            // The parent keeps an earlier withdrawal of this id for final.
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
        case .withdrawing(let reason, _, _) where reject.code == .notYours:
            // Another path asks for it now: nothing of ours is left to withdraw.
            entry.phase = .gone(reason, until: now + times.tombstone)
            store(entry, id)
            return []
        case .moving where reject.code == .notYours:
            letGo(entry, id, at: now)
            return []
        case .moving
        where reject.code == .busy || reject.code == .unknownID || reject.retryMilliseconds != nil:
            return []  // A race: said to what was asked before.
        case .settled where reject.code == .conflict || reject.code == .malformed:
            // Told again it would say the same.
            entry.noteKnown(in: welcome?.boot)
            store(entry, id)
            return []
        default: break
        }
        guard entry.isOpen else { return [] }  // A race: withdrawn or answered meanwhile.
        let retry = reject.retryMilliseconds
        switch reject.code {
        case .unknownID:
            // The reply to AWAIT. To PRESENT it makes no sense: that goes on at its own pace.
            guard case .accepted = entry.phase else { return [] }
            entry.phase = .asking(next: now, tries: 0)
        case .notYours where entry.wasAccepted && retry == nil:
            // The origin asked by another path meanwhile and may have come back by this one, unless
            // it is known not to have: then this path only waits for it (rule 11). Said twice, it
            // is asked once.
            guard entry.isAccepted, entry.request.present.isOriginReachable else { return [] }
            entry.phase = .asking(next: now, tries: 0)
        case .busy,
            .noResponder where retry != nil,
            .notYours where retry != nil:
            let pause = min(max(retry ?? 1_000, 100), 60_000)
            entry.phase = .asking(
                next: now + pause + jitter.milliseconds(in: 0...pause / 2), tries: 1)
            if entry.outOfContactSince == nil { entry.outOfContactSince = now }
            lastFailure = "refused: \(reject.code.rawValue) \(reject.reason)"
            entry.lastRefusal = reject
        default:
            // Its time is over: an answer that is on its way all the same comes too late.
            let isOver = reject.code == .deadlinePassed && !entry.request.isForwarded
            if isOver { withdraw(id, reason: .origin, at: now) } else { forget(id) }
            counters.refusedAbove += 1
            return [.refused(id, reject)] + ticked(at: now)
        }
        store(entry, id)
        return ticked(at: now)
    }
}
