// How a presentation goes on from responder to responder.
extension Responder {
    /// Passes on an error that this responder does not deal with, the `super.presentError` of
    /// AppKit: asks ``willPresentError(_:in:)``, then ``next``. What ``presentError(_:in:)`` does
    /// unless it is overridden.
    ///
    /// A context carries its presentation on once. An error that is forwarded with it a second time
    /// is another presentation, a repetition: its id is its own, `retryOf` names the first, and
    /// the deadline is the same.
    public func forwardError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        await forward(error, in: context) { await offerToNext($0, in: $1) }
    }

    /// Lets the error pass this responder's hook, then gives it to `offer`, which is where
    /// responders differ: most offer it to `next`, some ask a presenter first.
    func forward(
        _ error: any Error, in context: PresentationContext,
        offer: (any Error, PresentationContext) async -> Outcome
    ) async -> Outcome {
        await forward(
            error, in: context, hook: { try await willPresentError($0, in: $1) }, offer: offer)
    }

    /// As above, with another hook than `willPresentError`.
    func forward(
        _ error: any Error, in context: PresentationContext,
        hook: (any Error, PresentationContext) async throws -> (any Error)?,
        offer: (any Error, PresentationContext) async -> Outcome
    ) async -> Outcome {
        await carryOn(context) { context in
            var context = context
            if let refusal = context.enter(self) { return refusal }
            let passedOn: any Error
            switch await ask(hook, error, in: context) {
            case .withheld:
                return Outcome(didRecover: false, reason: .withheld, decidedBy: responderName)
            case .withdrawn:
                return Outcome(didRecover: false, reason: .withdrawn, decidedBy: responderName)
            case .unchanged:
                passedOn = error
                context = context.noting("willPresentError threw")
            case .passOn(let changed):
                passedOn = changed
                context.noteUserCancellation(by: responderName, from: error, to: changed)
            }
            let outcome = await offer(passedOn, context)
            if outcome.reason.meansNotPresented {
                await willNotPresentError(
                    passedOn, reason: outcome.reason, in: context.withoutTurn)
            }
            return outcome
        }
    }

    /// Runs `body` in the presentation of `context`, once for each handing over. The second time it
    /// is a presentation of its own.
    func carryOn(
        _ context: PresentationContext, _ body: (PresentationContext) async -> Outcome
    ) async -> Outcome {
        guard let context = context.takingTurn() else {
            let own = context.again()
            return await begin(own) { await body(own) }
        }
        var outcome = await body(context)
        outcome.presentation = context.id
        return outcome
    }

    private func ask(
        _ hook: (any Error, PresentationContext) async throws -> (any Error)?,
        _ error: any Error, in context: PresentationContext
    ) async -> HookVerdict {
        guard !Task.isCancelled else { return .withdrawn }
        do {
            let changed = try await hook(error, context.withoutTurn)
            return changed.map(HookVerdict.passOn) ?? .withheld
        } catch is CancellationError where Task.isCancelled {
            return .withdrawn
        } catch let fault {
            // The fault must neither hold up nor replace the error that met it, and must not come
            // back here: it goes to the next responder, on its own.
            await presentFault(fault, from: context)
            return .unchanged
        }
    }

    /// Hands the error to `next`, or does what the policy for a cut chain says.
    ///
    /// At the end of the chain an error that says "user cancelled" is not worth a presenter
    /// (AppKit's `NSApplication` shows nothing and reports no recovery).
    func offerToNext(_ error: any Error, in context: PresentationContext) async -> Outcome {
        if let next = await next { return await next.presentError(error, in: context) }
        if UserCancellation.standard.matches(error) {
            return Outcome(
                didRecover: false, reason: .userCancelled,
                decidedBy: context.userCancelledBy ?? responderName)
        }
        switch await cutChainPolicy {
        case .drop:
            return Outcome(didRecover: false, reason: .detached, decidedBy: responderName)
        case .root(let root):
            return await root.presentError(error, in: context.noting("cut, to root"))
        case .presentLocally(let local):
            return await local.presentError(error, in: context.noting("cut, presented locally"))
        }
    }

    /// Whom an error goes to after this responder; nil where the chain is cut and errors drop.
    var successor: (any Responder)? {
        get async {
            if let next = await next { return next }
            return switch await cutChainPolicy {
            case .drop: nil
            case .root(let responder), .presentLocally(let responder): responder
            }
        }
    }
}

/// What a responder's hook came to.
private enum HookVerdict {
    case passOn(any Error)
    case withheld
    /// The caller gave up while or before the hook ran.
    case withdrawn
    /// The hook failed: the error goes on as it was.
    case unchanged
}

extension PresentationContext {
    /// Remembers who turned an error into "user cancelled", so that the outcome can name it.
    fileprivate mutating func noteUserCancellation(
        by name: String, from before: any Error, to after: any Error
    ) {
        guard UserCancellation.standard.matches(after) else { return userCancelledBy = nil }
        if !UserCancellation.standard.matches(before) { userCancelledBy = name }
    }
}
