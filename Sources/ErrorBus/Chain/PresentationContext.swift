import Synchronization

/// The id of a presentation and the responders that it has passed. Every responder gets the context
/// as an argument, with the error.
public struct PresentationContext: Sendable {
    /// The longest chain in one process, in responders; a longer chain counts as endless.
    static let responderCountMax = 64
    /// The deepest nesting of presentations begun by hooks and recovery attempts; at a deeper one
    /// an error counts as presenting itself endlessly.
    static let nestingCountMax = 16

    /// A presentation that waits for the end of one that began inside it.
    private struct Outer: Sendable {
        let id: PresentationID
        /// The reference-type responders that it had passed.
        let passed: [ObjectIdentifier]
    }

    private struct Fields: Sendable {
        let id: PresentationID
        let retryOf: PresentationID?
        let retryCount: Int
        let stateChanged: @Sendable (PresentationState) -> Void
        let received: ReceivedPresentation?
        /// Boxed: the size of an instant is known only at run time, which makes a slow type of a
        /// struct that holds one.
        var deadline: Boxed<ContinuousClock.Instant>?
        var onExpiry: String?
        var trail: [String] = []
        var nestingCount = 1
        var wasShownBefore = false
        var wasPassedOn = false
        var signsAnswers = true
        var userCancelledBy: String?
        /// The reference-type responders passed, to detect a circular chain.
        var passed: [ObjectIdentifier] = []
        /// The presentations inside which this one begins, outermost first.
        var outer: [Outer] = []
    }

    private var fields: Boxed<Fields>
    /// The right to pass the presentation on; nil in a hook, which must not do so. Beside the
    /// fields, since it changes at every responder, which would copy them.
    private var turn: Turn? = Turn()

    /// The context of a new presentation, for tests of a responder's own methods.
    /// ``Responder/presentError(_:options:from:)`` makes one by itself.
    public init(_ options: PresentationOptions = PresentationOptions()) {
        self.init(options, from: nil)
    }

    init(
        id: PresentationID, retryOf: PresentationID? = nil, retryCount: Int = 0,
        deadline: ContinuousClock.Instant? = nil, received: ReceivedPresentation? = nil,
        stateChanged: @escaping @Sendable (PresentationState) -> Void = { _ in }
    ) {
        fields = Boxed(
            Fields(
                id: id, retryOf: retryOf, retryCount: retryCount, stateChanged: stateChanged,
                received: received, deadline: deadline.map(Boxed.init)))
    }

    /// - Parameters:
    ///   - outer: The presentation that this one begins inside of.
    ///   - previous: The earlier presentation of the same operation.
    init(
        _ options: PresentationOptions, from outer: PresentationContext?,
        repeating previous: PresentationContext? = nil
    ) {
        self.init(
            id: options.id ?? .make(), retryOf: previous?.id,
            retryCount: previous.map { $0.retryCount + 1 } ?? 0,
            deadline: options.deadline.map { .now + $0 }, stateChanged: options.stateChanged)
        onExpiry = options.onExpiry
        begin(inside: outer)
    }

    /// Counts the presentation that waits for this one to end, if any.
    private mutating func begin(inside outer: PresentationContext?) {
        guard let outer else { return }
        fields.value.nestingCount = outer.nestingCount + 1
        fields.value.outer =
            outer.fields.value.outer + [Outer(id: outer.id, passed: outer.fields.value.passed)]
    }

    // MARK: What it says

    /// The id of the presentation.
    public var id: PresentationID { fields.value.id }
    /// The id of the earlier presentation of the same operation; nil when this one repeats none.
    public var retryOf: PresentationID? { fields.value.retryOf }
    /// The number of earlier presentations of the same operation.
    public var retryCount: Int { fields.value.retryCount }
    /// The time until which the caller waits; nil while none is set.
    public internal(set) var deadline: ContinuousClock.Instant? {
        get { fields.value.deadline?.value }
        set { fields.value.deadline = newValue.map(Boxed.init) }
    }
    /// The option that the caller declared for an expired deadline.
    var onExpiry: String? {
        get { fields.value.onExpiry }
        set { fields.value.onExpiry = newValue }
    }
    /// The names of the responders passed, in order, for audits. A name carries a note if the
    /// responder did something unusual, as in `"importer (cut, to root)"`.
    public internal(set) var trail: [String] {
        get { fields.value.trail }
        set { fields.value.trail = newValue }
    }
    /// A closure that gets the state of the presentation on every change.
    var stateChanged: @Sendable (PresentationState) -> Void { fields.value.stateChanged }
    /// The child's request for this presentation; nil when it began in this process.
    var received: ReceivedPresentation? { fields.value.received }
    /// The depth of nesting; 1 for a presentation that began outside any other.
    var nestingCount: Int { fields.value.nestingCount }
    /// Whether an earlier life of the presenter showed the presentation.
    var wasShownBefore: Bool {
        get { fields.value.wasShownBefore }
        set { fields.value.wasShownBefore = newValue }
    }
    /// Whether the presenters of an earlier life of the node passed the presentation on, so that
    /// this life passes it on without a prompt.
    var wasPassedOn: Bool {
        get { fields.value.wasPassedOn }
        set { fields.value.wasPassedOn = newValue }
    }
    /// Whether this node signs its answers to a child; true for an error of this process.
    var signsAnswers: Bool {
        get { fields.value.signsAnswers }
        set { fields.value.signsAnswers = newValue }
    }
    /// The responder that turned the error into a user cancellation; nil when it began as one.
    var userCancelledBy: String? {
        get { fields.value.userCancelledBy }
        set { fields.value.userCancelledBy = newValue }
    }

