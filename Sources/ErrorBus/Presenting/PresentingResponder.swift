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
    ///   - next: Whom to offer what they all decline.
    ///   - cancellation: What counts as "the user cancelled".
    ///   - journal: Where decisions survive this process.
    ///   - audit: Where what is presented and decided is written.
    ///   - logger: Told when a presenter fails.
    ///   - willPresent: The last hook before an error is shown, as AppKit's
    ///     `application(_:willPresentError:)`.
    public init(
        _ name: String, presenters: [any Presenter], next: (any Responder)? = nil,
        cancellation: UserCancellation = .standard, journal: (any DecisionJournal)? = nil,
        audit: (any AuditLog)? = nil, logger: Logger,
        willPresent: @escaping ClosureResponder.WillPresent = { $0 }
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

    public func willPresentError(_ error: any Error) async throws -> (any Error)? {
        try await willPresent(error)
    }

    public func presentError(_ error: any Error) async -> Outcome {
        await inPresentation { context in
            await forward(error, in: context) { await present($0, in: $1) }
        }
    }

    private func present(_ error: any Error, in context: PresentationContext) async -> Outcome {
        if cancellation.matches(error) {
            return Outcome(
                didRecover: false, reason: .userCancelled,
                decidedBy: context.userCancelledBy ?? responderName)
        }
        let prompt = Prompt(error, in: context)
        await decisions.presenting(error, context.id)
        switch await ask(prompt) {
        case .answered(let answer):
            return await decisions.carryOut(answer, error, context.id) {
                prompt.record.ended(isRecorded: $0)
            }
        case .declined:
            return await offerToNext(error, in: context)
        case .closed(let reason):
            if reason == .expired {
                decisions.expired(error, context.id)
                if let answer = context.answerOnExpiry(of: error, by: responderName) {
                    return await decisions.carryOut(answer, error, context.id)
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
            if ending != .declined { return ending }
        }
        // From here the question is elsewhere: an answer to this prompt must not look taken. One
        // that came between the last decline and this line counts.
        if prompt.close(.declined) { return .declined }
        return prompt.ending ?? .declined
    }
}
