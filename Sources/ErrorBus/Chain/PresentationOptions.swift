/// What a caller may say about one presentation, beside the error.
public struct PresentationOptions: Sendable {
    /// The id to present under. The same id again is the same presentation: an answer that was
    /// recorded for it is returned without asking anybody.
    public var id: PresentationID?
    /// How long to wait for an answer; nil: as long as the caller lives.
    public var deadline: Duration?
    /// The id of the option that is applied when no answer comes before the deadline; nil: what the
    /// error's report declares, and where that declares nothing, none. The outcome then says
    /// `answered` with an answer that came about by `expiry`.
    public var onExpiry: String?
    /// Told where the presentation stands, on every change. From any thread; must not wait.
    public var stateChanged: @Sendable (PresentationState) -> Void = { _ in }

    public init() {}
}

extension PresentationContext {
    init(_ options: PresentationOptions, retryOf: PresentationID? = nil, retryCount: Int = 0) {
        self.init(
            id: options.id ?? .make(), retryOf: retryOf, retryCount: retryCount,
            deadline: options.deadline.map { .now + $0 }, stateChanged: options.stateChanged)
        onExpiry = options.onExpiry
    }
}

extension Responder {
    /// Offers an error to this responder, as a new presentation with these options.
    public func presentError(
        _ error: any Error, options: PresentationOptions
    ) async -> Outcome {
        await begin(PresentationContext(options)) { await presentError(error) }
    }
}
