/// What is put into an inbox.
public struct InboxQuestion: Hashable, Sendable {
    public var id: PresentationID
    public var report: ErrorReport
    public var origin: NodeName?
    public var path: [NodeName] = []
    public var retryCount = 0
    public var wasShownBefore = false
    public var deadline: ContinuousClock.Instant?

    public init(id: PresentationID, report: ErrorReport, origin: NodeName? = nil) {
        self.id = id
        self.report = report
        self.origin = origin
    }

    init(_ prompt: Prompt) {
        self.init(id: prompt.id, report: prompt.report, origin: prompt.origin)
        path = prompt.path
        retryCount = prompt.retryCount
        wasShownBefore = prompt.wasShownBefore
        deadline = prompt.deadline
    }
}
