import Synchronization

/// One presentation on its way: its id and what it passed. Goes with the error from responder to
/// responder, as an argument.
public struct PresentationContext: Sendable {
    /// More responders than this in one process is taken for a chain without end.
    static let responderCountMax = 64
    /// More presentations than this, each begun inside the one before (by a hook, by a recovery
    /// attempt), is taken for an error that reports itself for ever.
    static let nestingCountMax = 16

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
    /// Called with where the presentation stands, on every change.
    let stateChanged: @Sendable (PresentationState) -> Void

    /// What the process said that asks it here; nil when it began in this one.
    var received: ReceivedPresentation?
    /// How many presentations it is inside of, itself included.
    private(set) var nestingCount = 1
    /// An earlier life of the presenter showed it already.
    var wasShownBefore = false
    /// The responder that turned the error into "user cancelled" on the way; nil when it began so.
    var userCancelledBy: String?
    /// Reference-type responders passed, to notice a chain that runs in a circle.
    private var passed: [ObjectIdentifier] = []
    /// The right to carry it on; nil in a hook, which has none.
    private var turn: Turn? = Turn()

    /// The presentation that begins with these options: ``Responder/presentError(_:options:from:)``
    /// makes one. For tests of a responder's own methods.
    public init(_ options: PresentationOptions = PresentationOptions()) {
        self.init(options, from: nil)
    }

    init(
        id: PresentationID, retryOf: PresentationID? = nil, retryCount: Int = 0,
        deadline: ContinuousClock.Instant? = nil, received: ReceivedPresentation? = nil,
        stateChanged: @escaping @Sendable (PresentationState) -> Void = { _ in }
    ) {
        self.id = id
        self.retryOf = retryOf
        self.retryCount = retryCount
        self.deadline = deadline
        self.received = received
        self.stateChanged = stateChanged
    }

    /// - Parameters:
    ///   - outer: The presentation that this one begins inside of.
    ///   - previous: The presentation of the same operation that came before.
    init(
        _ options: PresentationOptions, from outer: PresentationContext?,
        repeating previous: PresentationContext? = nil
    ) {
        self.init(
            id: options.id ?? .make(), retryOf: previous?.id,
            retryCount: previous.map { $0.retryCount + 1 } ?? 0,
            deadline: options.deadline.map { .now + $0 }, stateChanged: options.stateChanged)
        onExpiry = options.onExpiry
        nestingCount = (outer?.nestingCount ?? 0) + 1
    }

    // MARK: Handing over

    /// One handing over of a presentation to a responder.
    private final class Turn: Sendable {
        private let isTaken = Atomic(false)

        /// Whether this is the first time.
        func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }
    }

    /// The context to carry the presentation on with; nil when that was done with this one before,
    /// or it is a hook's.
    func takingTurn() -> PresentationContext? {
        guard let turn, turn.take() else { return nil }
        var context = self
        context.turn = Turn()
        return context
    }

    /// The context as a hook gets it: what the hook presents is a presentation of its own.
    var withoutTurn: PresentationContext {
        var context = self
        context.turn = nil
        return context
    }

    /// The presentation that begins where this one cannot be carried on: a repetition of this one
    /// for its caller, or what a hook presents.
    func again() -> PresentationContext {
        guard turn != nil else { return PresentationContext(PresentationOptions(), from: self) }
        // What another process asks is for its clock to end: it withdraws this one as well.
        let isOwn = received == nil
        var context = PresentationContext(
            id: .make(), retryOf: id, retryCount: retryCount + 1,
            deadline: isOwn ? deadline : nil, stateChanged: stateChanged)
        context.onExpiry = isOwn ? onExpiry : nil
        context.nestingCount = nestingCount + 1
        return context
    }

    // MARK: On the way

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
        // Values have no identity: a circle of them ends at the limit.
        if type(of: responder) is AnyClass {
            let object = ObjectIdentifier(responder as AnyObject)
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

    /// The answer for the case that none came before the deadline: what the caller or the
    /// error declares. Nil where nothing is declared, or what is declared is not offered.
    ///
    /// Only the origin applies it, by its own clock, so that no two processes can.
    func answerOnExpiry(of error: any Error, by name: String) -> Answer? {
        guard received == nil else { return nil }
        let report = ErrorReport(describing: error)
        guard let option = onExpiry ?? report.onExpiry,
            report.options.contains(where: { $0.id == option })
        else { return nil }
        // A presentation expires once: its own id will do.
        return Answer(id: id.value, option: option, by: name, via: .expiry)
    }
}

/// What a caller may say about one presentation, beside the error.
public struct PresentationOptions: Sendable {
    /// The id to present under. The same id again is the same presentation: an answer that was
    /// recorded for it is returned, and no presenter is asked.
    public var id: PresentationID?
    /// How long to wait for an answer; nil: as long as the caller lives.
    public var deadline: Duration?
    /// The id of the option that is applied when no answer comes before the deadline; nil: what the
    /// error's report declares, and where that declares nothing, none. The outcome then says
    /// `answered` with an answer that came about by `expiry`.
    public var onExpiry: String?
    /// Called with where the presentation stands, on every change. From any thread; must not wait.
    public var stateChanged: @Sendable (PresentationState) -> Void = { _ in }

    public init() {}
}
