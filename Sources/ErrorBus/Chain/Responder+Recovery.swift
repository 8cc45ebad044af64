extension Responder {
    /// Does `operation`; when it throws, presents the error here; when that recovers, does the
    /// operation again, as `NSDocument` repeats its autosaving check until no error is signalled.
    /// Each repetition's error is a new presentation linked to the one before.
    ///
    /// There is no count of repetitions: whoever answers decides each one, and one option that
    /// recovers nothing (``RecoveryOption/cancel``) is the way out.
    ///
    /// - Throws: The operation's last error, when nothing recovered it, and without asking
    ///   anybody when the task is cancelled or the error is `CancellationError`.
    public func withRecovery<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Value
    ) async throws -> Value {
        var previous: PresentationID?
        var retryCount = 0
        while true {
            do {
                return try await operation()
            } catch {
                if error is CancellationError || Task.isCancelled { throw error }
                let context = PresentationContext(
                    id: .make(), retryOf: previous, retryCount: retryCount)
                let outcome = await begin(context) { await presentError(error) }
                guard outcome.didRecover, !Task.isCancelled else { throw error }
                previous = context.id
                retryCount += 1
            }
        }
    }
}
