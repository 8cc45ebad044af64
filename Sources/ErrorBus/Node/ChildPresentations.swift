import Synchronization

/// The presentations of children: offers each to the node's chain as a ``RemoteError``, in its own
/// task, and reports the chain's end to the driver. Its methods are called on the transport's
/// thread and must not wait.
final class ChildPresentations: Sendable {
    /// The most work whose tasks have not begun, in bytes to read. With more, a flood would delay a
    /// good client's presentations among the process's tasks; so the rest waits in the transport's
    /// fair lines.
    static let waitingMax = 16 << 10
    /// The cost of a task beside the bytes that it reads.
    static let taskCost = 1_024

    private struct Running {
        let generation: Int
        let task: Task<Outcome, Never>
        let received: ReceivedPresentation
    }

    let chain: any Responder
    private let name: NodeName
    /// Whether a responder in the chain reads reports, so that this node refuses an invalid report.
    private let readsReports: Bool
    /// The keys that sign this node's answers.
    private let keys: KeyRing?
    /// The decisions that this node made itself.
    private let decisions: Decisions
    /// What waits there delays all presentations alike.
    private let journal: (any DecisionJournal)?
    private let running = Mutex<[PresentationID: Running]>([:])
    /// The waiting work, in bytes.
    private let waiting = Atomic(0)

    init(name: NodeName, chain: any Responder, readsReports: Bool, parts: NodeParts) {
        decisions = Decisions(
            by: name.description, journal: parts.journal, audit: parts.audit, logger: parts.logger)
        keys = parts.keys
        journal = parts.journal
        self.name = name
        self.chain = chain
        self.readsReports = readsReports
    }

    /// The number of presentations in the chain.
    var count: Int { running.withLock(\.count) }

    /// Whether there is room for more work. What a task waits for in the journal would grow as its
    /// own work would: with a journal that is behind, the rest waits in the fair lines as well.
    var isReady: Bool {
        waiting.load(ordering: .relaxed) < Self.waitingMax && journal?.isBehind != true
    }

    // The offers' tasks are unstructured because each is cancelled separately, when its child
    // withdraws; all are cancelled when the node stops.
    func offered(_ offer: DownlinkOffer, by driver: NodeDriver) {
        let (id, generation) = (offer.present.id, offer.generation)
        let received = ReceivedPresentation(offer.present, deadline: offer.deadline)
        let cost = Self.taskCost + offer.present.payload.count
        running.withLock { running in
            let former = running[id]
            former?.task.cancel()
            // It may be carrying out an option: then it comes to its end first.
            let attempting = former.flatMap { $0.received.leavesAttempt() ? nil : $0.task }
            if attempting != nil { _ = received.beginsAttempt() }
            // Detached: an offer inherits nothing from the presentation whose job it came up in.
            waiting.add(cost, ordering: .relaxed)
            let task = Task.detached { [self] in
                waited(cost, driver)
                let outcome =
                    if let attempting {
                        await present(
                            received, generation: generation, after: attempting, driver)
                    } else {
                        await present(received, generation: generation, driver)
                    }
                ended(received, generation: generation, outcome, driver)
                return outcome
            }
            running[id] = Running(generation: generation, task: task, received: received)
        }
    }

    /// Work that was waiting has begun.
    private func waited(_ cost: Int, _ driver: NodeDriver) {
        let (before, now) = waiting.subtract(cost, ordering: .relaxed)
        if before >= Self.waitingMax, now < Self.waitingMax { driver.transport.nudge(driver) }
    }

    func cancelled(_ id: PresentationID, generation: Int, reason: DownlinkAction.Outcome) {
        guard let running = running.withLock({ $0[id] }), running.generation == generation else {
            return
        }
        running.received.withdrawn(reason.withdrawal)
        running.task.cancel()
    }

    /// Updates the prompt here with the contact to the origin.
    func reachable(_ id: PresentationID, _ isReachable: Bool) {
        running.withLock { $0[id] }?.received.contact.set(isReachable)
    }

    func settledLater(_ id: PresentationID, _ answer: Answer, _ result: RecoveryResult) {
        Task { await decisions.settled(id, answer, result) }
    }

    func settledBefore(
        _ settled: Message.Settled, of asked: Message.Asked, by driver: NodeDriver
    ) {
        consult(driver) {
            await $0.settledBefore(
                settled.id, settled.answer, settled.result, of: asked.origin, asked.digest)
        }
    }

