/// Whether a presentation in an inbox waits for somebody in vain.
enum InboxNeglect: Hashable, Sendable {
    /// It has ended, or is gone.
    case over
    /// Nobody has looked after it for too long.
    case neglected
    /// Somebody looks after it, or it is too early to tell.
    case lookAgain(at: ContinuousClock.Instant)
}
