// How a presentation goes on from responder to responder.
extension Responder {
    /// Passes on an error that this responder does not handle, the `super.presentError` of AppKit:
    /// calls ``willPresentError(_:in:)``, then offers the error to ``next``. The default
    /// implementation of ``presentError(_:in:)``.
    ///
    /// A context passes its presentation on once. An error forwarded a second time with it is a new
    /// presentation: it has its own id, `retryOf` names the first, and the deadline is the same.
    public func forwardError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        await forward(error, in: context) { await offerToNext($0, in: $1) }
    }

    /// Runs this responder's hook on the error, then gives the error to `offer`: most responders
    /// offer it to `next`, some ask a presenter first.
    func forward(
        _ error: any Error, in context: PresentationContext,
        offer: (any Error, PresentationContext) async -> Outcome
    ) async -> Outcome {
        await forward(
            error, in: context, hook: { try await willPresentError($0, in: $1) }, offer: offer)
    }

    /// Runs another hook in place of `willPresentError`, then gives the error to `offer`.
    func forward(
        _ error: any Error, in context: PresentationContext,
        hook: (any Error, PresentationContext) async throws -> (any Error)?,
        offer: (any Error, PresentationContext) async -> Outcome
    ) async -> Outcome {
        await carryOn(context) { context in
            switch await pass(error, in: context, hook: hook) {
            case .ended(let outcome): return outcome
            case .offered(let passedOn, let context):
                let outcome = await offer(passedOn, context)
                if outcome.reason.meansNotPresented {
                    await willNotPresentError(
                        passedOn, reason: outcome.reason, in: context.withoutTurn)
                }
                return outcome
            }
        }
    }

    /// Has the error pass this responder and its hook. Not inlined: the call that waits for the end
    /// of the presentation would keep all of this.
    @inline(never)
    private func pass(
        _ error: any Error, in context: PresentationContext,
        hook: (any Error, PresentationContext) async throws -> (any Error)?
    ) async -> Passage {
        var context = context
        if let refusal = context.enter(self) { return .ended(refusal) }
        switch await ask(hook, error, in: context) {
        case .withheld:
            return .ended(Outcome(didRecover: false, reason: .withheld, decidedBy: responderName))
        case .withdrawn:
            return .ended(Outcome(didRecover: false, reason: .withdrawn, decidedBy: responderName))
        case .unchanged:
            return .offered(error, context.noting("willPresentError threw"))
        case .passOn(let changed):
            context.noteUserCancellation(by: responderName, from: error, to: changed)
            return .offered(changed, context)
        }
    }

    /// Runs `body` in the presentation of `context`, or in a new presentation if `context` was used
    /// before.
    func carryOn(
        _ context: PresentationContext, _ body: (PresentationContext) async -> Outcome
    ) async -> Outcome {
        guard let context = context.takingTurn() else { return await carryAgain(context, body) }
        var outcome = await body(context)
        outcome.presentation = context.id
        return outcome
    }

    /// The rare case of ``carryOn(_:_:)``, not inlined there.
    @inline(never)
    private func carryAgain(
        _ context: PresentationContext, _ body: (PresentationContext) async -> Outcome
    ) async -> Outcome {
        let own = context.again()
        return await begin(own) { await body(own) }
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
            // The fault must not delay, replace or meet the error again: it goes to the next
            // responder on its own.
            await presentFault(fault, from: context)
            return .unchanged
        }
    }

    /// Offers the error to `next`, or follows the cut-chain policy.
    ///
    /// A user cancellation that reaches the end of the chain is not shown: AppKit's `NSApplication`
    /// shows nothing and reports no recovery.
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

    /// The responder after this one; nil if the chain is cut and errors are dropped.
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

/// How a presentation goes on from a responder that it passes.
private enum Passage {
    case offered(any Error, PresentationContext)
    case ended(Outcome)
}

/// The verdict of a responder's hook.
private enum HookVerdict {
    case passOn(any Error)
    case withheld
    /// The task was cancelled before or while the hook ran.
    case withdrawn
    /// The hook threw: the error goes on unchanged.
    case unchanged
}

extension PresentationContext {
    /// Records which responder turned an error into a user cancellation, for the outcome.
    fileprivate mutating func noteUserCancellation(
        by name: String, from before: any Error, to after: any Error
    ) {
        guard UserCancellation.standard.matches(after) else { return userCancelledBy = nil }
        if !UserCancellation.standard.matches(before) { userCancelledBy = name }
    }
}
