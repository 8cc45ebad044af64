import ErrorBus

/// What is known of an identity provider, and when it may be asked again. Does no I/O.
struct ProviderMemory: Sendable {
    /// How long what it says holds.
    static let age = Duration.seconds(3_600)
    /// How old its keys are at least when they are read again for one that is not among them.
    static let keysAge = Duration.seconds(60)
    /// After a failure it is asked no sooner.
    static let pause = Duration.seconds(5)

    var document = Part<ProviderDocument>()
    var keys = Part<ProviderKeys>()

    /// What to do for a part that is needed.
    enum Need<Value> {
        case have(Value)
        case ask
        case refuse(SignInRefusal)
    }

    struct Part<Value: Sendable>: Sendable {
        /// The latest one, however old.
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
