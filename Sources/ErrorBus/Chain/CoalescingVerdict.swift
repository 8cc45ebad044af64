/// What a caller that waits behind an equal error gets, once.
enum CoalescingVerdict: Sendable {
    /// Run your own attempter with this answer.
    case attempt(Answer)
    /// You were told the same as the error that climbed.
    case share(Outcome)
    /// Climb in its place.
    case climb
    /// You are let go.
    case release(Outcome.Reason)
}
