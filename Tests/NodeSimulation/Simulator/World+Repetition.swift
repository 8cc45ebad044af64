import ErrorBus

/// An operation that a recovery repeats, and that fails again: the caller is `withRecovery`.
extension World {
    /// - Parameter number: The place of the first asking in the ledger.
    func repeated(
        _ repeats: Int, _ call: Plan.Call, _ number: Int, _ options: PresentationOptions,
        at uplink: any Responder, of life: Life
    ) {
        var options = options
        let trouble = Trouble.allCases[ledger.asks[number].trouble]
        let current = Current(number)
        options.stateChanged = { [self] state in
            if !life.isOver {
                ledger.asks[current.number].told.append((scheduler.now, state))
            }
        }
        let noting = NotingResponder(
            world: self, life: life, call: call, current: current, next: uplink)
        let caller: any Responder = plan.triesTwice ? TryingTwice(following: noting) : noting
        current.task = Task.detached { [self, options] in
            var failureCount = 0
            try? await caller.withRecovery(options: options) {
                noteRun(of: current)
                failureCount += 1
                if failureCount > 1, let time = call.operationLasts {
                    await scheduler.sleep(time)
                    if failureCount - 1 == call.cancelledAtRepetition { giveUp(current, of: life) }
                }
                if failureCount <= repeats + 1 { throw trouble }
            }
            if !life.isOver { scheduler.note("done after \(failureCount) failures") }
        }
        guard let patience = call.cancelledAfter else { return }
        scheduler.after(patience) { [self] in giveUp(current, of: life) }
    }

    /// The operation runs, or its error is presented, though its caller may have given up.
    fileprivate func noteRun(of current: Current) {
        guard current.isGivenUp else { return }
        ledger.ranOn.append("\(ledger.asks[current.number].id): at \(scheduler.now)")
    }

    /// The caller gives up, whatever is done for it at the moment.
    private func giveUp(_ current: Current, of life: Life) {
        guard !life.isOver, !current.isGivenUp else { return }
        let number = current.number
        scheduler.note("cancel \(ledger.asks[number].id)")
        if ledger.asks[number].completions.isEmpty {
            ledger.asks[number].cancelled = scheduler.now
        }
        current.isGivenUp = true
        current.task?.cancel()
    }

    /// Carries a recovery out, and before its end is known the caller may give up.
    fileprivate func retry(
        _ id: PresentationID, for call: Plan.Call, _ current: Current, in life: Life
    ) async -> Bool {
        let didRecover = await attempt(
            "retry", of: id, in: life, for: call.attempt, doesRecover: call.doesRecover)
        current.attemptCount += 1
        if current.attemptCount == call.cancelledAtAttempt { giveUp(current, of: life) }
        return didRecover
    }
}

extension World {
    /// The caller gives up.
    func cancel(
        _ task: Task<Void, Never>, _ number: Int, after patience: UInt64, of life: Life
    ) {
        scheduler.after(patience) { [self] in
            guard !life.isOver, ledger.asks[number].completions.isEmpty else { return }
            scheduler.note("cancel \(ledger.asks[number].id)")
            ledger.asks[number].cancelled = scheduler.now
            task.cancel()
        }
    }

    /// The error as its caller's code leaves it: with a secret, which worker1 keeps to itself, with
    /// another option for no answer in time than the caller declares, and with what rules compare.
    func filled(_ error: Recoverable, _ call: Plan.Call, _ trouble: Int) -> any Error {
        guard
            plan.hasSecrets || plan.deskWorker != nil || plan.ruling != nil
                || plan.removedTrouble == trouble
        else { return error }
        return error.rewriting { report in
            if plan.removedTrouble == trouble { report.options.removeAll { $0.id == "retry" } }
            plan.ruling?.describe(&report, trouble)
            if plan.hasSecrets { report.userInfo["secret"] = "4711" }
            if call.onExpiry == "skip" { report.onExpiry = "retry" }
        }
    }
}

extension Plan {
    /// Whether reports have a secret.
    var hasSecrets: Bool { scene == nil }
}

extension Checker {
    static let redacted = Checker(
        name: "redacted", rule: "a process redacts what arises in it, and nothing that passes it"
    ) { ledger, plan in
        guard plan.hasSecrets else { return [] }
        return ledger.shown.compactMap { shown in
            guard ledger.asks.contains(where: { $0.id == shown.id }) else { return nil }
            return shown.hasSecret == (shown.origin != "worker1")
                ? nil : "\(shown.id) of \(shown.origin ?? ""): secret shown: \(shown.hasSecret)"
        }
    }
}

extension Forgery {
    static let redacted = Forgery(checker: "redacted") { ledger, plan in
        let ids = Set(ledger.asks.map(\.id))
        return plan.hasSecrets
            && change(&ledger.shown, where: { ids.contains($0.id) }) { $0.hasSecret.toggle() }
    }
}

/// The place in the ledger of what is asked at the moment.
// Unchecked: see Scheduler.
private final class Current: @unchecked Sendable {
    var number: Int
    /// What does the operation, again and again.
    var task: Task<Void, Never>?
    var attemptCount = 0
    var isGivenUp = false

    init(_ number: Int) { self.number = number }
}

/// Writes down what passes by its context's id, and makes it recoverable.
private struct NotingResponder: Responder {
    let world: World
    let life: Life
    let call: Plan.Call
    let current: Current
    let following: any Responder

    init(
        world: World, life: Life, call: Plan.Call, current: Current, next: any Responder
    ) {
        self.world = world
        self.life = life
        self.call = call
        self.current = current
        following = next
    }

    var responderName: String { life.process.name }
    var next: (any Responder)? { get async { following } }

    func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        let number = began(error, context)
        let id = context.id
        let error = error.recoverable {
            RecoveryOption("Retry", id: "retry") { [world, life, call, current] in
                await world.retry(id, for: call, current, in: life)
            }
            RecoveryOption("Skip", id: "skip", role: .cancel) { [world, life, call] in
                await world.attempt("skip", of: id, in: life, for: call.attempt, doesRecover: false)
            }
        }
        let outcome = await forwardError(error, in: context)
        if !life.isOver {
            world.scheduler.note("end \(id) \(outcome)")
            world.ledger.asks[number].completions.append((world.scheduler.now, outcome))
        }
        return outcome
    }

    /// The place of this asking in the ledger.
    private func began(_ error: any Error, _ context: PresentationContext) -> Int {
        if let known = world.ledger.asks.firstIndex(where: { $0.id == context.id }) { return known }
        world.noteRun(of: current)
        // Counted here: what the context says of it is what people are to read.
        let before = world.ledger.asks[current.number]
        world.scheduler.note("ask \(context.id) again, after \(context.retryCount)")
        let trouble = (error as? Trouble)?.rawValue ?? 0
        world.openAsks.append(world.ledger.asks.count)
        world.ledger.asks.append(
            Ledger.Ask(
                id: context.id, worker: life.process.name, life: life.number,
                time: world.scheduler.now, deadline: before.deadline, onExpiry: before.onExpiry,
                trouble: trouble,
                isSecond: false, retryOf: before.id, retryCount: before.retryCount + 1))
        current.number = world.ledger.asks.count - 1
        return current.number
    }
}
