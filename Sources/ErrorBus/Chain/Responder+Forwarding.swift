extension Responder {
    /// What the default `presentError` does, and how an override passes on what it does not deal
    /// with, the `super.presentError` of AppKit: this responder's `willPresentError`, then `next`.
    ///
    /// Called from an override of ``presentError(_:)`` it continues the presentation under way.
    /// A second call from the same override, or one from anywhere else, is a new presentation.
    public func forwardError(_ error: any Error) async -> Outcome {
        await inPresentation { context in
            await forward(error, in: context) { await offerToNext($0, in: $1) }
        }
    }

    /// Lets the error pass this responder's hooks, then gives it to `offer`, which is where
    /// responders differ: most offer it to `next`, some ask a presenter first.
    func forward(
        _ error: any Error, in context: PresentationContext,
        offer: (any Error, PresentationContext) async -> Outcome
    ) async -> Outcome {
        var context = context
        context.handover = nil
        if let refusal = context.enter(self) { return refusal }
        let verdict =
            Task.isCancelled ? HookVerdict.withdrawn : await askHook(error, in: context)
        let passedOn: any Error
        switch verdict {
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
            await PresentationContext.$current.withValue(context) {
                await willNotPresentError(passedOn, reason: outcome.reason)
            }
        }
        return outcome
    }

    private func askHook(
        _ error: any Error, in context: PresentationContext
    ) async -> HookVerdict {
        do {
            // Without a handover: what a hook presents is a presentation of its own.
            let changed = try await PresentationContext.$current.withValue(context) {
                try await willPresentError(error)
            }
            return changed.map(HookVerdict.passOn) ?? .withheld
        } catch is CancellationError where Task.isCancelled {
            return .withdrawn
        } catch let fault {
            // The fault must neither hold up nor replace the error that met it, and must not come
            // back here: it goes to the next responder, on its own.
            await presentFault(fault)
            return .unchanged
        }
    }

    /// Hands the error to `next`, or does what the policy for a cut chain says.
    ///
    /// At the end of the chain an error that says "user cancelled" is not worth a presenter
    /// (AppKit's `NSApplication` shows nothing and reports no recovery).
    func offerToNext(_ error: any Error, in context: PresentationContext) async -> Outcome {
        if let next = await next { return await next.receive(error, in: context) }
        if UserCancellation.standard.matches(error) {
            return Outcome(
                didRecover: false, reason: .userCancelled,
                decidedBy: context.userCancelledBy ?? responderName)
        }
        switch await cutChainPolicy {
        case .drop:
            return Outcome(didRecover: false, reason: .detached, decidedBy: responderName)
        case .root(let root):
            return await root.receive(error, in: context.noting("cut, to root"))
        case .presentLocally(let local):
            return await local.receive(error, in: context.noting("cut, presented locally"))
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
