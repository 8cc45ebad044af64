/// A step of the chain that an error climbs; it knows the next one. It is AppKit's `NSResponder`
/// for errors. Classes, actors, structs and `@MainActor` types conform.
///
/// ``presentError(_:options:from:)`` begins a presentation, and ``presentError(_:in:)`` carries it
/// from responder to responder. Its ``PresentationContext`` goes with it, so that a responder may
/// replace the error by any other and it is still the same presentation.
///
/// The usual place to take part is ``willPresentError(_:in:)``: change the error, add options, or
/// withhold it. Override ``presentError(_:in:)`` only to deal with some errors yourself, and pass
/// the others on with ``forwardError(_:in:)``. Decide by type, domain, code and declared fields,
/// never by localized text.
public protocol Responder: Sendable {
    /// The responder to offer what this one does not deal with; nil cuts the chain.
    var next: (any Responder)? { get async }

    /// What happens here when ``next`` is nil. ``CutChainPolicy/drop`` unless declared.
    var cutChainPolicy: CutChainPolicy { get async }

    /// The name in outcomes and audits; the type's name unless declared.
    var responderName: String { get }

    /// The last chance to change an error before it is presented, or to withhold it.
    ///
    /// To silence an error return `CocoaError(.userCancelled)`, AppKit's way, or nil, HRS's way;
    /// unlike with HRS the caller completes in both cases. The error waits for this method, so it
    /// should be brief, and give up when the task is cancelled. What it presents itself is a
    /// presentation of its own, begun with `presentError(other, from: context)`.
    ///
    /// - Returns: The same error, another one in its stead, or nil: then no other is asked and the
    ///   caller completes with reason `withheld`.
    /// - Throws: A fault of this responder itself. The error goes on unchanged, and the fault is
    ///   presented to ``next`` as an error of its own, never to this responder again.
    func willPresentError(
        _ error: any Error, in context: PresentationContext
    ) async throws -> (any Error)?

    /// Notice that an error which passed here will not be shown and not be recovered from, so that
    /// what was kept for its recovery can go (`NSDocument.willNotPresentError`).
    func willNotPresentError(
        _ error: any Error, reason: Outcome.Reason, in context: PresentationContext
    ) async

    /// Offers an error to this responder, within a presentation that has begun. Returns when it is
    /// decided and any recovery has run; `didRecover` says whether to repeat what failed. Completes
    /// exactly once.
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

/// What happens to an error at a responder whose `next` is nil: the sources disagree (dropped in
/// ios-presentError, sent to the application in AppKit and HRS), so it is said.
public enum CutChainPolicy: Sendable {
    /// The caller completes with `detached`; nothing is shown.
    case drop
    /// Straight to a configured root, skipping what lies between.
    case root(any Responder)
    /// To a presenter of this process.
    case presentLocally(any Responder)
}
