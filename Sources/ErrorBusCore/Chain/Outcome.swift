/// The end of a presentation, which the caller of `presentError` gets exactly once, whatever
/// happened on the way.
public struct Outcome: Hashable, Sendable {
    private struct Fields: Hashable, Sendable {
        let didRecover: Bool
        let reason: Reason
        let decidedBy: String
        let decision: Answer?
        let detail: String?
        var refusalCode: UInt16?
        var refusalText: String?
        var isRemote = false
        var isTooSoon = false
        var spokenBy: String?
        var presentation: PresentationID?
    }

    private var fields: Boxed<Fields>

    /// The outcome of a responder that handles an error, or of a test.
    ///
    /// - Parameters:
    ///   - didRecover: Whether the original call is safe to send again.
    ///   - reason: The reason why the presentation ended.
    ///   - decidedBy: The name of the responder or node that decided.
    ///   - answer: The decision, when an option was chosen.
    ///   - detail: More about the reason, for people.
    public init(
        didRecover: Bool, reason: Reason, decidedBy: String, answer: Answer? = nil,
        detail: String? = nil
    ) {
        fields = Boxed(
            Fields(
                didRecover: didRecover, reason: reason, decidedBy: decidedBy, decision: answer,
                detail: detail))
    }

    /// Whether the original call is safe to send again. False for cancel, and for an error that was
    /// handled and need not be repeated (reason ``Reason/handled``).
    public var didRecover: Bool { fields.value.didRecover }
    /// The reason why the presentation ended, for programs.
    public var reason: Reason { fields.value.reason }
    /// The responder or node that decided.
    public var decidedBy: String { fields.value.decidedBy }
    /// The decision, when an option was chosen.
    public var answer: Answer? { decision?.chosen == nil ? nil : decision }
    /// The ``answer``, or the answer of a process above that handled the error without choosing an
    /// option. The latter is passed down unchanged, so that every hop knows the decision by one id.
    package var decision: Answer? { fields.value.decision }
    /// More about the reason, for people.
    public var detail: String? { fields.value.detail }

    /// The code of another process's refusal (docs/wire.md, section 12); nil without a refusal.
    public package(set) var refusalCode: UInt16? {
        get { fields.value.refusalCode }
        set { fields.value.refusalCode = newValue }
    }
    /// The reason in the refusal of another process, without the code that ``detail`` begins with.
    package var refusalText: String? {
        get { fields.value.refusalText }
        set { fields.value.refusalText = newValue }
    }
    /// Whether another process decided; ``decidedBy`` is then the name that this process sent.
    public package(set) var isRemote: Bool {
        get { fields.value.isRemote }
        set { fields.value.isRemote = newValue }
    }
    /// Whether the error reached no node above only because the time was too short: there was a
    /// link.
    package var isTooSoon: Bool {
        get { fields.value.isTooSoon }
        set { fields.value.isTooSoon = newValue }
    }
    /// The name of the decider when the node's name alone would be unclear.
    package var spokenBy: String? {
        get { fields.value.spokenBy }
        set { fields.value.spokenBy = newValue }
    }
    /// The id of the presentation; nil until the responder that made the outcome has returned it.
    public package(set) var presentation: PresentationID? {
        get { fields.value.presentation }
        set { fields.value.presentation = newValue }
    }
}

extension Outcome {
    /// The outcome of `answer` after an attempt with `result`.
    ///
    /// The reason is `answered` if the attempt ran to its end: a failed "Retry" differs from
    /// "Cancel" only by the answer's option (A02, A03).
    public init(answer: Answer, result: AttemptResult, decidedBy: String) {
        let (reason, detail): (Reason, String?) =
            switch result {
            case .recovered, .notRecovered: (.answered, nil)
            case .threw(let text): (.recoveryFailed, text)
            case .timedOut: (.recoveryTimedOut, "the attempt did not end within its limit")
            case .noAttempter: (.noAttempter, "option \(answer.option) has no attempter")
            case .notOffered: (.noAttempter, "option \(answer.option) was not offered")
            case .badValue(let fault): (.badValue, "option \(answer.option): \(fault)")
            case .remote(.recovered), .remote(.failed): (.answered, nil)
            case .remote(.withdrawn): (.withdrawn, "the origin had withdrawn")
            case .remote(.late): (.answered, "another answer had been applied before")
            case .remote(.invalid):
                (
                    .noAttempter,
                    "its owner refused the answer: not its option, or not signed, confirmed or "
                        + "filled in as it needs"
                )
            case .remote(.unknown): (.undelivered, "delivery of the answer was given up")
            }
        self.init(
            didRecover: result.didRecover, reason: reason, decidedBy: decidedBy,
            // No program acts on an option that was refused by its owner in this process.
            answer: reason == .badValue ? nil : answer.withoutSecrets, detail: detail)
    }
}

