import ErrorBus

/// The known facts about an identity provider, and the time of the next request. Does no I/O.
struct ProviderMemory: Sendable {
    /// The time that a fact of the provider holds.
    static let age = Duration.seconds(3_600)
    /// The least age of the keys at which they are read again for a key that is not among them.
    static let keysAge = Duration.seconds(60)
    /// The pause after a failure before the next request.
    static let pause = Duration.seconds(5)

    var document = Part<ProviderDocument>()
    var keys = Part<ProviderKeys>()

    /// The way to a part that is needed.
    enum Need<Value> {
        case have(Value)
        case ask
        case refuse(SignInRefusal)
    }

    struct Part<Value: Sendable>: Sendable {
        /// The latest value, however old.
        private(set) var value: Value?
        private var readAt: ContinuousClock.Instant?
        private var failure: (refusal: SignInRefusal, at: ContinuousClock.Instant)?

        func need(within age: Duration, at now: ContinuousClock.Instant) -> Need<Value> {
            if let value, let readAt, now - readAt < age { return .have(value) }
            if let failure, now - failure.at < ProviderMemory.pause {
                return .refuse(failure.refusal)
            }
            return .ask
        }

        mutating func read(_ value: Value, at now: ContinuousClock.Instant) {
            (self.value, readAt, failure) = (value, now, nil)
        }

        mutating func failed(_ refusal: SignInRefusal, at now: ContinuousClock.Instant) {
            failure = (refusal, now)
        }
    }
}
