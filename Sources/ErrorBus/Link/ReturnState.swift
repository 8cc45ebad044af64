/// The way back to a parent that comes earlier in the list than the one in use. It is tried on a
/// socket of its own: the live link is left only for a parent that has said WELCOME.
enum ReturnState: Hashable, Sendable {
    /// The first parent is in use, or none is. Becomes waiting.
    case none
    /// Becomes opening.
    case waiting(until: MonotonicTime)
    /// The second socket is open, no peer at the other end yet. Becomes greeting, waiting.
    case opening(since: MonotonicTime)
    /// HELLO is sent until WELCOME comes. Becomes leaving, waiting.
    case greeting(since: MonotonicTime, nextHello: MonotonicTime)
    /// Welcomed there; the parent in use lets go of what is open. Becomes none, waiting.
    case leaving(Message.Welcome, until: MonotonicTime)
}
