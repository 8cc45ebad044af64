/// A link of the chain that an error climbs: AppKit's `NSResponder`, for errors. Classes, actors,
/// structs and `@MainActor` types conform.
///
/// ``presentError(_:options:from:)`` begins a presentation, and ``presentError(_:in:)`` carries it
/// from responder to responder. The ``PresentationContext`` identifies it: a responder may replace
/// the error, and it is still the same presentation.
///
/// Most responders implement ``willPresentError(_:in:)`` to change the error, add options, or
/// withhold it. Override ``presentError(_:in:)`` only to handle some errors, and pass the others on
/// with ``forwardError(_:in:)``. Decide by type, domain, code and declared fields, never by
/// localized text.
public protocol Responder: Sendable {
    /// The responder that gets the errors not handled here; nil cuts the chain.
    var next: (any Responder)? { get async }

    /// The end of an error when ``next`` is nil; ``CutChainPolicy/drop`` by default.
    var cutChainPolicy: CutChainPolicy { get async }

    /// The name in outcomes and audits; by default the type's name.
    var responderName: String { get }

    /// Changes an error before it is presented, or withholds it.
    ///
    /// To silence an error return `CocoaError(.userCancelled)`, AppKit's way, or nil, HRS's way;
    /// unlike with HRS the caller completes in both cases. The error waits for this method, so it
    /// should be brief and return when the task is cancelled. An error that the method itself
    /// presents is a new presentation: `presentError(other, from: context)`.
    ///
    /// - Returns: The same error, a replacement, or nil: then the caller completes with reason
    ///   `withheld`.
    /// - Throws: A fault of this responder. The error goes on unchanged, and the fault is presented
    ///   to ``next`` as a separate error, never to this responder.
    func willPresentError(
        _ error: any Error, in context: PresentationContext
    ) async throws -> (any Error)?

    /// Gets an error that passed here and will be neither shown nor recovered from, so that the
    /// responder can release resources kept for its recovery (`NSDocument.willNotPresentError`).
    /// A person may have seen it before, as where the link was lost later:
    /// ``Outcome/Reason/meansNotPresented``.
    func willNotPresentError(
        _ error: any Error, reason: Outcome.Reason, in context: PresentationContext
    ) async

    /// Offers an error to this responder within a presentation that has begun. Returns after the
    /// answer and its recovery attempt; `didRecover` says whether to repeat the failed operation.
    /// Completes exactly once.
    func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome
}

extension Responder {
    public var cutChainPolicy: CutChainPolicy { get async { .drop } }

    public var responderName: String { String(describing: type(of: self)) }

    public func willPresentError(
        _ error: any Error, in context: PresentationContext
    ) async throws -> (any Error)? { error }

    public func willNotPresentError(
        _ error: any Error, reason: Outcome.Reason, in context: PresentationContext
    ) async {}

    public func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        await forwardError(error, in: context)
    }
}

/// The end of an error at a responder whose `next` is nil. Responders declare it, because the
/// precedents disagree: ios-presentError drops the error, AppKit and HRS send it to the
/// application.
public enum CutChainPolicy: Sendable {
    /// Completes the caller with `detached`; nothing is shown.
    case drop
    /// Sends the error straight to a configured root, skipping the responders between.
    case root(any Responder)
    /// Sends the error to a presenter of this process.
    case presentLocally(any Responder)
}
