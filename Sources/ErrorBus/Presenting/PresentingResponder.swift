public import Logging

/// The end of a chain: asks its presenters in order, accepts the answer, and runs the chosen option
/// through the error's attempter, wherever its owner lives.
///
/// User cancellations are never shown (AppKit). If every presenter declines, the error goes on to
/// `next`, as from any responder that does not handle it.
public final class PresentingResponder: Responder {
    public let responderName: String
    private let presenters: [any Presenter]
    private let following: (any Responder)?
    private let cancellation: UserCancellation
    private let decisions: Decisions
    private let logger: Logger
    private let willPresent: ClosureResponder.WillPresent

    /// The end of a chain, with these presenters.
    ///
    /// - Parameters:
    ///   - name: The decider in outcomes.
    ///   - presenters: The presenters, in the order in which they get a prompt until one does not
    ///     decline.
    ///   - next: The responder that gets the errors that all presenters declined.
    ///   - cancellation: Decides which errors are user cancellations.
    ///   - audit: The log of presentations and decisions.
    ///   - logger: The logger for presenters that fail.
    ///   - willPresent: The last hook before an error is shown, as AppKit's
    ///     `application(_:willPresentError:)`.
    public convenience init(
        _ name: String, presenters: [any Presenter], next: (any Responder)? = nil,
        cancellation: UserCancellation = .standard, audit: (any AuditLog)? = nil, logger: Logger,
        willPresent: @escaping ClosureResponder.WillPresent = { error, _ in error }
    ) {
        self.init(
            name, presenters: presenters, next: next, cancellation: cancellation, journal: nil,
            audit: audit, logger: logger, willPresent: willPresent)
    }

    /// - Parameter journal: The store of decisions that survive this process.
    package init(
        _ name: String, presenters: [any Presenter], next: (any Responder)? = nil,
        cancellation: UserCancellation = .standard, journal: (any DecisionJournal)?,
        audit: (any AuditLog)? = nil, logger: Logger,
        willPresent: @escaping ClosureResponder.WillPresent = { error, _ in error }
    ) {
        responderName = name
        self.presenters = presenters
        following = next
        self.cancellation = cancellation
        decisions = Decisions(by: name, journal: journal, audit: audit, logger: logger)
        self.logger = logger
        self.willPresent = willPresent
    }

    public var next: (any Responder)? { get async { following } }

    public func willPresentError(
        _ error: any Error, in context: PresentationContext
    ) async throws -> (any Error)? {
        try await willPresent(error, context)
    }

    public func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        await forward(error, in: context) { await present($0, in: $1) }
    }

    private func present(_ error: any Error, in context: PresentationContext) async -> Outcome {
        if let outcome = userCancelled(error, in: context) { return outcome }
        if context.wasPassedOn, decisions.areRecorded {
            return await offerToNext(error, in: context)
        }
        let prompt = Prompt(error, in: context)
        if decisions.areRecorded { prompt.record.keep() }
        await decisions.presenting(error, in: context)
        let ending = await ask(prompt)
        return await ended(ending, of: prompt, error, in: context)
    }

    @inline(never)
    private func userCancelled(_ error: any Error, in context: PresentationContext) -> Outcome? {
        guard cancellation.matches(error) else { return nil }
        return Outcome(
            didRecover: false, reason: .userCancelled,
            decidedBy: context.userCancelledBy ?? responderName)
    }

    /// The outcome of a prompt that has ended. Not inlined, like the other helpers of calls that
    /// wait: what such a call has room for stays in memory as long as the prompt is open.
    @inline(never)
    private func ended(
        _ ending: PromptEnding, of prompt: Prompt, _ error: any Error,
        in context: PresentationContext
    ) async -> Outcome {
        switch ending {
        case .answered(let answer):
            return await decisions.carryOut(answer, error, in: context) {
                prompt.record.moved(to: $0)
            }
        case .closed(.declined):
            prompt.record.ended(isRecorded: false)
            // Before the next responder has it: that may take as long as this process lives.
            await decisions.ended(context.id, .declined)
            return await offerToNext(error, in: context)
        case .closed(let reason):
            prompt.record.ended(isRecorded: false)
            if reason == .expired, let outcome = await decisions.expire(error, in: context) {
                return outcome
            }
            var outcome = Outcome(
                didRecover: false, reason: reason, decidedBy: prompt.closedBy ?? responderName)
            outcome.spokenBy = prompt.closedBy.map { "\(responderName), \($0)" }
            return outcome
        }
    }

    private func ask(_ prompt: Prompt) async -> PromptEnding {
        for presenter in presenters {
            let ending = await PresenterRace(presenter, prompt, logger: logger).run()
            if let ending { return ending }
        }
        // The error moves on here: an answer to this prompt is refused from now on, and one that
        // came since the last presenter declined counts.
        prompt.close(.declined)
        return prompt.ending ?? .closed(.declined)
    }
}

