public import Logging

/// The end of a chain: asks its presenters in order, takes the answer, and runs the chosen
/// option through the error's attempter, wherever its owner lives.
///
/// Errors that say "user cancelled" are never shown. When every presenter declines, the error
/// goes on to `next`, like any error that a responder does not deal with.
public struct PresentingResponder: Responder {
    public let responderName: String
    private let presenters: [any Presenter]
    private let following: (any Responder)?
    private let cancellation: UserCancellation
    private let audit: (any AuditLog)?
    private let logger: Logger

    /// - Parameters:
    ///   - name: Who decided, in outcomes.
    ///   - presenters: Asked in order; the first that does not decline answers.
    ///   - next: Whom to offer what they all decline.
    ///   - audit: Where what is presented and decided is written.
    public init(
        _ name: String, presenters: [any Presenter], next: (any Responder)? = nil,
        cancellation: UserCancellation = .standard, audit: (any AuditLog)? = nil, logger: Logger
    ) {
        responderName = name
        self.presenters = presenters
        following = next
        self.cancellation = cancellation
        self.audit = audit
        self.logger = logger
    }

    public var next: (any Responder)? { get async { following } }

    public func presentError(_ error: any Error) async -> Outcome {
        await inPresentation { context in
            if cancellation.matches(error) {
                return Outcome(didRecover: false, reason: .userCancelled, decidedBy: responderName)
            }
            let prompt = Prompt(error, in: context)
            let ending = await ask(prompt)
            switch ending {
            case .answered(let answer):
                return await recover(error, with: answer, prompt: prompt)
            case .declined:
                return await forwardError(error)
            case .closed(let reason):
                return Outcome(didRecover: false, reason: reason, decidedBy: responderName)
            }
        }
    }

    private func ask(_ prompt: Prompt) async -> PromptEnding {
        for presenter in presenters {
            let ending = await PresenterRace(presenter, prompt, logger: logger).run()
            if ending != .declined { return ending }
        }
        return .declined
    }

    private func recover(
        _ error: any Error, with answer: Answer, prompt: Prompt
    ) async -> Outcome {
        let result = await PresentationContext.$current.withValue(nil) {
            await attempt(error, answer)
        }
        return Outcome(answer: answer, result: result, decidedBy: responderName)
    }

    private func attempt(_ error: any Error, _ answer: Answer) async -> AttemptResult {
        guard let attempter = error.recoveryAttempter else {
            // The OK that stands for "no options" recovers nothing, and needs nobody behind it.
            return ErrorReport(describing: error).options.isEmpty ? .notRecovered : .noAttempter
        }
        return await attempter.attemptRecovery(answer)
    }
}
