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
            return actions + askNow(again.value, at: now)
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
        // This node has given up the delivery of its answer: the child has ended by another.
        case .settled(_, .unknown, _): break
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
        keep(id, asked, phase, at: now)
        return ticked(at: now)
    }

    /// Keeps what a child has said of an earlier life's presentation, and plans to send it.
    private mutating func keep(
        _ id: PresentationID, _ asked: Message.Asked, _ phase: UplinkEntry.Phase,
        at now: MonotonicTime
    ) {
        var entry = UplinkEntry(id, asked, phase, since: now)
        entry.isPassedOn = true
        if case .settled = phase { entry.resending = .init(next: now) }
        store(entry, id)
    }

    /// Keeps the result that goes before an entry's PRESENT, in place of the entry, which ends. The
    /// origin has ended by that answer, so the result ends the presentation above as well.
    ///
    /// - Returns: False without such a result.
    mutating func keepLastWord(of entry: UplinkEntry, at now: MonotonicTime) -> Bool {
        guard let word = entry.lastWord, let asked = word.asked, word.result.isOfAttempt else {
            return false
        }
        let until = now + times.tombstone
        keep(word.id, asked, .settled(word.answer, word.result, until: until), at: now)
        return true
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
    mutating func tellLater(
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
        guard var entry = entries[id] else { return false }
        if entry.isOpen, entry.lastWord != nil {
            entry.lastWord = nil
            store(entry, id)
            return true
        }
        guard case .settled = entry.phase else { return false }
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