extension Outcome {
    /// A presentation that a node's journal refuses.
    package static func refused(_ code: RejectCode, _ detail: String, by decider: String) -> Outcome
    {
        var outcome = Outcome(
            didRecover: false, reason: .rejected, decidedBy: decider, detail: detail)
        outcome.refusalCode = code.rawValue
        return outcome
    }
}

extension Outcome: CustomStringConvertible {
    public var description: String {
        var text = "\(reason.words) by \(decidedBy)"
        if let answer { text += ", option \(answer.option)" }
        if let detail { text += " (\(detail))" }
        return text + (didRecover ? ", recovered" : ", not recovered")
    }
}

extension Outcome {
    /// The reason why a presentation ended, for programs. An open set: a newer node may send other
    /// reasons.
    public struct Reason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        /// An option was chosen and its attempt ran.
        public static let answered = Reason(rawValue: "answered")
        /// A responder handled the error itself.
        public static let handled = Reason(rawValue: "handled")
        /// A responder's `willPresentError` returned nil.
        public static let withheld = Reason(rawValue: "withheld")
        /// The error is a user cancellation, which is never shown (AppKit).
        public static let userCancelled = Reason(rawValue: "userCancelled")
        /// The presenters that showed the error declined. Used only in refusals of late answers.
        public static let declined = Reason(rawValue: "declined")
        /// No answer came before the deadline.
        public static let expired = Reason(rawValue: "expired")
        /// The chain ended without a presenter that took the error.
        public static let detached = Reason(rawValue: "detached")
        /// The next process could not be reached.
        public static let unreachable = Reason(rawValue: "unreachable")
        /// The chosen option's attempt threw.
        public static let recoveryFailed = Reason(rawValue: "recoveryFailed")
        /// The chosen option's attempt did not end within its limit.
        public static let recoveryTimedOut = Reason(rawValue: "recoveryTimedOut")
        /// The chosen option has no attempter.
        public static let noAttempter = Reason(rawValue: "noAttempter")
        /// The chosen option needs a signature, and the answer of another process has no valid one:
        /// the owner did not carry the option out.
        public static let notSigned = Reason(rawValue: "notSigned")
        /// The chosen option needs two people, and the answer of another process does not name two:
        /// the owner did not carry the option out.
        public static let notConfirmed = Reason(rawValue: "notConfirmed")
        /// The answer lacks a value that the chosen option needs, or has a value that the option
        /// does not take: the owner did not carry the option out.
        public static let badValue = Reason(rawValue: "badValue")
        /// The answer could not be delivered to the option's owner.
        public static let undelivered = Reason(rawValue: "undelivered")
        /// The origin withdrew: its task was cancelled.
        public static let withdrawn = Reason(rawValue: "withdrawn")
        /// The chain is a circle: a node found itself in the path, a responder met the
        /// presentation again, or a presentation began inside one that it would wait for.
        public static let cycle = Reason(rawValue: "cycle")
        /// A limit is exceeded: 16 hops, 64 responders in one process, or 16 presentations, each
        /// begun inside the one before.
        public static let tooManyHops = Reason(rawValue: "tooManyHops")
        /// A node, or this process, is at its limit of open presentations.
        public static let busy = Reason(rawValue: "busy")
        /// A node refused the request: malformed, too large, another report under the same id, ...
        public static let rejected = Reason(rawValue: "rejected")
        /// The node is shutting down.
        public static let shutDown = Reason(rawValue: "shutDown")

        /// Whether the error's responders get `willNotPresentError`. AppKit's condition is "will
        /// not be presented and is not going to be recovered from"; a presentation that was
        /// withdrawn or expired in front of a person does not meet it.
        ///
        /// A person may have seen an error that ends with `unreachable`, `rejected` or `shutDown`,
        /// as before a link was lost. Its responders get the call nevertheless.
        public var meansNotPresented: Bool {
            switch self {
            case .withheld, .userCancelled, .detached, .unreachable, .cycle, .tooManyHops, .busy,
                .rejected, .shutDown:
                true
            default: false
            }
        }
    }
}

extension Outcome.Reason {
    /// The reason in words for people, in every place where they read it; the raw value is for
    /// programs.
    package var words: String {
        switch self {
        case .declined: "passed on"
        default: rawValue
        }
    }

    /// The words of the reason, as the beginning of a sentence.
    package var capitalizedWords: String { words.prefix(1).uppercased() + words.dropFirst() }

    /// The reason for people, and the option that the origin then applies, if any.
    package func words(applying option: String?) -> String {
        option.map { "\(words), \($0) applied" } ?? words
    }
}
