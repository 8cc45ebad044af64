import Synchronization

/// A presentation that another process requested: its PRESENT beside the error, and whether the
/// request still stands. A responder may replace the error; the next process still gets the same
/// id, origin, path and digest.
final class ReceivedPresentation: Sendable {
    /// The attempt of an option in this call.
    private enum Attempt: UInt8, AtomicRepresentable {
        case none
        case begun
        /// The attempt is left to a later call with the same presentation.
        case left
    }

    let present: Message.Present
    let deadline: MonotonicTime?
    let contact: OriginContact
    private let attempt = Atomic(Attempt.none)
    private let givenUp = Mutex<Message.WithdrawReason?>(nil)
    private let ended = Atomic(false)
    private let resultIsLeft = Atomic(false)

    init(_ present: Message.Present, deadline: MonotonicTime? = nil) {
        self.present = present
        self.deadline = deadline
        contact = OriginContact(isReachable: present.isOriginReachable)
    }

    var origin: NodeName { present.origin }

    /// The reason for the next process to drop the presentation; nil while the request below
    /// stands.
    var withdrawal: Message.WithdrawReason? { givenUp.withLock { $0 } }

    /// Whether the link to the child knows the end, so that the chain need not report its own end.
    var isEnded: Bool { ended.load(ordering: .acquiring) }

    /// Notes that an answer has its result, or that another end came before.
    func hasEnded() { ended.store(true, ordering: .releasing) }

    /// Whether the node stops while a child has the answer: its result is for the next life of the
    /// node, which knows the answer from the journal.
    var isResultLeft: Bool { resultIsLeft.load(ordering: .acquiring) }

    func leavesResult() { resultIsLeft.store(true, ordering: .releasing) }

    /// Begins the attempt of an option; false once the attempt is left to a later call.
    func beginsAttempt() -> Bool {
        attempt.compareExchange(
            expected: .none, desired: .begun, ordering: .acquiringAndReleasing
        ).original != .left
    }

    /// Leaves the attempt to a later call with the same presentation, unless this call has begun
    /// the attempt; returns whether it is left.
    func leavesAttempt() -> Bool {
        attempt.compareExchange(
            expected: .none, desired: .left, ordering: .acquiringAndReleasing
        ).original != .begun
    }

    /// Marks the presentation as withdrawn by the child or its hop; nil: only this node shuts down.
    func withdrawn(_ reason: Message.WithdrawReason?) { givenUp.withLock { $0 = reason } }
}

/// The contact with an origin: whether the origin can be reached, as far as this node knows. While
/// it cannot, the presentation stays open for the ``NodeSettings/abandonAfter`` of the node that
/// lost it, this node keeps an answer, and the prompt shows that the origin is out of reach.
public final class OriginContact: Sendable {
    private struct State {
        var isReachable: Bool
        var observers: [@Sendable (Bool) -> Void] = []
    }

    private let state: Mutex<State>

    init(isReachable: Bool) { state = Mutex(State(isReachable: isReachable)) }

    /// Whether the origin can be reached now, as far as this node knows.
    public var isReachable: Bool { state.withLock(\.isReachable) }

    /// Calls `observer` on every change from now on, from any thread; it must not wait.
    public func onChange(_ observer: @escaping @Sendable (_ isReachable: Bool) -> Void) {
        state.withLock { $0.observers.append(observer) }
    }

    func set(_ isReachable: Bool) {
        let observers = state.withLock { state in
            guard state.isReachable != isReachable else { return [@Sendable (Bool) -> Void]() }
            state.isReachable = isReachable
            return state.observers
        }
        for observer in observers { observer(isReachable) }
    }
}
