import Synchronization

/// A value that any number of tasks may offer; the first offer decides it.
final class FirstValue<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case awaited(CheckedContinuation<Value, Never>)
        case decided(Value)
    }

    private let state = Mutex(State.empty)

    /// Offers a value; returns whether it was the first.
    @discardableResult
    func offer(_ value: Value) -> Bool {
        let (isFirst, continuation) = state.withLock { state in
            switch state {
            case .empty:
                state = .decided(value)
                return (true, CheckedContinuation<Value, Never>?.none)
            case .awaited(let continuation):
                state = .decided(value)
                return (true, continuation)
            case .decided:
                return (false, nil)
            }
        }
        continuation?.resume(returning: value)
        return isFirst
    }

    /// The value, once there is one. Only one task may wait for it.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let decided: Value? = state.withLock { state in
                    switch state {
                    case .empty:
                        state = .awaited(continuation)
                        return nil
                    case .awaited:
                        preconditionFailure("a second waiter for one value")
                    case .decided(let value):
                        return value
                    }
                }
                if let decided { continuation.resume(returning: decided) }
            }
        }
    }
}

extension Clock where Duration == Swift.Duration {
    /// Sleeps in steps of at most five seconds. A cancelled sleep stays in memory until its time
    /// has come, and nearly every limit here is cancelled: sleeps of ten minutes would add up.
    /// TidyTests lists the sleeps that may be longer.
    package func sleepInSteps(for limit: Duration) async throws {
        try await sleepInSteps(until: now.advanced(by: limit))
    }

    package func sleepInSteps(until deadline: Instant) async throws {
        while now < deadline {
            try await sleep(until: min(deadline, now.advanced(by: .seconds(5))), tolerance: nil)
        }
    }
}

/// Runs `operation` and returns its value, or nil once `limit` has passed.
///
/// At the limit the operation is cancelled, and the caller does not wait for its end: a recovery
/// attempt that ignores cancellation must not delay the hops that wait for its result. Hence the
/// two unstructured tasks: a task group would wait for both. Cancelling the caller cancels the
/// operation, which then ends within the limit. A value returned after the limit is dropped.
package func withTimeLimit<Value: Sendable>(
    _ limit: Duration, clock: any Clock<Duration>,
    operation: @escaping @Sendable () async -> Value
) async -> Value? {
    let first = FirstValue<Value?>()
    let work = Task { first.offer(await operation()) }
    let timer = Timer(limit, clock) { first.offer(nil) }
    let value = await withTaskCancellationHandler {
        await first.value
    } onCancel: {
        work.cancel()
    }
    timer.stop()
    if value == nil { work.cancel() }
    return value
}

/// The limits of this process by the continuous clock.
private let timeLimits = Mutex(TimeLimits(ContinuousClock()))

/// Leaves the time limits of this process as they are, and begins new ones. For a simulation that
/// runs one world after another: the tasks of the earlier world never run again.
package func beginTimeLimitsAnew() {
    timeLimits.withLock { $0 = TimeLimits(ContinuousClock()) }
}

/// The end of a time limit.
private enum Timer {
    case shared(UInt64, of: TimeLimits<ContinuousClock>)
    case own(Task<Void, Never>)

    init(
        _ limit: Duration, _ clock: any Clock<Duration>, _ passed: @escaping @Sendable () -> Void
    ) {
        if limit >= TimeLimits<ContinuousClock>.step, clock is ContinuousClock {
            let limits = timeLimits.withLock { $0 }
            self = .shared(limits.begin(limit, passed), of: limits)
        } else {
            self = .own(
                Task {
                    try? await clock.sleepInSteps(for: limit)
                    if !Task.isCancelled { passed() }
                })
        }
    }

    func stop() {
        switch self {
        case .shared(let number, let limits): limits.withdraw(number)
        case .own(let task): task.cancel()
        }
    }
}
