/// Runs `operation` and returns what it returns, or nil once `limit` has passed.
///
/// The operation is cancelled at the limit but not waited for: a recovery that ignores
/// cancellation must not hold up the hops that wait for its result. That is why the two tasks
/// here are unstructured: a task group would wait for both. Cancelling the caller cancels the
/// operation, which then ends in its own way, within the limit. What an operation returns after
/// its limit is dropped.
func withTimeLimit<Value: Sendable>(
    _ limit: Duration, clock: any Clock<Duration>,
    operation: @escaping @Sendable () async -> Value
) async -> Value? {
    let first = FirstValue<Value?>()
    let work = Task { first.offer(await operation()) }
    let timer = Task {
        try? await clock.sleepInSteps(for: limit)
        if !Task.isCancelled { first.offer(nil) }
    }
    let value = await withTaskCancellationHandler {
        await first.value
    } onCancel: {
        work.cancel()
    }
    timer.cancel()
    if value == nil { work.cancel() }
    return value
}
