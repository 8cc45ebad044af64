extension Outcome {
    /// Why a presentation ended, for programs. Open: a newer node may send a reason that this
    /// version does not know.
    public struct Reason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        /// An option was chosen and its attempt ran.
        public static let answered = Reason(rawValue: "answered")
        /// A responder dealt with it itself.
        public static let handled = Reason(rawValue: "handled")
        /// A responder's `willPresentError` returned nil.
        public static let withheld = Reason(rawValue: "withheld")
        /// The error says that the user cancelled: nothing to show (AppKit).
        public static let userCancelled = Reason(rawValue: "userCancelled")
        /// The presenters that had the question passed it on; only in refusals of late answers.
        public static let declined = Reason(rawValue: "declined")
        /// No answer came before the deadline.
        public static let expired = Reason(rawValue: "expired")
        /// The chain ended before anybody presented it.
        public static let detached = Reason(rawValue: "detached")
        /// The next process could not be reached.
        public static let unreachable = Reason(rawValue: "unreachable")
        /// The chosen option's attempt threw.
        public static let recoveryFailed = Reason(rawValue: "recoveryFailed")
        /// The chosen option's attempt did not end within its limit.
        public static let recoveryTimedOut = Reason(rawValue: "recoveryTimedOut")
        /// The chosen option has nothing behind it.
        public static let noAttempter = Reason(rawValue: "noAttempter")
        /// The answer could not be delivered to the option's owner.
        public static let undelivered = Reason(rawValue: "undelivered")
        /// The origin gave up: its task was cancelled.
        public static let withdrawn = Reason(rawValue: "withdrawn")
        /// A hop saw itself in the path.
        public static let cycle = Reason(rawValue: "cycle")
        /// More hops than the limit.
        public static let tooManyHops = Reason(rawValue: "tooManyHops")
        /// A hop is at its limit of open presentations.
        public static let busy = Reason(rawValue: "busy")
        /// A hop refused it: malformed, too large, another report under the same id, ...
        public static let rejected = Reason(rawValue: "rejected")
        /// The node is going down.
        public static let shutDown = Reason(rawValue: "shutDown")

        /// Whether no person ever saw the error: its responders get `willNotPresentError`. AppKit's
        /// condition, "will not be presented and is not going to be recovered from", so not for
        /// a question that was withdrawn or expired in front of a person.
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
