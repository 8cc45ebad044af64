/// One presentation on its way: its id and what it passed. Travels beside the error as a task
/// local, so that a responder may replace the error by any other and it is still the same asking.
public struct PresentationContext: Sendable {
    /// More responders than this in one process is taken for a chain without end.
    static let responderCountMax = 64
    /// More presentations than this, each begun inside the one before (by a hook, by a recovery
    /// attempt), is taken for an error that reports itself for ever.
    static let nestingCountMax = 16

    /// The presentation under way in this task, inside a responder's hooks; nil elsewhere.
    @TaskLocal public static var current: PresentationContext?
    /// How many presentations this task is inside of.
    @TaskLocal static var nestingCount = 0

    /// The id under which it travels.
    public let id: PresentationID
    /// The earlier presentation of the same operation, whose recovery was not the end of it.
    public let retryOf: PresentationID?
    /// How many presentations of the same operation came before.
    public let retryCount: Int
    /// Until when the caller waits; nil: as long as the caller lives.
    public internal(set) var deadline: ContinuousClock.Instant?
    /// The option that the caller declared for the case that no answer comes before then.
    var onExpiry: String?
    /// The names of the responders passed, first to last: what an audit shows. A responder where
    /// something out of the ordinary happened carries a note, as in `"importer (cut, to root)"`.
    public internal(set) var trail: [String] = []
    /// Told where the presentation stands, on every change.
    let stateChanged: @Sendable (PresentationState) -> Void

    /// An earlier life of the presenter showed it already.
    var wasShownBefore = false
    /// Set while the error is being handed to a responder, until its hooks run.
    var handover: Handover?
    /// The responder that turned the error into "user cancelled" on the way; nil when it began so.
    var userCancelledBy: String?
    /// Reference-type responders passed, to notice a chain that runs in a circle.
    private var passed: [ObjectIdentifier] = []

    init(
        id: PresentationID, retryOf: PresentationID? = nil, retryCount: Int = 0,
        deadline: ContinuousClock.Instant? = nil,
        stateChanged: @escaping @Sendable (PresentationState) -> Void = { _ in }
    ) {
        self.id = id
        self.retryOf = retryOf
        self.retryCount = retryCount
        self.deadline = deadline
        self.stateChanged = stateChanged
    }

    /// The context for handing the error to `responder`.
    func handed(to responder: any Responder) -> PresentationContext {
        var context = self
        context.handover = Handover(to: responder)
        return context
    }

    /// The context with a note on the responder passed last.
    func noting(_ note: String) -> PresentationContext {
        guard let last = trail.last else { return self }
        var context = self
        context.trail[trail.count - 1] = "\(last) (\(note))"
        return context
    }

    /// Notes that the error passes `responder`; a refusal when it was there before or the chain
    /// has no end.
    mutating func enter(_ responder: any Responder) -> Outcome? {
        let name = responder.responderName
        if let object = ResponderIdentity(responder).object {
            if passed.contains(object) {
                return Outcome(
                    didRecover: false, reason: .cycle, decidedBy: name,
                    detail: "passed before: \((trail + [name]).joined(separator: " -> "))")
            }
            passed.append(object)
        }
        trail.append(name)
        guard trail.count <= Self.responderCountMax else {
            return Outcome(
                didRecover: false, reason: .tooManyHops, decidedBy: name,
                detail: "more than \(Self.responderCountMax) responders in one process")
        }
        return nil
    }
}
