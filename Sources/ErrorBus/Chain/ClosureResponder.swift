/// A responder made of closures, for chains put together in place. It is a class, so that a
/// circular chain is detected by identity.
public final class ClosureResponder: Responder {
    /// A closure that gets each error; see ``Responder/willPresentError(_:in:)``.
    public typealias WillPresent =
        @Sendable (any Error, PresentationContext) async throws -> (any Error)?
    /// A closure that handles an error, or returns nil to pass it on.
    public typealias Present = @Sendable (any Error, PresentationContext) async -> Outcome?

    public let responderName: String
    private let following: (any Responder)?
    private let policy: CutChainPolicy
    private let willPresent: WillPresent
    private let present: Present

    /// A responder made of these closures.
    ///
    /// - Parameters:
    ///   - name: The name in outcomes and audits.
    ///   - next: The responder that gets the errors that are not handled here; nil cuts the chain.
    ///   - cutChainPolicy: The end of an error when `next` is nil.
    ///   - willPresent: Changes or withholds an error. By default every error passes unchanged.
    ///   - present: Handles some errors itself. By default it handles none.
    public init(
        _ name: String, next: (any Responder)?, cutChainPolicy: CutChainPolicy = .drop,
        willPresent: @escaping WillPresent = { error, _ in error },
        present: @escaping Present = { _, _ in nil }
    ) {
        responderName = name
        following = next
        policy = cutChainPolicy
        self.willPresent = willPresent
        self.present = present
    }

    public var next: (any Responder)? { get async { following } }
    public var cutChainPolicy: CutChainPolicy { get async { policy } }

    public func willPresentError(
        _ error: any Error, in context: PresentationContext
    ) async throws -> (any Error)? {
        try await willPresent(error, context)
    }

    public func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        if let outcome = await present(error, context) { return outcome }
        return await forwardError(error, in: context)
    }
}
