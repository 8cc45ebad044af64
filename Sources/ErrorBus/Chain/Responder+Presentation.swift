extension Responder {
    /// Runs `body` in the presentation that is being handed to this responder, or in a new one
    /// when another presents here first. Inside, ``forwardError(_:)`` belongs to it once.
    func inPresentation(_ body: (PresentationContext) async -> Outcome) async -> Outcome {
        guard let context = PresentationContext.current,
            context.handover?.take(by: self) == true
        else {
            let context = PresentationContext(id: .make())
            return await begin(context) { await body(context) }
        }
        return await PresentationContext.$current.withValue(context.handed(to: self)) {
            await body(context)
        }
    }

    /// Begins the presentation `context` here.
    func begin(_ context: PresentationContext, _ body: () async -> Outcome) async -> Outcome {
        let nestingCount = PresentationContext.nestingCount + 1
        guard nestingCount <= PresentationContext.nestingCountMax else {
            var refusal = Outcome(
                didRecover: false, reason: .tooManyHops, decidedBy: responderName,
                detail: "more than \(PresentationContext.nestingCountMax) presentations, "
                    + "each inside the one before")
            refusal.presentation = context.id
            return refusal
        }
        var outcome = await PresentationContext.$nestingCount.withValue(nestingCount) {
            await PresentedOrigin.$current.withValue(nil) {
                await PresentationContext.$current.withValue(context.handed(to: self)) {
                    await body()
                }
            }
        }
        outcome.presentation = context.id
        return outcome
    }

    /// Takes over an error that is handed up within `context`.
    func receive(_ error: any Error, in context: PresentationContext) async -> Outcome {
        await PresentationContext.$current.withValue(context.handed(to: self)) {
            await presentError(error)
        }
    }
}
