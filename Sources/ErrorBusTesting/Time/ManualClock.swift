import Synchronization

/// A clock that a test moves by hand, so that limits of minutes are tested in microseconds and
/// never depend on chance.
///
/// ```swift
/// let clock = ManualClock()
/// async let outcome = responder.presentError(error)   // its attempt has a limit on this clock
/// _ = try await clock.nextSleep()                      // the timer is running
/// clock.advance(by: .seconds(600))                     // and is over
/// ```
public final class ManualClock: Clock, Sendable {
    /// A point in time, as the duration since the clock's start.
    public struct Instant: InstantProtocol {
        public let offset: Duration

        public init(offset: Duration) { self.offset = offset }

        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
    }

    private typealias Sleeper = CheckedContinuation<Void, any Error>

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [UInt64: (deadline: Instant, sleeper: Sleeper)] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())
    private let sleeps = Recorder<Duration>()

    public init() {}

    public var now: Instant { state.withLock { $0.now } }
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// How many tasks sleep on it: zero at the end of a test means that no timer is left.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The duration of the next sleep that no earlier call returned; waits for it.
    ///
    /// - Throws: `CancellationError` when the waiting task is cancelled.
    public func nextSleep() async throws -> Duration { try await sleeps.next() }

    /// Moves the time, never backwards, and wakes the sleepers that are due, the earliest first.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "a clock does not go backwards: \(duration)")
        let woken = state.withLock { state in
            let now = state.now.advanced(by: duration)
            state.now = now
            let due = state.sleepers.filter { $0.value.deadline <= now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        }
        for entry in woken { entry.value.sleeper.resume() }
    }

    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { sleep(id, until: deadline, $0) }
        } onCancel: {
            let entry = state.withLock { $0.sleepers.removeValue(forKey: id) }
            entry?.sleeper.resume(throwing: CancellationError())
        }
    }

    private func sleep(_ id: UInt64, until deadline: Instant, _ sleeper: Sleeper) {
        let (result, left) = state.withLock { state -> (Result<Void, any Error>?, Duration) in
            let left = state.now.duration(to: deadline)
            // Cancelled before it slept: the handler found no sleeper to wake.
            if Task.isCancelled { return (.failure(CancellationError()), left) }
            if left <= .zero { return (.success(()), left) }
            state.sleepers[id] = (deadline, sleeper)
            return (nil, left)
        }
        if let result { sleeper.resume(with: result) } else { sleeps.record(left) }
    }
}
