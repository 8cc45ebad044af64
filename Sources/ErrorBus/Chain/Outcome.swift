/// What the caller of `presentError` gets, exactly once, whatever happened on the way.
public struct Outcome: Hashable, Sendable {
    /// The original call is safe to send again. False for cancel, and for "it was dealt with and
    /// need not be repeated" (reason ``Reason/handled``).
    public let didRecover: Bool
    /// Why, for programs.
    public let reason: Reason
    /// The responder or node that decided.
    public let decidedBy: String
    /// The refusal's number, where another process refused it (docs/wire.md, section REJECT).
    public var refusalCode: UInt16?
    /// It was decided in another process; ``decidedBy`` is as that one said.
    public var isRemote = false
    var handledAbove: HandledAbove?
    /// Who decided, where the name of the node alone would leave people wondering.
    var spokenBy: String?
    /// The decision, where an option was chosen.
    public let answer: Answer?
    /// More about the reason, for people.
    public let detail: String?
    /// The presentation this is the outcome of; nil when the first responder that was presented to
    /// decided by itself, so that nothing was passed on.
    public internal(set) var presentation: PresentationID?

    public init(
        didRecover: Bool, reason: Reason, decidedBy: String, answer: Answer? = nil,
        detail: String? = nil
    ) {
        self.didRecover = didRecover
        self.reason = reason
        self.decidedBy = decidedBy
        self.answer = answer
        self.detail = detail
        self.presentation = PresentationContext.current?.id
    }
}

extension Outcome {
    /// The outcome of `answer` after its attempt came to `result`.
    ///
    /// The reason stays `answered` when the attempt ran to its end: picked "Retry", retry failed
    /// differs from picked "Cancel" by the answer's option (A02, A03).
    public init(answer: Answer, result: AttemptResult, decidedBy: String) {
        let (reason, detail): (Reason, String?) =
            switch result {
            case .recovered, .notRecovered: (.answered, nil)
            case .threw(let text): (.recoveryFailed, text)
            case .timedOut: (.recoveryTimedOut, "the attempt did not end within its limit")
            case .noAttempter: (.noAttempter, "nothing stands behind option \(answer.option)")
            case .notOffered: (.noAttempter, "option \(answer.option) was not offered")
            case .remote(.recovered), .remote(.failed): (.answered, nil)
            case .remote(.withdrawn): (.withdrawn, "the origin had given up")
            case .remote(.late): (.answered, "another answer had been applied before")
            case .remote(.invalid): (.noAttempter, "the owner does not know this option")
            case .remote(.unknown): (.undelivered, "delivery of the answer was given up")
            }
        self.init(
            didRecover: result.didRecover, reason: reason, decidedBy: decidedBy, answer: answer,
            detail: detail)
    }
}

extension Outcome: CustomStringConvertible {
    public var description: String {
        var text = "\(reason) by \(decidedBy)"
        if let answer { text += ", option \(answer.option)" }
        if let detail { text += " (\(detail))" }
        return text + (didRecover ? ", recovered" : ", not recovered")
    }
}
