/// One presentation on its way: its id and what it passed. Travels beside the error as a task
/// local, so that a responder may replace the error by any other and it is still the same asking.
public struct PresentationContext: Sendable {
    /// More responders than this in one process is taken for a chain without end.
    static let responderCountMax = 64

    /// The presentation under way in this task, inside a responder's hooks; nil elsewhere.
    @TaskLocal public static var current: PresentationContext?

    /// The id under which it travels.
    public let id: PresentationID
    /// The earlier presentation of the same operation, whose recovery was not the end of it.
    public let retryOf: PresentationID?
    /// How many presentations of the same operation came before.
    public let retryCount: Int
    /// Until when the caller waits; nil: as long as the caller lives.
    public internal(set) var deadline: ContinuousClock.Instant?
    /// The names of the responders passed, first to last: what an audit shows.
    public internal(set) var trail: [String] = []
    /// Told where the presentation stands, on every change.
    let stateChanged: @Sendable (PresentationState) -> Void

    /// Whom the error is being handed to. A `presentError` on anybody else is a new presentation.
    var receiver: ResponderIdentity?
    /// Reference-type responders passed, to notice a chain that runs in a circle.
    var passed: [ObjectIdentifier] = []

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
        context.receiver = ResponderIdentity(responder)
        return context
    }
}

/// Tells responders apart: reference types by identity, values by type.
struct ResponderIdentity: Hashable, Sendable {
    /// The object itself; nil for a value type.
    let object: ObjectIdentifier?
    private let type: ObjectIdentifier

    init(_ responder: any Responder) {
        type = ObjectIdentifier(Swift.type(of: responder))
        object = Swift.type(of: responder) is AnyClass
            ? ObjectIdentifier(responder as AnyObject) : nil
    }
}
