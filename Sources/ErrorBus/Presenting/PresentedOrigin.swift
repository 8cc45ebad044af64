/// Where a presentation came from, for prompts: set by the node that received it.
public struct PresentedOrigin: Sendable {
    @TaskLocal static var current: PresentedOrigin?

    public let origin: NodeName
    /// The nodes it came through, origin first.
    public let path: [NodeName]
}

extension Prompt {
    convenience init(_ error: any Error, in context: PresentationContext) {
        let origin = PresentedOrigin.current
        var report = ErrorReport(describing: error)
        report.retryOf = report.retryOf ?? context.retryOf
        self.init(
            id: context.id, report: report, origin: origin?.origin, path: origin?.path ?? [],
            retryCount: context.retryCount, deadline: context.deadline,
            stateChanged: context.stateChanged)
    }
}
