package import Foundation

/// The clocks and the randomness of rules, replaceable in tests. By default they are those of the
/// process.
package struct RuleTiming: Sendable {
    /// The clock of limits and delays.
    package var now: @Sendable () -> ContinuousClock.Instant
    /// The clock of schedules: office hours follow the wall clock, even when it is set.
    package var date: @Sendable () -> Date
    /// A wait of up to two hours; throws when the task is cancelled, as with each presentation that
    /// is withdrawn before its answer.
    package var wait: @Sendable (Duration) async throws -> Void
    /// A random part of a duration.
    package var part: @Sendable (Duration) -> Duration

    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock().now },
        date: @escaping @Sendable () -> Date = { Date() },
        wait: @escaping @Sendable (Duration) async throws -> Void = {
            try await ContinuousClock().sleepInSteps(for: $0)
        },
        part: @escaping @Sendable (Duration) -> Duration = { $0 * Double.random(in: 0...1) }
    ) {
        self.now = now
        self.date = date
        self.wait = wait
        self.part = part
    }
}
