import ErrorBus

/// What a chaos run is asked for.
struct ChaosSettings: Sendable {
    let topology: String
    let seed: UInt64
    /// How long faults and presentations go on.
    let duration: Duration
    let presentations: Int
    let faults: [ChaosFault]
    /// How long the bus may take to settle once everything is healed.
    let settleLimit: Duration
    let logLevel: String
}
