@testable import ErrorBus
@testable import ErrorBusCore

/// A relay's responder that answers in the place of those above.
struct Forger: Responder {
    let following: any Responder
    let answer: Answer
    var next: (any Responder)? { get async { following } }

    func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        Outcome(
            answer: answer, result: await error.attemptRecovery(answer), decidedBy: responderName)
    }
}
