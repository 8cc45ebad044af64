/// What came of an answer, on its way up.
///
/// The parent that sent an answer sends it again until it has the result. A later life of it, or
/// another parent, may know nothing of the answer: it gets the result until it says OK (rule 12).
extension UplinkMachine {
    /// The answer was carried out.
    mutating func settled(
        _ id: PresentationID, answer: UniqueID, result: RecoveryResult, at now: MonotonicTime
    ) -> [UplinkAction] {
        guard var entry = entries[id] else {
            return [.dropped(Anomaly(kind: .unknownID, detail: "settled \(id)"))]
        }
        switch entry.phase {
        case .settled(answer, let known, _) where known != .unknown:
            return []  // Given up below, or the same again: what is known stands.
        case .answered(answer), .settled(answer, .unknown, _):
            let again = entry.askedMeanwhile
            entry.askedMeanwhile = nil
            entry.phase = .settled(answer, result, until: now + times.tombstone)
            var actions: [UplinkAction] = []
            if isLive {
                if isOwed(entry, result) {
                    entry.telling = .init(next: now)
                } else {
                    actions.append(.send(settledMessage(id, answer, result)))
                }
            }
            store(entry, id)
            guard let again else { return actions + ticked(at: now) }
            if let told = entry.decision?.told(result) {
                return actions + [.answered(id, told)] + ticked(at: now)
            }
            return actions + ask(again, at: now) + ticked(at: now)
        case .asking, .accepted, .moving, .answered, .settled, .withdrawing, .gone:
            return [.dropped(Anomaly(kind: .late, detail: "settled \(id) in \(entry.phase)"))]
        }
    }

    /// A child says what came of an answer that an earlier life of this node passed down.
    mutating func passOn(
        _ settled: Message.Settled, at now: MonotonicTime
    ) -> [UplinkAction] {
        let (id, answer, result) = (settled.id, settled.answer, settled.result)
        guard let asked = settled.asked, result != .unknown else { return [] }
        switch entries[id]?.phase {
        case .answered(answer), .settled(answer, .unknown, _):
            return self.settled(id, answer: answer, result: result, at: now)
        case .asking, .accepted, .moving, .answered, .settled:
            return []  // The answer comes down to the child, which replies with the result.
        case .withdrawing, .gone, nil:
            return passOn(
                id, asked, .settled(answer, result, until: now + times.tombstone), at: now)
        }
    }

    /// A child says that the origin gave up what an earlier life of this node had asked.
    mutating func passOnWithdrawal(
        of id: PresentationID, _ asked: Message.Asked, at now: MonotonicTime
    ) -> [UplinkAction] {
        guard entries[id] == nil else { return withdrew(id, reason: .origin, at: now) }
        return passOn(id, asked, .withdrawing(.origin, next: now, tries: 0), at: now)
    }

    private mutating func passOn(
        _ id: PresentationID, _ asked: Message.Asked, _ phase: UplinkEntry.Phase,
        at now: MonotonicTime
    ) -> [UplinkAction] {
        guard link != .closed else { return [] }
        let present = Message.Present(
            id: id, origin: asked.origin, path: [], digest: asked.digest, payload: [])
        var entry = UplinkEntry(
            request: UplinkRequest(present: present, isForwarded: true), phase: phase, since: now)
        entry.isPassedOn = true
        if case .settled = phase { entry.telling = .init(next: now) }
        store(entry, id)
        return ticked(at: now)
    }

    /// A parent is there: it gets the results that it may not know, paced, after what is asked.
    mutating func tellResults(after count: Int, at now: MonotonicTime) {
        var position = count
        for id in entries.keys.sorted(by: PresentationID.areInOrder) {
            guard var entry = entries[id], case .settled(_, let result, _) = entry.phase,
                isOwed(entry, result)
            else { continue }
            entry.telling = .init(next: now + UInt64(position / times.pacePerMillisecond))
            store(entry, id)
            position += 1
        }
    }

    /// Whether the parent in use is to be told of its own accord.
    private func isOwed(_ entry: UplinkEntry, _ result: RecoveryResult) -> Bool {
        result != .unknown && entry.asked != nil
            && (entry.knownIn == nil || entry.knownIn != welcome?.boot)
    }

    /// Tells it once more when it is time.
    mutating func tell(
        _ entry: inout UplinkEntry, _ answer: UniqueID, _ result: RecoveryResult,
        at now: MonotonicTime
    ) -> [UplinkAction] {
        guard isLive, var telling = entry.telling, now >= telling.next else { return [] }
        telling.tries += 1
        telling.next = now + jitter.resendDelay(afterTries: telling.tries)
        entry.telling = telling
        let settled = Message.Settled(
            id: entry.request.present.id, answer: answer, result: result, asked: entry.asked)
        return [.send(.settled(settled))]
    }

    /// OK to a result; false where it is no word on that.
    mutating func told(_ id: PresentationID) -> Bool {
        guard var entry = entries[id], case .settled = entry.phase else { return false }
        if entry.isPassedOn {
            forget(id)
        } else {
            entry.noteKnown(in: welcome?.boot)
            store(entry, id)
        }
        return true
    }

    func settledMessage(
        _ id: PresentationID, _ answer: UniqueID, _ result: RecoveryResult
    ) -> Message {
        .settled(Message.Settled(id: id, answer: answer, result: result))
    }
}
