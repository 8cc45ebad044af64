import Synchronization

/// Time limits that are at least a step long: one task waits for all of them.
///
/// Nearly every limit is withdrawn long before its time. A timer for each limit would stay in
/// memory for a step after that, and take two turns of a task.
final class TimeLimits<TimeSource: Clock<Duration>>: Sendable {
    /// The longest sleep of the task, and the shortest limit here.
    static var step: Duration { .seconds(5) }

    private struct Limit {
        let deadline: TimeSource.Instant
        let passed: @Sendable () -> Void
    }

    private struct State {
        var limits: [UInt64: Limit] = [:]
        var count: UInt64 = 0
        /// Whether the task runs; it ends when there is nothing to wait for.
        var isWatched = false
    }

    private let clock: TimeSource
    private let state = Mutex(State())

    init(_ clock: TimeSource) { self.clock = clock }

    /// The number of limits.
    var count: Int { state.withLock { $0.limits.count } }

    /// Calls `passed` once the limit has passed, unless it is withdrawn before.
    ///
    /// - Parameter limit: At least a step: the task may sleep so long already.
    /// - Returns: The number that withdraws the limit.
    func begin(_ limit: Duration, _ passed: @escaping @Sendable () -> Void) -> UInt64 {
        let deadline = clock.now.advanced(by: limit)
        let (number, isFirst) = state.withLock { state in
            state.count += 1
            state.limits[state.count] = Limit(deadline: deadline, passed: passed)
            defer { state.isWatched = true }
            return (state.count, !state.isWatched)
        }
        if isFirst { Task.detached { await self.watch() } }
        return number
    }

    func withdraw(_ number: UInt64) {
        state.withLock { _ = $0.limits.removeValue(forKey: number) }
    }

    private func watch() async {
        while let next = takePassed() {
            // Never cancelled: only this object has the task.
            try? await clock.sleep(until: next, tolerance: nil)
        }
    }

    /// Calls the closures of limits that have passed. Returns when to look again; nil if no limit
    /// is left.
    private func takePassed() -> TimeSource.Instant? {
        let now = clock.now
        let (passed, next) = state.withLock { state in
            let passed = state.limits.filter { $0.value.deadline <= now }
            for number in passed.keys { state.limits[number] = nil }
            let earliest = state.limits.values.lazy.map(\.deadline).min()
            state.isWatched = earliest != nil
            let next = earliest.map { min($0, now.advanced(by: Self.step)) }
            return (passed.values.map(\.passed), next)
        }
        for passed in passed { passed() }
        return next
    }
}
