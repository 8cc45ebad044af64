public import Logging

/// The end of a chain: asks its presenters in order, takes the answer, and runs the chosen
/// option through the error's attempter, wherever its owner lives.
///
/// Errors that say "user cancelled" are never shown (AppKit). When every presenter declines, the
/// error goes on to `next`, like any error that a responder does not deal with.
public final class PresentingResponder: Responder {
    public let responderName: String
    private let presenters: [any Presenter]
    private let following: (any Responder)?
    private let cancellation: UserCancellation
    private let decisions: Decisions
    private let logger: Logger
    private let willPresent: ClosureResponder.WillPresent

    /// - Parameters:
    ///   - name: Who decided, in outcomes.
    ///   - presenters: Asked in order; the first that does not decline answers.
    ///   - next: The responder that gets what they all decline.
    ///   - cancellation: What counts as "the user cancelled".
    ///   - audit: Where what is presented and decided is written.
    ///   - logger: Where presenters that fail are logged.
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

    /// - Parameter journal: Where decisions survive this process.
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
        if cancellation.matches(error) {
            return Outcome(
                didRecover: false, reason: .userCancelled,
                decidedBy: context.userCancelledBy ?? responderName)
        }
        let prompt = Prompt(error, in: context)
        await decisions.presenting(error, in: context)
        switch await ask(prompt) {
        case .answered(let answer):
            return await decisions.carryOut(answer, error, in: context) {
                prompt.record.ended(isRecorded: $0)
            }
        case .closed(.declined):
            return await offerToNext(error, in: context)
        case .closed(let reason):
            if reason == .expired {
                decisions.expired(error, in: context)
                if let answer = context.answerOnExpiry(of: error, by: responderName) {
                    return await decisions.carryOut(answer, error, in: context)
                }
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
        // From here the error is elsewhere: an answer to this prompt must not look taken. One
        // that came between the last decline and this line counts.
        prompt.close(.declined)
        return prompt.ending ?? .closed(.declined)
    }
}

/// Asks one presenter, against the deadline and the withdrawal of the presentation: whichever
/// comes first ends it. A presenter that ignores its cancellation is not waited for.
private struct PresenterRace: Sendable {
    private let presenter: any Presenter
    private let prompt: Prompt
    private let logger: Logger
    private let clock: ContinuousClock

    init(_ presenter: any Presenter, _ prompt: Prompt, logger: Logger) {
        self.presenter = presenter
        self.prompt = prompt
        self.logger = logger
        self.clock = ContinuousClock()
    }

    /// How the prompt ended; nil when the presenter leaves it, still open, to the next one.
    func run() async -> PromptEnding? {
        // Not even begun when it is too late: no person is to see a prompt flash by.
        if Task.isCancelled { prompt.close(.withdrawn) }
        if let deadline = prompt.deadline, deadline <= clock.now { prompt.close(.expired) }
        let first = FirstValue<PromptEnding?>()
        // The prompt itself says when it is decided: a presenter may answer and never return.
        if let ending = prompt.observe({ first.offer($0) }) { return ending }
        // Unstructured because a group would wait for a presenter that does not give up.
        let asking = Task { first.offer(await ask()) }
        let timer = prompt.deadline.map { deadline in
            Task {
                try? await clock.sleepInSteps(until: deadline)
                if !Task.isCancelled { prompt.close(.expired) }
            }
        }
        let ending = await withTaskCancellationHandler {
            await first.value
        } onCancel: {
            prompt.close(.withdrawn)
        }
        timer?.cancel()
        asking.cancel()
        return ending
    }

    private func ask() async -> PromptEnding? {
        do {
            let answer = try await presenter.present(prompt)
            if let answer, prompt.isOpen { try prompt.take(answer) }
        } catch is CancellationError where Task.isCancelled {
            // The presenter gave up because the prompt is gone, as it should.
        } catch {
            log(error)
        }
        return prompt.ending
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