    // MARK: Handing over

    /// The right to pass a presentation on to a responder, once.
    private final class Turn: Sendable {
        private let isTaken = Atomic(false)

        /// Takes the right; false when it was taken before.
        func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }
    }

    /// The context to pass the presentation on with; nil when this one was used before or belongs
    /// to a hook.
    func takingTurn() -> PresentationContext? {
        guard let turn, turn.take() else { return nil }
        var context = self
        context.turn = Turn()
        return context
    }

    /// The context for a hook: an error that the hook presents begins a new presentation.
    var withoutTurn: PresentationContext {
        var context = self
        context.turn = nil
        return context
    }

    /// A new presentation that begins inside this one: a repetition for the same caller, or an
    /// error that a hook presents.
    func again() -> PresentationContext {
        guard turn != nil else {
            return PresentationContext(PresentationOptions(), from: self)
        }
        // A presentation of another process ends by that process's clock, which withdraws this one
        // too.
        let isOwn = received == nil
        var context = PresentationContext(
            id: .make(), retryOf: id, retryCount: retryCount + 1,
            deadline: isOwn ? deadline : nil, stateChanged: stateChanged)
        context.onExpiry = isOwn ? onExpiry : nil
        context.begin(inside: self)
        return context
    }

    // MARK: Inside others

    /// Whether a presentation with the same id waits for this one to end.
    var isInsideItself: Bool { fields.value.outer.contains { $0.id == id } }

    /// Whether a presentation that has passed `responder` waits for this one to end.
    func isInsideOne(past responder: AnyObject) -> Bool {
        let object = ObjectIdentifier(responder)
        return fields.value.outer.contains { $0.passed.contains(object) }
    }

    // MARK: On the way

    /// The context with a note on the responder passed last.
    func noting(_ note: String) -> PresentationContext {
        guard let last = trail.last else { return self }
        var context = self
        context.fields.value.trail[trail.count - 1] = "\(last) (\(note))"
        return context
    }

    /// Records that the error passes `responder`. Returns a refusal for a circular or endless
    /// chain.
    mutating func enter(_ responder: any Responder) -> Outcome? {
        let name = responder.responderName
        // Values have no identity: a circle of them ends at the limit.
        if type(of: responder) is AnyClass {
            let object = ObjectIdentifier(responder as AnyObject)
            if fields.value.passed.contains(object) {
                return Outcome(
                    didRecover: false, reason: .cycle, decidedBy: name,
                    detail: "circular chain: \((trail + [name]).joined(separator: " -> "))")
            }
            fields.value.passed.append(object)
        }
        fields.value.trail.append(name)
        guard trail.count <= Self.responderCountMax else {
            return Outcome(
                didRecover: false, reason: .tooManyHops, decidedBy: name,
                detail: "more than \(Self.responderCountMax) responders in one process")
        }
        return nil
    }

    /// The answer that the caller or the error declares for an expired deadline. Nil if none is
    /// declared, or if the declared option is not offered.
    ///
    /// Only the origin applies it, by its own clock, so that it is applied once.
    func answerOnExpiry(of error: any Error, by name: String) -> Answer? {
        guard received == nil else { return nil }
        let report = ErrorReport(describing: error)
        guard let option = onExpiry ?? report.onExpiry, report.offers(option) else { return nil }
        // A presentation expires once: its own id will do.
        return Answer(id: id.value, option: option, by: name, via: .expiry)
    }
}

/// The settings of one presentation that a caller may give with the error.
public struct PresentationOptions: Sendable {
    /// The id to present under; nil: a new one. An id that was used before names the same
    /// presentation: if the node of the presenters keeps a journal, the caller gets the recorded
    /// answer, and no presenter gets a prompt; otherwise presenters may get another prompt.
    public var id: PresentationID?
    /// The time to wait for an answer; nil: the deadline of this process's node, if it has one
    /// (``NodeSettings/deadline``), else no limit.
    public var deadline: Duration?
    /// The id of the option to apply when no answer comes before the deadline; nil: the option that
    /// the error's report declares, if any. The outcome then has reason `answered` and an answer
    /// with `via` `expiry`.
    public var onExpiry: String?
    /// A closure that gets the state of the presentation on every change, from any thread; must
    /// not wait.
    public var stateChanged: @Sendable (PresentationState) -> Void = { _ in }

    /// A new id, no deadline, and the report's own default on expiry.
    public init() {}
}