/// The race of a presenter against the deadline and the withdrawal of the presentation: the first
/// of the three ends it. It does not wait for a presenter that ignores its cancellation.
private final class PresenterRace: Sendable {
    private let presenter: any Presenter
    private let prompt: Prompt
    private let logger: Logger
    private let clock = ContinuousClock()
    private let first = FirstValue<PromptEnding?>()

    init(_ presenter: any Presenter, _ prompt: Prompt, logger: Logger) {
        self.presenter = presenter
        self.prompt = prompt
        self.logger = logger
    }

    /// The end of the prompt; nil if the presenter declined and the prompt is still open.
    func run() async -> PromptEnding? {
        switch begin() {
        case .ended(let ending): return ending
        case .asking(let asking, let timer):
            let ending = await withTaskCancellationHandler {
                await first.value
            } onCancel: {
                prompt.close(.withdrawn)
            }
            timer?.cancel()
            asking.cancel()
            return ending
        }
    }

    /// Asks the presenter, unless the prompt has ended.
    @inline(never)
    private func begin() -> Beginning {
        // Not begun when it is too late, so that no prompt flashes by.
        if Task.isCancelled { prompt.close(.withdrawn) }
        if let deadline = prompt.deadline, deadline <= clock.now { prompt.close(.expired) }
        // The prompt reports the decision itself: a presenter may answer and never return.
        if let ending = prompt.observe({ [first] in first.offer($0) }) { return .ended(ending) }
        // Unstructured: a group would wait for a presenter that ignores cancellation.
        let asking = Task { first.offer(await ask()) }
        let timer = prompt.deadline.map { deadline in
            Task {
                try? await clock.sleepInSteps(until: deadline)
                if !Task.isCancelled { prompt.close(.expired) }
            }
        }
        return .asking(asking, timer: timer)
    }

    /// The beginning of a race: its two tasks, or an end before it.
    private enum Beginning {
        case ended(PromptEnding)
        case asking(Task<Bool, Never>, timer: Task<Void, Never>?)
    }

    private func ask() async -> PromptEnding? {
        do { try take(await presenter.present(prompt)) } catch { failed(error) }
        return prompt.ending
    }

    @inline(never)
    private func take(_ answer: Answer?) throws {
        if let answer, prompt.isOpen { try prompt.take(answer) }
    }

    @inline(never)
    private func failed(_ error: any Error) {
        switch error {
        case is CancellationError where Task.isCancelled:
            // Thrown because the prompt has ended, which is expected.
            break
        case let refusal as AnswerRefusal where refusal.isTooLate && !prompt.isOpen:
            // Another answer or the end of the prompt was a moment earlier.
            break
        default: log(error)
        }
    }

    private func log(_ error: any Error) {
        logger.error(
            "presenter failed",
            metadata: [
                "presenter": "\(presenter.presenterName)", "id": "\(prompt.id)",
                "error": "\(ErrorReport(describing: error).description)",
            ])
    }
}
