extension Responder {
    /// Does `operation`; when it throws, presents the error here; when that recovers, does the
    /// operation again, as `NSDocument` repeats its autosaving check until no error is signalled.
    /// Each repetition's error is a new presentation linked to the one before.
    ///
    /// There is no count of repetitions: the answer decides each one, and one option that
    /// recovers nothing (``RecoveryOption/cancel``) is the way out.
    ///
    /// - Parameter options: For each presentation; an id counts for the first one only.
    /// - Throws: The operation's last error, when nothing recovered it, and without asking
    ///   anybody when the task is cancelled or the error is `CancellationError`.
    public func withRecovery<Value>(
        options: PresentationOptions = PresentationOptions(),
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Value
    ) async throws -> Value {
        var options = options
        var previous: PresentationID?
        var retryCount = 0
        while true {
            do {
                return try await operation()
            } catch {
                if error is CancellationError || Task.isCancelled { throw error }
                let context = PresentationContext(
                    options, retryOf: previous, retryCount: retryCount)
                options.id = nil
                let outcome = await begin(context) { await presentError(error) }
                guard outcome.didRecover, !Task.isCancelled else { throw error }
                previous = context.id
                retryCount += 1
            }
        }
    }
}
