import ErrorBusTesting

@testable import ErrorBus
@testable import ErrorBusCore

/// Records the notices about errors that passed it and were not shown.
final class NoticingResponder: Responder {
    private let following: any Responder
    private let told: Recorder<Outcome.Reason>

    init(next: any Responder, told: Recorder<Outcome.Reason>) {
        following = next
        self.told = told
    }

    var next: (any Responder)? { get async { following } }

    func willNotPresentError(
        _ error: any Error, reason: Outcome.Reason, in context: PresentationContext
    ) async {
        told.record(reason)
    }
}
