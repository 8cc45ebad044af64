import Synchronization

// Where presentations begin.
extension Responder {
    /// Begins a presentation of an error at this responder. Returns after the answer and its
    /// recovery attempt; `didRecover` says whether to repeat the failed operation. Completes
    /// exactly once.
    ///
    /// - Parameters:
    ///   - options: The caller's settings for this presentation.
    ///   - context: The presentation inside which this one begins, for a call from a hook, an
    ///     override or an attempt of an option that a hook added. It ends an error that presents
    ///     itself endlessly, with `tooManyHops`, and an error under the same id, with `cycle`; and
    ///     this error waits for none that waits for it.
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

    /// Runs `operation`. If it throws, presents the error here; if an answer recovers, runs the
    /// operation again, as `NSDocument` repeats its autosaving check until no error is signalled.
    /// Each repetition's error is a new presentation linked to the one before.
    ///
    /// The number of repetitions has no limit: each one follows an answer. An option that does not
    /// recover (``RecoveryOption/cancel``) ends them.
    ///
    /// - Parameters:
    ///   - options: Settings for each presentation; an id applies to the first one only.
    ///   - context: The presentation inside which these presentations begin, as for
    ///     ``presentError(_:options:from:)``.
    ///   - isolation: The actor that runs the operation; the caller's by default.
    ///   - operation: The work, which runs again only after its error was recovered from.
    /// - Returns: The result of the operation.
    /// - Throws: The operation's last error when nothing recovered it. A `CancellationError`, and
    ///   any error of a cancelled task, is thrown without being presented.
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

    /// Begins the presentation of `context` at this responder.
    func begin(_ error: any Error, in context: PresentationContext) async -> Outcome {
        await begin(context) { await presentError(error, in: context) }
    }

    /// Begins the presentation of `context` at this responder, with `body` in place of
    /// `presentError`.
    func begin(_ context: PresentationContext, _ body: () async -> Outcome) async -> Outcome {
        var outcome: Outcome
        if context.nestingCount > PresentationContext.nestingCountMax {
            outcome = Outcome(
                didRecover: false, reason: .tooManyHops, decidedBy: responderName,
                detail: "more than \(PresentationContext.nestingCountMax) presentations, "
                    + "each inside the one before")
        } else if context.isInsideItself {
            outcome = Outcome(
                didRecover: false, reason: .cycle, decidedBy: responderName,
                detail: "presentation \(context.id) is under way and waits for this error; "
                    + "present it under another id")
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

    /// Presents a responder's own fault to the next responder. No caller waits for the outcome. A
    /// cut chain that drops errors drops the fault too.
    func presentFault(_ fault: any Error, from context: PresentationContext) async {
        guard let successor = await successor else { return }
        Task { await successor.presentError(fault, from: context) }
    }
}

/// The number of presentations that began in this process and are under way, by type of responder.
/// It detects a hook that presents its own error again without naming its context.
enum PresentationsBegun {
    /// The highest count at one type of responder; above it an error counts as presenting itself
    /// endlessly. Equal to the limit that a node has by default for all of its children; a parent's
    /// limit for one child is far lower.
    static let countMax = 16_384

    private static let counts = Mutex<[ObjectIdentifier: Int]>([:])

    /// Counts a presentation at `responder`; false when the limit is reached.
    static func enter(_ responder: some Responder) -> Bool {
        counts.withLock { counts in
            let key = ObjectIdentifier(type(of: responder))
            let count = counts[key, default: 0]
            guard count < countMax else { return false }
            counts[key] = count + 1
            return true
        }
    }

    /// Counts the end of a presentation at `responder`.
    static func leave(_ responder: some Responder) {
        counts.withLock { counts in
            let key = ObjectIdentifier(type(of: responder))
            let rest = (counts[key] ?? 1) - 1
            counts[key] = rest > 0 ? rest : nil
        }
    }

    static func refusal(by responder: some Responder) -> String {
        "\(countMax) presentations that began at \(type(of: responder)) are under way, "
            + "the limit. If its hooks present errors, pass the context: "
            + "presentError(error, from: context), or forwardError(error, in: context)"
    }
}
