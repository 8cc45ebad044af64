import ErrorBus

/// The journal of a presenter, which outlives its processes: one queue, like a database's, so that
/// what is read later sees what was written before.
// Unchecked: see Scheduler.
final class Disk: @unchecked Sendable {
    fileprivate var rows: [PresentationID: Row] = [:]
    fileprivate let world: World
    /// The longest that one operation takes.
    private(set) var latencyMax: UInt64 = 20
    var isSlow: Bool { latencyMax > 20 }
    /// Nothing can be written.
    var isFull = false
    /// Nothing can be read.
    var isUnreadable = false
    private var busyUntil: UInt64 = 0
    private var waiting: [Operation] = []

    /// One thing to do, once, when its turn has come.
    private final class Operation {
        let cost: UInt64
        var run: (() -> Void)?

        init(cost: UInt64, run: @escaping () -> Void) {
            self.cost = cost
            self.run = run
        }
    }

    fileprivate struct Row {
        let asked: DecisionRecord.Asked
        var state: DecisionRecord.State
    }

    init(_ world: World) { self.world = world }

    /// Waits its turn, then does it, unless the process has died meanwhile. A process may also die
    /// after that and before it hears of it.
    fileprivate func perform<Value: Sendable>(
        in life: Life, _ body: @escaping (Disk) throws -> Value
    ) async throws -> Value {
        let scheduler = world.scheduler
        let result: Result<Value, any Error> = await withUnsafeContinuation { continuation in
            guard !life.isOver else { return }
            let operation = Operation(cost: scheduler.random.number(0...latencyMax)) { [self] in
                guard !life.isOver else { return }
                let result = Result { try body(self) }
                scheduler.after(scheduler.random.number(0...latencyMax)) {
                    if !life.isOver { continuation.resume(returning: result) }
                }
            }
            waiting.append(operation)
            plan(operation)
        }
        return try result.get()
    }
}

extension Disk {
    /// Slow, or quick again; then what waits is done as quickly.
    func setLatency(_ latencyMax: UInt64) {
        self.latencyMax = latencyMax
        busyUntil = 0
        for operation in waiting { plan(operation) }
    }

    private func plan(_ operation: Operation) {
        busyUntil = max(busyUntil, world.scheduler.now) + min(operation.cost, latencyMax)
        world.scheduler.at(busyUntil) { [self] in
            guard let run = operation.run else { return }
            operation.run = nil
            waiting.removeFirst()
            run()
        }
    }
}

/// Another answer is on disk.
struct DecidedBefore: Error {}

struct DiskFull: Error {}

struct DiskUnreadable: Error {}

/// What is on disk is no record.
struct Damaged: LastingFault {}

/// What was never shown cannot be decided.
struct NeverShown: Error {}

/// What one life of a presenter sees of its disk.
struct DiskJournal: DecisionJournal {
    let disk: Disk
    let life: Life

    func record(of id: PresentationID) async throws -> DecisionRecord? {
        try await disk.perform(in: life) { disk in
            if disk.isUnreadable { throw DiskUnreadable() }
            if disk.world.ledger.damaged.contains(id) { throw Damaged() }
            return disk.rows[id].map {
                DecisionRecord(
                    origin: $0.asked.origin, digest: $0.asked.digest, state: $0.state)
            }
        }
    }

    func shown(_ id: PresentationID, _ asked: DecisionRecord.Asked) async throws {
        try await disk.perform(in: life) { disk in
            if case .decided = disk.rows[id]?.state { return }
            if disk.isFull { throw DiskFull() }
            disk.rows[id] = Disk.Row(asked: asked, state: .shown)
            if disk.world.isDamaging { disk.world.ledger.damaged.insert(id) }
            disk.world.ledger.taken.append(
                (id, life.number, disk.world.scheduler.now, disk.latencyMax))
        }
    }

    func decided(_ id: PresentationID, _ answer: Answer) async throws {
        if answer.via == .policy, Task.isCancelled {
            disk.world.ledger.decidedUnasked.append(id)
        }
        try await disk.perform(in: life) { disk in
            if case .decided(let earlier, _) = disk.rows[id]?.state {
                if earlier == answer { return }
                disk.world.ledger.refusedDecisions.append((id, answer))
                throw DecidedBefore()
            }
            guard disk.rows[id] != nil else { throw NeverShown() }
            if disk.isFull { throw DiskFull() }
            if disk.world.ledger.damaged.contains(id) { throw Damaged() }
            disk.rows[id]?.state = .decided(answer, nil)
            disk.world.scheduler.note("decided \(id) \(answer.option) \(answer.id)")
            disk.world.ledger.decisions.append(
                Ledger.Decision(id: id, answer: answer, time: disk.world.scheduler.now))
        }
    }

    func settled(_ id: PresentationID, answer: UniqueID, _ result: RecoveryResult) async throws {
        try await disk.perform(in: life) { disk in
            guard case .decided(let recorded, let earlier) = disk.rows[id]?.state,
                recorded.id == answer, earlier == nil || earlier == .unknown
            else { return }
            if disk.isFull { throw DiskFull() }
            disk.rows[id]?.state = .decided(recorded, result)
            disk.world.scheduler.note("settled \(id) \(result.rawValue)")
            let ledger = disk.world.ledger
            if let index = ledger.decisions.firstIndex(where: { $0.id == id }) {
                disk.world.ledger.decisions[index].result = result
                disk.world.ledger.decisions[index].settled = disk.world.scheduler.now
            }
        }
    }

    func lost(_ id: PresentationID, answer: UniqueID) async throws {
        try await disk.perform(in: life) { disk in
            guard case .decided(let recorded, let result) = disk.rows[id]?.state,
                recorded.id == answer, result == nil || result == .unknown
            else { return }
            if disk.isFull { throw DiskFull() }
            disk.rows[id]?.state = .shown
            disk.world.scheduler.note("lost \(id) \(answer)")
            let ledger = disk.world.ledger
            guard
                let index = ledger.decisions.firstIndex(where: {
                    $0.id == id && $0.answer.id == answer
                })
            else { return }
            let lost = disk.world.ledger.decisions.remove(at: index)
            disk.world.ledger.lostDecisions.append(lost)
        }
    }

    func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {
        try await disk.perform(in: life) { disk in
            if case .decided = disk.rows[id]?.state { return }
            if disk.isFull { throw DiskFull() }
            disk.rows[id]?.state = .ended(reason)
        }
    }
}
