extension Responder {
    /// Does `operation`; when it throws, presents the error here; when that recovers, does the
    /// operation again. Each repetition's error is a new presentation linked to the one before.
    ///
    /// - Throws: The operation's last error when nothing recovered it. `CancellationError` when
    ///   the task is cancelled, without asking anybody.
    public func withRecovery<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Value
    ) async throws -> Value {
        var lineage = RetryLineage()
        while true {
            do {
                return try await operation()
            } catch {
                if error is CancellationError { throw error }
                let outcome = await RetryLineage.$current.withValue(lineage) {
                    await presentError(error)
                }
                guard outcome.didRecover, !Task.isCancelled else { throw error }
                lineage = RetryLineage(previous: outcome.presentation, count: lineage.count + 1)
            }
        }
    }
}
