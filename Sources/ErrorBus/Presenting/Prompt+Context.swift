extension Prompt {
    convenience init(_ error: any Error, in context: PresentationContext) {
        let origin = PresentedOrigin.current
        var report = ErrorReport(describing: error)
        report.onExpiry = context.onExpiry ?? report.onExpiry
        report.retryOf = report.retryOf ?? context.retryOf
        self.init(
            id: context.id, report: report, origin: origin?.origin, path: origin?.path ?? [],
            // From another process it comes in the report.
            retryCount: max(context.retryCount, report.retryCount),
            wasShownBefore: context.wasShownBefore,
            contact: origin == nil ? nil : OriginContact.current, deadline: context.deadline,
            stateChanged: context.stateChanged)
    }
}
