import ErrorBus

/// The journal of the node of a ``Script``, which outlives its lives. It fails, or takes its time,
/// as the script has it.
// Unchecked: see Scheduler.
final class Notebook: DecisionJournal, @unchecked Sendable {
    enum Operation: Hashable { case record, shown, decided, settled, lost, ended }

    struct Unwritable: Error {}
    struct NeverShown: Error {}
    struct Damaged: LastingFault {}

    /// What is written.
    private(set) var states: [PresentationID: DecisionRecord.State] = [:]
    private var asked: [PresentationID: DecisionRecord.Asked] = [:]
    /// What was tried, in order.
    private(set) var tried: [Operation] = []
    var failing: Set<Operation> = []
    /// What fails for good.
    var damaged: Set<Operation> = []
    /// How long each operation takes.
    var latency: UInt64 = 0
    private let scheduler: Scheduler

    init(_ scheduler: Scheduler) { self.scheduler = scheduler }

    /// As an earlier life has written it.
    func write(_ id: PresentationID, _ state: DecisionRecord.State, of asked: DecisionRecord.Asked)
    {
        states[id] = state
        self.asked[id] = asked
    }

    private func perform(_ operation: Operation) async throws {
        tried.append(operation)
        if latency > 0 { await scheduler.sleep(latency) }
        if failing.contains(operation) { throw Unwritable() }
        if damaged.contains(operation) { throw Damaged() }
    }

    func record(of id: PresentationID) async throws -> DecisionRecord? {
        try await perform(.record)
        guard let asked = asked[id], let state = states[id] else { return nil }
        return DecisionRecord(origin: asked.origin, digest: asked.digest, state: state)
    }

    func shown(_ id: PresentationID, _ asked: DecisionRecord.Asked) async throws {
        try await perform(.shown)
        if case .decided = states[id] { return }
        (states[id], self.asked[id]) = (.shown, asked)
    }

    func decided(_ id: PresentationID, _ answer: Answer) async throws {
        try await perform(.decided)
        guard states[id] != nil else { throw NeverShown() }
        if case .decided(let earlier, _) = states[id], earlier != answer { throw DecidedBefore() }
        states[id] = .decided(answer, nil)
    }

    func settled(_ id: PresentationID, answer: UniqueID, _ result: RecoveryResult) async throws {
        try await perform(.settled)
        guard case .decided(let recorded, _) = states[id], recorded.id == answer else { return }
        states[id] = .decided(recorded, result)
    }

    func lost(_ id: PresentationID, answer: UniqueID) async throws {
        try await perform(.lost)
        states[id] = .shown
    }

    func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {
        try await perform(.ended)
        if case .decided = states[id] { return }
        states[id] = .ended(reason)
    }

    /// The result on record; nil where there is none.
    func result(of id: PresentationID) -> RecoveryResult? {
        if case .decided(_, let result) = states[id] { result } else { nil }
    }

    /// The answer on record; nil where there is none.
    func answer(to id: PresentationID) -> Answer? {
        if case .decided(let answer, _) = states[id] { answer } else { nil }
    }

    /// The end without an answer on record; nil where there is none.
    func ending(of id: PresentationID) -> Outcome.Reason? {
        if case .ended(let reason) = states[id] { reason } else { nil }
    }
}
