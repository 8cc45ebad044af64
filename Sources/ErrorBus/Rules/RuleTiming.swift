public import Foundation

/// The clocks and the chance that rules go by, so that a test can have its own.
public struct RuleTiming: Sendable {
    /// What limits and delays are counted by.
    public var now: @Sendable () -> ContinuousClock.Instant
    /// What schedules are compared with: office hours follow the clock on the wall, also when it
    /// is set.
    public var date: @Sendable () -> Date
    /// Waits; throws when the task is cancelled.
    public var wait: @Sendable (Duration) async throws -> Void
    /// A part of that duration, at random.
    public var part: @Sendable (Duration) -> Duration

    public init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock().now },
        date: @escaping @Sendable () -> Date = { Date() },
        wait: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        },
        part: @escaping @Sendable (Duration) -> Duration = { $0 * Double.random(in: 0...1) }
    ) {
        self.now = now
        self.date = date
        self.wait = wait
        self.part = part
    }
}
