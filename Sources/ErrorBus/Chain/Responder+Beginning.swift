import Synchronization

// Where presentations begin.
extension Responder {
    /// Begins a presentation: offers an error to this responder. Returns when it is decided and any
    /// recovery has run; `didRecover` says whether to repeat what failed. Completes exactly once.
    ///
    /// - Parameters:
    ///   - options: What the caller says about it, beside the error.
    ///   - context: In a hook, an override or an attempt that a hook has added: the presentation
    ///     that this one begins inside of. It passes nothing on to this one but how deep it is, so
    ///     that an error which reports itself for ever ends with `tooManyHops`.
    public func presentError(
        _ error: any Error, options: PresentationOptions = PresentationOptions(),
        from context: PresentationContext? = nil
    ) async -> Outcome {
        await begin(error, in: PresentationContext(options, from: context))
    }

    /// Presents an error from code that is not async. The handler is called exactly once, never
    /// on the caller's stack (HRS calls it synchronously in some cases and never in others).
    /// Cancel the returned task to withdraw the error; the handler is then still called.
    @discardableResult
    public func presentError(
        _ error: any Error,
        completionHandler: @escaping @Sendable (_ didRecover: Bool) -> Void
    ) -> Task<Void, Never> {
        Task { completionHandler(await presentError(error).didRecover) }
    }

    /// Does `operation`; when it throws, presents the error here; when that recovers, does the
    /// operation again, as `NSDocument` repeats its autosaving check until no error is signalled.
    /// Each repetition's error is a new presentation linked to the one before.
    ///
    /// There is no count of repetitions: the answer decides each one, and one option that
    /// recovers nothing (``RecoveryOption/cancel``) is the way out.
    ///
    /// - Parameters:
    ///   - options: For each presentation; an id counts for the first one only.
    ///   - context: The presentation that they begin inside of, as for
    ///     ``presentError(_:options:from:)``.
    /// - Throws: The operation's last error, when nothing recovered it; without presenting it when
    ///   the task is cancelled or the error is `CancellationError`.
    public func withRecovery<Value>(
        options: PresentationOptions = PresentationOptions(),
        from context: PresentationContext? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Value
    ) async throws -> Value {
        var options = options
        var previous: PresentationContext?
        while true {
            do {
                return try await operation()
            } catch {
                if error is CancellationError || Task.isCancelled { throw error }
                let own = PresentationContext(options, from: context, repeating: previous)
                options.id = nil
                let outcome = await begin(error, in: own)
                guard outcome.didRecover, !Task.isCancelled else { throw error }
                previous = own
            }
        }
    }

    /// Begins the presentation `context` here.
    func begin(_ error: any Error, in context: PresentationContext) async -> Outcome {
        await begin(context) { await presentError(error, in: context) }
    }

    /// Begins the presentation `context` here, with what `body` does about it.
    func begin(_ context: PresentationContext, _ body: () async -> Outcome) async -> Outcome {
        var outcome: Outcome
        if context.nestingCount > PresentationContext.nestingCountMax {
            outcome = Outcome(
                didRecover: false, reason: .tooManyHops, decidedBy: responderName,
                detail: "more than \(PresentationContext.nestingCountMax) presentations, "
                    + "each inside the one before")
        } else if PresentationsBegun.enter(self) {
            outcome = await body()
            PresentationsBegun.leave(self)
        } else {
            outcome = Outcome(
                didRecover: false, reason: .busy, decidedBy: responderName,
                detail: PresentationsBegun.refusal(by: self))
        }
        outcome.presentation = context.id
        return outcome
    }

    /// Presents a responder's own fault to the responder after it. No caller waits for the outcome:
    /// there is nothing to repeat. Where the chain is cut and errors drop, so does this one.
    func presentFault(_ fault: any Error, from context: PresentationContext) async {
        guard let successor = await successor else { return }
        Task { await successor.presentError(fault, from: context) }
    }
}

/// The presentations under way that this process began, counted by the type of responder that they
/// began at. Where a hook presents its own error again without saying from which context, nothing
/// else tells that each of them is inside the one before.
enum PresentationsBegun {
    /// More than this at one type is taken for an error that reports itself for ever. As many as a
    /// node takes from all of its children; a parent takes far fewer from one.
    static let countMax = 16_384

    private static let counts = Mutex<[ObjectIdentifier: Int]>([:])

    /// Counts one more at `responder`; false when there are too many.
    static func enter(_ responder: some Responder) -> Bool {
        counts.withLock { counts in
            let key = ObjectIdentifier(type(of: responder))
            let count = counts[key, default: 0]
            guard count < countMax else { return false }
            counts[key] = count + 1
            return true
        }
    }

    /// One that was counted at `responder` has ended.
    static func leave(_ responder: some Responder) {
        counts.withLock { counts in
            let key = ObjectIdentifier(type(of: responder))
            let rest = (counts[key] ?? 1) - 1
            counts[key] = rest > 0 ? rest : nil
        }
    }

    static func refusal(by responder: some Responder) -> String {
        "\(countMax) presentations that began at \(type(of: responder)) are under way, the most "
            + "that may be. If it presents errors from its own hooks, let them say from which "
            + "context: presentError(error, from: context), or forwardError(error, in: context)"
    }
}
