/// What an inbox does with an answer it takes.
enum InboxDecision: Hashable, Sendable {
    /// Send it now.
    case send(Answer)
    /// Send it then, unless it is undone.
    case hold(Answer, until: Moment)
    /// The same answer came before: nothing more is done.
    case acknowledged(Answer)
}
