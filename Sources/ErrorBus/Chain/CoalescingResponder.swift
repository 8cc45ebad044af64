import Synchronization

/// A responder that presents several equal errors as one, and lets each error recover by itself.
///
/// Its place is between responders, below every presenter. Errors are equal if they have the same
/// domain and `coalesceKey`, or without a key the same domain, code and description, and if their
/// options are equal: ids, titles, roles, the needs of an answer, and fields. While one such error
/// is unanswered, the others wait here, in any order of arrival. After the answer each error runs
/// its *own* attempter with the chosen option and completes with its own result. The group closes
/// when the answer arrives: a later equal error is presented again. HRS's coalescing queue gives
/// the first error's result to all, including errors that arrive during its recovery attempt; both
/// report "recovered" to callers whose error was not.
///
/// - An error with an option that needs a signature or two people, or asks for a secret, climbs
///   alone.
/// - An error that a hook above presents below, from the context of an error that has passed here,
///   climbs alone. Without that context, an error equal to it is refused
///   (``Outcome/Reason/cycle``).
/// - An end above without an attempt here (withheld, handled, detached, expired, ...) ends the
///   whole group alike.
/// - An option of a responder *above* recovers one error only: the next waiting error climbs and is
///   presented. The same happens when the representative is withdrawn or reaches its own deadline;
///   the option that it declares for that case (`onExpiry`) applies to it alone.
///
/// The error that climbs is wrapped in a ``Recoverable``: `causing(_:)` of an error finds the
/// original.
public final class CoalescingResponder: Responder {
    /// The default number of errors that may wait for one answer.
    public static let memberCountMaxDefault = 256

    public let responderName: String
    private let following: (any Responder)?
    private let state: Mutex<State>

    private struct State {
        var machine: CoalescingMachine
        var waiting: [CoalescingMachine.Ticket: FirstValue<CoalescingVerdict>] = [:]
        /// The tasks that climb: what arrives in one of them begins inside its error.
        var tasks: [CoalescingMachine.Ticket: Int] = [:]
    }

    /// Identifies the running task, as long as it runs.
    private static var task: Int? { withUnsafeCurrentTask { $0?.hashValue } }

    /// A responder that groups equal errors in front of `next`.
    ///
    /// - Parameters:
    ///   - name: The name in outcomes and audits.
    ///   - next: The responder that gets each group's representative.
    ///   - memberCountMax: The most errors that may wait for one answer; an error above the limit
    ///     climbs without a group.
    public init(
        _ name: String, next: (any Responder)?, memberCountMax: Int = memberCountMaxDefault
    ) {
        responderName = name
        following = next
        state = Mutex(State(machine: CoalescingMachine(memberCountMax: max(0, memberCountMax))))
    }

    public var next: (any Responder)? { get async { following } }

