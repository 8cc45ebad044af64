/// Waits for `operation` at most `limit` on `clock`; nil when that was not enough. The operation is
/// then cancelled, and not waited for.
func withPatience<Value: Sendable>(
    _ limit: Duration, on clock: any Clock<Duration>,
    _ operation: @escaping @Sendable () async throws -> Value
) async -> Value? {
    let first = Recorder<Value?>()
    let work = Task { first.record(try? await operation()) }
    let timer = Task {
        try? await clock.sleep(for: limit)
        if !Task.isCancelled { first.record(nil) }
    }
    defer {
        work.cancel()
        timer.cancel()
    }
    return (try? await first.next()) ?? nil
}
