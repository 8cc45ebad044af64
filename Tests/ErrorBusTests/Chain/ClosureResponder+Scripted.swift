import ErrorBusTesting

@testable import ErrorBus
@testable import ErrorBusCore

extension PresentingResponder {
    /// The end of a chain with one scripted presenter.
    static func asking(_ presenters: any Presenter..., name: String = "P") -> PresentingResponder {
        PresentingResponder(name, presenters: presenters, logger: .silent)
    }
}

extension ClosureResponder {
    /// A responder that records its calls in `log`.
    static func noting(
        _ name: String, in log: Recorder<String>, next: (any Responder)?,
        cutChainPolicy: CutChainPolicy = .drop
    ) -> NotingResponder {
        NotingResponder(
            responderName: name, log: log, following: next, policy: cutChainPolicy)
    }
}

/// Notes both hooks.
struct NotingResponder: Responder {
    let responderName: String
    let log: Recorder<String>
    let following: (any Responder)?
    let policy: CutChainPolicy

    var next: (any Responder)? { get async { following } }
    var cutChainPolicy: CutChainPolicy { get async { policy } }

    func willPresentError(
        _ error: any Error, in context: PresentationContext
    ) async throws -> (any Error)? {
        log.record(responderName)
        return error
    }

    func willNotPresentError(
        _ error: any Error, reason: Outcome.Reason, in context: PresentationContext
    ) async {
        log.record("\(responderName): \(reason)")
    }
}
