import Synchronization

// The records of answers in the journal.
extension Inbox {
    /// Follows the record of an answer that is about to be given here.
    func follow(_ record: AnswerRecord, of id: PresentationID) {
        guard record.isKept else { return }
        state.withLock { $0.records[id] = record }
        record.observe { [weak self, weak record] isRecorded in
            if isRecorded, let record { self?.forget(record, of: id) }
        }
    }

    func forget(_ record: AnswerRecord, of id: PresentationID) {
        state.withLock { $0.forget(record, of: id) }
    }

    /// Shows that an answer is not on record yet, and closes the item when its presentation ends
    /// before that: such an answer never counts. An answer that was on record replaces it. Runs
    /// after the prompt's end is known here.
    func watchRecord(of prompt: Prompt) {
        guard let answer = prompt.answer else { return }
        let (id, deadline, record) = (prompt.id, prompt.deadline, prompt.record)
        record.follow { [weak self, weak record] _ in
            guard let record else { return }
            self?.change { state in
                let standing = record.standing
                switch standing {
                case .awaited: break
                case .delayed: state.machine.recordChanged(id, answer.id, isDelayed: true)
                case .recorded: state.machine.recordChanged(id, answer.id, isDelayed: false)
                case .superseded(let other?):
                    if state.machine.items[id]?.answer?.id == answer.id {
                        state.machine.decided(id, other, at: .now)
                    }
                    state.forget(record, of: id)
                case .superseded(nil), .unwritten, .refused:
                    let isLate = deadline.map { $0 <= .now } ?? false
                    let reason = isLate ? Outcome.Reason.expired : .withdrawn
                    state.machine.answerLost(
                        id, answer.id, standing == .refused ? .rejected : reason,
                        isUnwritten: standing != .superseded(), at: .now)
                    state.forget(record, of: id)
                }
            }
        }
    }

    /// Waits until the answers that were given here to these presentations are on record. A client
    /// that goes away before says nothing of the journal.
    ///
    /// - Returns: The presentations whose answer is not on record, which then say so.
    package func unrecorded(
        among ids: [PresentationID], after limit: Duration,
        clock: any Clock<Duration> = ContinuousClock()
    ) async -> UnrecordedAnswers {
        let records = state.withLock { state in
            let known = ids.compactMap { id in state.records[id].map { (id, $0) } }
            return Dictionary(known) { first, _ in first }
        }
        if !records.isEmpty {
            _ = await withTimeLimit(limit, clock: clock) {
                for record in records.values { await record.wait() }
            }
        }
        var result = UnrecordedAnswers()
        for id in ids {
            let (record, item) = (records[id], try? self.item(id))
            if case .superseded(let other?)? = record?.standing {
                result.lost[id] = .answered(other, at: item?.changedAt ?? .now)
            } else if let record, !record.standing.isOver {
                if !Task.isCancelled { record.moved(to: .delayed) }
                result.delayed.append(id)
            } else if let item, case .closed(let reason) = item.stage {
                result.lost[id] = .closed(reason, at: item.changedAt)
            } else if let record, record.standing != .recorded {
                let isRefused = record.standing == .refused
                result.lost[id] = .closed(isRefused ? .rejected : .withdrawn, at: .now)
            }
        }
        return result
    }

    /// Sends every held answer now, for a node that shuts down. Returns when each is recorded and
    /// its owner has reported the result, or at the limit. A recorded answer survives the node if
    /// it keeps a journal.
    package func giveHeld(within limit: Duration = .seconds(2)) async {
        let held = change { $0.machine.leaveAll(at: .now) }
        let records = held.compactMap { id, answer in
            let prompt = state.withLock { $0.waiting[id]?.prompt }
            return (try? send(answer, to: id)).flatMap { _ in prompt?.record }
        }
        guard !records.isEmpty else { return }
        _ = await withTimeLimit(limit, clock: ContinuousClock()) { [self] in
            for record in records { await record.wait() }
            for await _ in changes() where !held.contains(where: { lacksResult($0.0) }) { break }
        }
    }

    /// Whether the presentation is answered and its result is still unknown.
    private func lacksResult(_ id: PresentationID) -> Bool {
        if case .answered = (try? item(id))?.stage { true } else { false }
    }
}

extension Inbox.State {
    mutating func forget(_ record: AnswerRecord, of id: PresentationID) {
        if records[id] === record { records[id] = nil }
    }
}

/// The answers of people that are not on record.
package struct UnrecordedAnswers: Sendable {
    /// The presentations whose answer the journal lacks so far.
    package fileprivate(set) var delayed: [PresentationID] = []
    /// The presentations that ended before their answer was recorded, or that have another one.
    package fileprivate(set) var lost: [PresentationID: InboxRefusal] = [:]
}
