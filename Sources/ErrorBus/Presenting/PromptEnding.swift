/// How one question ended, for the side that asked it.
enum PromptEnding: Hashable, Sendable {
    case answered(Answer)
    /// The presenter leaves it to the next one. The question itself is still open.
    case declined
    case closed(Outcome.Reason)
}
