import ErrorBus
import ErrorBusTesting
import Synchronization

/// A journal in memory that outlives the nodes of a test, and can be made to fail.
final class MemoryJournal: DecisionJournal {
    private struct Row {
        var asked: DecisionRecord.Asked
        var state: DecisionRecord.State
    }

    struct Full: Error {}
    /// A fault that passes.
    struct Unreadable: Error {}
    /// One that does not.
    struct Damaged: LastingFault {}
    /// A decision about what was never written.
    struct Unknown: Error {}
    /// A second decision.
    struct DecidedBefore: Error {}

    /// The results of decisions, as they are written.
    let results = Recorder<RecoveryResult>()
    private let rows = Mutex<[PresentationID: Row]>([:])
    private let failures = Mutex(0)
    private let isFull = Mutex(false)
    private let readFault = Mutex<(any Error)?>(nil)
    /// The reads that failed.
    let reads = Recorder<PresentationID>()
    private let mayBeBehind = Mutex(false)
    private let caughtUp = Mutex<[@Sendable () -> Void]>([])
    /// The looks that found it behind.
    let looks = Recorder<Void>()

    /// The next decisions are refused this often.
    func refuseDecisions(_ count: Int) { failures.withLock { $0 = count } }

    /// Whether every write fails.
    func fill(_ full: Bool) { isFull.withLock { $0 = full } }

    /// What reading throws; nil while it works.
    func failReads(_ fault: (any Error)?) { readFault.withLock { $0 = fault } }

    /// As if much waited for it.
    func fallBehind() { mayBeBehind.withLock { $0 = true } }

    /// - Returns: How many are called.
    func catchUp() -> Int {
        mayBeBehind.withLock { $0 = false }
        let calls = caughtUp.withLock(\.self)
        for call in calls { call() }
        return calls.count
    }

    var isBehind: Bool {
        let isBehind = mayBeBehind.withLock(\.self)
        if isBehind { looks.record(()) }
        return isBehind
    }

    func onCaughtUp(_ call: @escaping @Sendable () -> Void) {
        caughtUp.withLock { $0.append(call) }
    }

    func record(of id: PresentationID) async throws -> DecisionRecord? {
        if let fault = readFault.withLock(\.self) {
            reads.record(id)
            throw fault
        }
        return rows.withLock { rows in
            rows[id].map {
                DecisionRecord(
                    origin: $0.asked.origin, digest: $0.asked.digest, state: $0.state)
            }
        }
    }

    func shown(_ id: PresentationID, _ asked: DecisionRecord.Asked) async throws {
        if isFull.withLock(\.self) { throw Full() }
        rows.withLock { rows in
            if case .decided = rows[id]?.state { return }
            rows[id] = Row(asked: asked, state: .shown)
        }
    }

    func decided(_ id: PresentationID, _ answer: Answer) async throws {
        let fails = failures.withLock { count in
            defer { count = max(0, count - 1) }
            return count > 0
        }
        if fails || isFull.withLock(\.self) { throw Full() }
        try rows.withLock { rows in
            guard let row = rows[id] else { throw Unknown() }
            if case .decided(let earlier, _) = row.state, earlier.id != answer.id {
                throw DecidedBefore()
            }
            rows[id]?.state = .decided(answer, nil)
        }
    }

    func settled(_ id: PresentationID, answer: UniqueID, _ result: RecoveryResult) async throws {
        rows.withLock { rows in
            // As on disk: a result is final, and only "unknown" is replaced.
            guard case .decided(let recorded, let earlier) = rows[id]?.state,
                recorded.id == answer, earlier == nil || earlier == .unknown
            else { return }
            rows[id]?.state = .decided(recorded, result)
        }
        results.record(result)
    }

    func lost(_ id: PresentationID, answer: UniqueID) async throws {
        if isFull.withLock(\.self) { throw Full() }
        rows.withLock { rows in
            guard case .decided(let recorded, let result) = rows[id]?.state,
                recorded.id == answer, result == nil || result == .unknown
            else { return }
            rows[id]?.state = .shown
        }
    }

    func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {
        rows.withLock { $0[id]?.state = .ended(reason) }
    }

    /// Of the one presentation that is in it.
    var onlyState: DecisionRecord.State? {
        rows.withLock { $0.count == 1 ? $0.first?.value.state : nil }
    }

    func state(of id: PresentationID) -> DecisionRecord.State? { rows.withLock { $0[id]?.state } }
}
