/// One presentation on its way to the parent.
struct UplinkEntry: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// PRESENT is sent until it is acknowledged. Becomes accepted, answered, withdrawing.
        case asking(next: MonotonicTime, tries: Int)
        /// The parent holds it. Becomes answered, asking (parent lost it), withdrawing.
        case accepted(nextAwait: MonotonicTime)
        /// The answer came and is being carried out here or below. Becomes settled.
        case answered(UniqueID)
        /// Carried out; the result is kept for a parent that asks again. Becomes forgotten.
        case settled(UniqueID, RecoveryResult, until: MonotonicTime)
        /// WITHDRAW is sent until it is acknowledged. Becomes gone; asking when asked again.
        case withdrawing(Message.WithdrawReason, next: MonotonicTime, tries: Int)
        /// Given up; answers that are still on their way are told so. Becomes forgotten.
        case gone(until: MonotonicTime)
    }

    var request: UplinkRequest
    var phase: Phase
    var openedAt: MonotonicTime
    var attempt: UInt64 = 0
    /// Since when nobody above is known to hold it; nil while somebody does.
    var outOfContactSince: MonotonicTime?
    /// The origin was told that its grace has passed.
    var graceIsOver = false
    /// The time it stands under in the queue.
    var due: MonotonicTime?

    var isOpen: Bool {
        switch phase {
        case .asking, .accepted: true
        default: false
        }
    }
}

/// What is asked of the parent.
struct UplinkRequest: Hashable, Sendable {
    /// Path without this node; attempt and left-ms are filled in at each sending.
    var present: Message.Present
    /// Until when the caller waits.
    var deadline: MonotonicTime?
    /// For how long the caller bears that nobody can be reached; nil: for ever.
    var grace: UInt64?
    /// It came from a child: at shutdown it is left for the child to ask again.
    var isForwarded: Bool
}
