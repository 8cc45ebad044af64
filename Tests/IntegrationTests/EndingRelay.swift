@testable import ErrorBus
@testable import ErrorBusCore

/// A relay's responder that ends every presentation itself.
struct EndingRelay: Responder {
    let following: any Responder
    let outcome: Outcome
    var next: (any Responder)? { get async { following } }

    func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        outcome
    }
}