    func withdrawnBefore(
        _ id: PresentationID, _ asked: Message.Asked, isHere: Bool, by driver: NodeDriver
    ) {
        consult(driver) {
            await $0.withdrawnBefore(id, of: asked.origin, asked.digest, isHere: isHere)
        }
    }

    /// Asks the journal about a presentation that this life of the node does not know. Any peer can
    /// cause such a request, so it counts as waiting work until it is done.
    private func consult(
        _ driver: NodeDriver, _ work: @escaping @Sendable (Decisions) async -> Void
    ) {
        guard decisions.areRecorded else { return }
        waiting.add(Self.taskCost, ordering: .relaxed)
        Task { [decisions] in
            await work(decisions)
            waited(Self.taskCost, driver)
        }
    }

    @inline(never)
    private func ended(
        _ received: ReceivedPresentation, generation: Int, _ outcome: Outcome,
        _ driver: NodeDriver
    ) {
        let id = received.present.id
        // An answer that its child has settled ended it there before.
        if !received.isEnded {
            // Where this node stops, its driver drops the verdict. It may be another that stops.
            let verdict =
                DownlinkVerdict(outcome, node: name)
                ?? .refused(
                    .noResponder, outcome.detail ?? "\(outcome.decidedBy) is going down")
            driver.complete(id, generation: generation, verdict: verdict)
        }
        running.withLock { running in
            if running[id]?.generation == generation { running[id] = nil }
        }
    }

    /// Presents a presentation that returned while its former call carried out an option. The
    /// outcome of the former call counts, and no second attempt is made.
    @inline(never)
    private func present(
        _ received: ReceivedPresentation, generation: Int, after former: Task<Outcome, Never>,
        _ driver: NodeDriver
    ) async -> Outcome {
        let outcome = await former.value
        if DownlinkVerdict(outcome, node: name)?.carriedOut != nil { return outcome }
        return await present(received, generation: generation, driver)
    }

    private func present(
        _ received: ReceivedPresentation, generation: Int, _ driver: NodeDriver
    ) async -> Outcome {
        switch beginning(of: received, generation: generation, driver) {
        case .success(let (error, context)): await chain.presentError(error, in: context)
        case .failure(let refused): refused.outcome
        }
    }

    private struct Refused: Error {
        let outcome: Outcome
    }

    /// The error and its context, or the refusal of an unreadable report. Apart from the call that
    /// waits, so that the waiting call keeps nothing of this.
    @inline(never)
    private func beginning(
        of received: ReceivedPresentation, generation: Int, _ driver: NodeDriver
    ) -> Result<(any Error, PresentationContext), Refused> {
        let present = received.present
        let payload = present.payloadFromBelow
        let reading = ReportReading(payload)
        if readsReports, case .failure(let error) = reading.reading {
            var refusal = Outcome(
                didRecover: false, reason: .rejected, decidedBy: name.description,
                detail: "report: \(error)")
            refusal.refusalCode = RejectCode.malformed.rawValue
            return .failure(Refused(outcome: refusal))
        }
        let error = RemoteError(
            payload: payload,
            remote: RemoteAttempter(
                reading: reading, received: received, keys: keys, driver: driver,
                generation: generation))
        var context = PresentationContext(
            id: present.id, retryOf: present.retryOf,
            deadline: received.deadline.map { driver.transport.instant(of: $0) },
            received: received,
            stateChanged: { [id = present.id] state in
                driver.move(id, generation: generation, to: state)
            })
        context.signsAnswers = keys?.signs == true
        return .success((error, context))
    }
}

extension Message.Present {
    /// The payload without changes attributed to nodes outside its path: a child cannot forge
    /// changes of the nodes above it. Unchanged when there are none.
    var payloadFromBelow: Frame {
        guard ErrorReport.mayHaveChanges(payload), let sent = try? ErrorReport(payload: payload)
        else { return payload }
        var report = sent
        report.dropChanges(notBy: path)
        return report == sent ? payload : report.payload()
    }
}

extension Transport {
    /// The time of the transport's clock as a time of the clock that chains use.
    func instant(of time: MonotonicTime) -> ContinuousClock.Instant {
        .now + .milliseconds(Int64(clamping: time.since(now)))
    }
}