    public func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        await forward(error, in: context) { await coalesce($0, in: $1) }
    }

    /// Whether no error climbs or waits, for tests.
    var isIdle: Bool { state.withLock { $0.machine.isEmpty && $0.waiting.isEmpty } }

    private func coalesce(_ error: any Error, in context: PresentationContext) async -> Outcome {
        // Inside one that has passed here it would wait for an error that waits for it.
        guard !context.isInsideOne(past: self), let (report, key) = shared(error) else {
            return await offerToNext(error, in: context)
        }
        let verdict = FirstValue<CoalescingVerdict>()
        let task = Self.task
        let action = state.withLock { state -> CoalescingMachine.Action? in
            let first = state.machine.representative(of: key)
            if let task, let first, state.tasks[first] == task { return nil }
            let action = state.machine.arrived(key)
            if case .wait(let ticket) = action { state.waiting[ticket] = verdict }
            return action
        }
        switch action {
        case nil: return waitsForItself
        case .climb(let ticket):
            return await climb(error, report, in: context, ticket, key)
        case .wait(let ticket):
            context.stateChanged(PresentationState(.queued, by: responderName))
            let given = await wait(for: verdict, until: context.deadline, ticket, key)
            return await follow(given, error, report, in: context, ticket, key)
        case .climbAlone, .attempt, .share, .promote, .release, .nothing:
            return await offerToNext(error, in: context)
        }
    }

    /// The refusal of an error that a hook above presented below without its context, and that
    /// would wait for the error of the hook.
    private var waitsForItself: Outcome {
        Outcome(
            didRecover: false, reason: .cycle, decidedBy: responderName,
            detail: "an equal error is under way and waits for this one; if a hook presents it, "
                + "pass the context: presentError(error, from: context)")
    }

    /// The report and the key that an error shares with equal errors; nil for an error that climbs
    /// alone. Not inlined, like the code that waits, so that the waiting call keeps nothing of
    /// this.
    @inline(never)
    private func shared(_ error: any Error) -> (ErrorReport, CoalescingKey)? {
        // Never shown, so there is nothing to coalesce.
        guard !UserCancellation.standard.matches(error) else { return nil }
        let report = ErrorReport(describing: error)
        // A signature is for one presentation, so are the word of two people and a secret: no other
        // error may share the answer.
        let isAlone = report.options.contains {
            $0.needsSignature || $0.needsTwoPeople || $0.fields.contains(where: \.isSecret)
        }
        return isAlone ? nil : (report, CoalescingKey(report))
    }

    /// Climbs for the group, and gives the outcome to the group.
    @inline(never)
    private func climb(
        _ error: any Error, _ report: ErrorReport, in context: PresentationContext,
        _ ticket: CoalescingMachine.Ticket, _ key: CoalescingKey
    ) async -> Outcome {
        let attempter = NoticingAttempter(
            options: report.options, base: error.recoveryAttempter
        ) { answer in
            // An answer on expiry applies to this error only: the next one climbs, and does not
            // wait for what is carried out.
            guard answer.via != .expiry else {
                return self.perform(.climb) { $0.ended(ticket, key, isItsOwn: true) }
            }
            self.perform(.attempt(answer)) { $0.answered(ticket, key) }
        }
        let climbing = Recoverable(error, report: report, attempter: attempter)
        let task = Self.task
        state.withLock { $0.tasks[ticket] = task }
        let outcome = await offerToNext(climbing, in: context)
        state.withLock { $0.tasks[ticket] = nil }
        let refusal = outcome.refusalCode.flatMap { RejectCode(rawValue: $0) }
        let isItsOwn =
            switch outcome.reason {
            case _ where refusal?.isOfOne == true: true
            case .withdrawn: true
            case .expired: context.deadline != nil
            // The group is still open, so the option that recovered belongs to a responder above.
            default: outcome.answer.map { outcome.didRecover || $0.via == .expiry } ?? false
            }
        perform(.share(outcome)) { $0.ended(ticket, key, isItsOwn: isItsOwn) }
        return outcome
    }

    /// The verdict of the group; `release` if the task is cancelled or its deadline passes first.
    private func wait(
        for verdict: FirstValue<CoalescingVerdict>, until deadline: ContinuousClock.Instant?,
        _ ticket: CoalescingMachine.Ticket, _ key: CoalescingKey
    ) async -> CoalescingVerdict {
        let timer = deadline.map { deadline in
            Task {
                try? await ContinuousClock().sleepInSteps(until: deadline)
                if !Task.isCancelled {
                    self.perform(.release(.expired)) { $0.left(ticket, key) }
                }
            }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await verdict.value
        } onCancel: {
            self.perform(.release(.withdrawn)) { $0.left(ticket, key) }
        }
    }

    @inline(never)
    private func follow(
        _ verdict: CoalescingVerdict, _ error: any Error, _ report: ErrorReport,
        in context: PresentationContext, _ ticket: CoalescingMachine.Ticket, _ key: CoalescingKey
    ) async -> Outcome {
        switch verdict {
        case .attempt(let answer):
            return await attempt(answer, error)
        case .share(let outcome):
            return outcome
        case .climb:
            return await climb(error, report, in: context, ticket, key)
        case .release(let reason):
            if reason == .expired,
                let answer = context.answerOnExpiry(of: error, by: responderName)
            {
                return await attempt(answer, error)
            }
            return Outcome(didRecover: false, reason: reason, decidedBy: responderName)
        }
    }

    /// Runs the error's own attempter.
    private func attempt(_ answer: Answer, _ error: any Error) async -> Outcome {
        let result = await error.attemptRecovery(answer)
        return Outcome(answer: answer, result: result, decidedBy: responderName)
    }

    /// Runs one event of the machine and gives `verdict` to the tickets in its action.
    private func perform(
        _ verdict: CoalescingVerdict,
        _ event: (inout CoalescingMachine) -> CoalescingMachine.Action
    ) {
        typealias Served = (FirstValue<CoalescingVerdict>?, CoalescingVerdict)
        let served = state.withLock { state -> [Served] in
            switch event(&state.machine) {
            case .attempt(let tickets), .share(let tickets):
                tickets.map { (state.waiting.removeValue(forKey: $0), verdict) }
            case .release(let ticket):
                [(state.waiting.removeValue(forKey: ticket), verdict)]
            case .promote(let ticket):
                [(state.waiting.removeValue(forKey: ticket), CoalescingVerdict.climb)]
            case .climb, .climbAlone, .wait, .nothing:
                []
            }
        }
        for (waiter, verdict) in served { waiter?.offer(verdict) }
    }
}

/// The verdict that a caller waiting behind an equal error gets, once.
private enum CoalescingVerdict: Sendable {
    /// Run your own attempter with this answer.
    case attempt(Answer)
    /// The outcome of the error that climbed.
    case share(Outcome)
    /// Climb in the representative's place.
    case climb
    /// Stop waiting: withdrawn, or past the deadline.
    case release(Outcome.Reason)
}

/// An attempter that calls a closure when the answer arrives, before any attempt.
private struct NoticingAttempter: RecoveryAttempter {
    let options: [ErrorReport.Option]
    /// The attempter of the error; nil if it has none.
    let base: (any RecoveryAttempter)?
    let answerArrived: @Sendable (Answer) -> Void

    func attemptRecovery(_ answer: Answer) async -> AttemptResult {
        answerArrived(answer)
        return await base?.attemptRecovery(answer) ?? .noAttempter
    }
}
