import ErrorBus

/// What a soak is asked for, and its fixed times.
struct SoakSettings: Sendable {
    /// From starting the processes to the first presentation.
    static let lead: Duration = .seconds(10)
    /// The same load as later, for long enough that what grows to a bound has reached it.
    static let warmUp: Duration = .seconds(60)
    /// After it, until the measure is taken that the end is compared with.
    static let pause: Duration = .seconds(35)
    /// From one cut of a link to the next.
    static let cutEvery: Duration = .seconds(15)
    static let cutLength: Duration = .seconds(2)
    /// How long the bus may take to settle and forget after the load.
    static let settleLimit: Duration = .seconds(120)
    /// Results are remembered for this long: the usual ten minutes would outlast a short load. Much
    /// longer than a link is cut, as in earnest: a child that has forgotten what it reported while
    /// the link was gone would be sent its answer again for minutes.
    static let tombstoneMilliseconds = 20_000

    let topology: String
    let minutes: Int
    /// Presentations a second, of all workers together.
    let rate: Int
    let seed: UInt64

    var load: Duration { .seconds(minutes * 60) }

    func presentations(in time: Duration) -> Int { Int(time.components.seconds) * rate }
}
