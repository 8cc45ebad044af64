extension Responder {
    /// What the default `presentError` does, and how an override passes on what it does not deal
    /// with, the `super.presentError` of AppKit: this responder's `willPresentError`, then `next`.
    public func forwardError(_ error: any Error) async -> Outcome {
        await inPresentation { await forward(error, in: $0) }
    }

    /// Runs `body` in the presentation that is being handed to this responder, or in a new one
    /// when somebody presents here first.
    func inPresentation<Value>(
        _ body: (PresentationContext) async -> Value
    ) async -> Value {
        if let context = PresentationContext.current, context.receiver == ResponderIdentity(self) {
            return await body(context)
        }
        let context = RetryLineage.current.newContext()
        return await PresentationContext.$current.withValue(context) {
            // Consumed: what is presented from inside is no repetition of this.
            await RetryLineage.$current.withValue(RetryLineage()) { await body(context) }
        }
    }

    private func forward(_ error: any Error, in context: PresentationContext) async -> Outcome {
        var context = context
        context.receiver = nil
        context.trail.append(responderName)
        if let refusal = context.enter(self) { return refusal }
        let passedOn: any Error
        switch await ask(error, in: context) {
        case .withheld:
            return Outcome(didRecover: false, reason: .withheld, decidedBy: responderName)
        case .passOn(let changed):
            passedOn = changed
        }
        let outcome = await offerToNext(passedOn, in: context)
        if outcome.reason.meansNotPresented {
            await willNotPresentError(passedOn, reason: outcome.reason)
        }
        return outcome
    }

    private func ask(_ error: any Error, in context: PresentationContext) async -> Verdict {
        do {
            let changed = try await PresentationContext.$current.withValue(context) {
                try await willPresentError(error)
            }
            return changed.map(Verdict.passOn) ?? .withheld
        } catch let fault {
            // The fault must neither hold up nor replace the error that met it, and must not come
            // back here: it goes to whoever is next, on its own.
            if let next = await next { presentFault(fault, to: next) }
            return .passOn(error)
        }
    }

    private func offerToNext(_ error: any Error, in context: PresentationContext) async -> Outcome {
        if let next = await next { return await next.receive(error, in: context) }
        if UserCancellation.standard.matches(error) {
            return Outcome(didRecover: false, reason: .userCancelled, decidedBy: responderName)
        }
        switch await cutChainPolicy {
        case .drop:
            return Outcome(didRecover: false, reason: .detached, decidedBy: responderName)
        case .root(let responder), .presentLocally(let responder):
            return await responder.receive(error, in: context)
        }
    }

    /// Takes over an error that is handed up within `context`.
    func receive(_ error: any Error, in context: PresentationContext) async -> Outcome {
        await PresentationContext.$current.withValue(context.handed(to: self)) {
            await presentError(error)
        }
    }
}

private enum Verdict {
    case passOn(any Error)
    case withheld
}

extension PresentationContext {
    /// Notes that the error passes `responder`; a refusal when it was there before or the chain
    /// has no end.
    fileprivate mutating func enter(_ responder: any Responder) -> Outcome? {
        let name = responder.responderName
        if let object = ResponderIdentity(responder).object {
            if passed.contains(object) {
                return Outcome(
                    didRecover: false, reason: .cycle, decidedBy: name,
                    detail: "passed before: \(trail.joined(separator: " -> "))")
            }
            passed.append(object)
        }
        guard trail.count <= Self.responderCountMax else {
            return Outcome(
                didRecover: false, reason: .tooManyHops, decidedBy: name,
                detail: "more than \(Self.responderCountMax) responders in one process")
        }
        return nil
    }
}
