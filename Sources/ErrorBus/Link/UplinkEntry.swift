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
        /// WITHDRAW is sent to the parent that is being left. Becomes asking once that one has
        /// let go of it, answered when an answer was on its way.
        case moving(next: MonotonicTime, tries: Int)
        /// WITHDRAW is sent until it is acknowledged. Becomes gone; asking when asked again.
        case withdrawing(Message.WithdrawReason, next: MonotonicTime, tries: Int)
        /// Given up; answers that are still on their way are settled as that. Becomes forgotten.
        case gone(Message.WithdrawReason, until: MonotonicTime)
    }

    var request: UplinkRequest
    var phase: Phase
    /// When it was asked, or withdrawn.
    var since: MonotonicTime
    var attempt: UInt64 = 0
    /// The first attempt of this asking: what a parent says to an earlier one is no word on it.
    private(set) var firstAttempt: UInt64 = 1
    /// Since when no parent is known to hold it; nil while one does.
    var outOfContactSince: MonotonicTime?
    /// Why it is not accepted yet, where a parent said so.
    var lastRefusal: Message.Reject?
    /// The origin was told that its grace has passed.
    var graceIsOver = false
    /// Asked once more while an answer was being carried out: its turn comes after that.
    var askedMeanwhile: UplinkRequest?
    /// The answer that came, for callers that ask again.
    var answer: Answer?

    /// When to tell the parent what came of it, until it says OK: one that sends the answer again
    /// until it has the result is not told of its own accord.
    struct Telling: Hashable, Sendable {
        var next: MonotonicTime
        var tries = 0
    }

    /// The life of a parent that has the result, or sends the answer again until it has.
    var knownIn: BootID?
    var telling: Telling?
    /// Asked by an earlier life of this node, and settled or withdrawn below: kept until the parent
    /// has heard of that.
    var isPassedOn = false

    /// A parent has taken it under this id. A 403 is then no verdict on it, but the reply to an
    /// AWAIT or WITHDRAW that another path had overtaken.
    var wasAccepted = false
    /// A hop had given it up under this id and it is asked again: a late WITHDRAWN means that.
    var wasAbandoned = false

    /// The parent has said that it holds it.
    var isAccepted: Bool {
        if case .accepted = phase { true } else { false }
    }

    var isOpen: Bool {
        switch phase {
        case .asking, .accepted, .moving: true
        case .answered, .settled, .withdrawing, .gone: false
        }
    }

    /// What was asked, for a parent that may not know it.
    var asked: Message.Asked? {
        request.present.digest.map { .init(origin: request.present.origin, digest: $0) }
    }

    /// The origin's word counts also where nothing was asked; a hop's would say nothing there.
    func withdrawal(for reason: Message.WithdrawReason) -> Message {
        .withdraw(
            id: request.present.id, reason: reason, asked: reason == .origin ? asked : nil)
    }

    /// Asks with something new to say, or a parent that may know nothing of it.
    mutating func askAnew(at next: MonotonicTime) {
        phase = .asking(next: next, tries: 0)
        firstAttempt = attempt + 1
    }

    /// This life of the parent need not be told the result any more.
    mutating func noteKnown(in boot: BootID?) {
        knownIn = boot
        telling = nil
    }

    /// A hop gave it up, which only the origin can make final.
    var isGivenUpByHop: Bool {
        switch phase {
        case .withdrawing(let reason, _, _), .gone(let reason, _): reason == .abandoned
        case .asking, .accepted, .answered, .settled, .moving: false
        }
    }

    /// The parent waits for a word of it, or the other way round: not the time to leave.
    var isBetween: Bool {
        if case .answered = phase { true } else { isUnreleased }
    }

    /// The parent has not said yet that it has let go of it.
    var isUnreleased: Bool {
        switch phase {
        case .moving, .withdrawing: true
        case .asking, .accepted, .answered, .settled, .gone: false
        }
    }

    /// Until when it is remembered; nil while there is something to do for it.
    var forgetAt: MonotonicTime? {
        switch phase {
        case .settled(_, _, let until), .gone(_, let until): until
        case .asking, .accepted, .moving, .answered, .withdrawing: nil
        }
    }
}

/// What is asked of the parent.
struct UplinkRequest: Hashable, Sendable {
    /// Path without this node; attempt and left-ms are filled in at each sending.
    var present: Message.Present
    /// Until when the caller waits.
    var deadline: MonotonicTime?
    /// For how long the caller bears that no parent can be reached; nil: for ever.
    var grace: UInt64?
    /// It came from a child: at shutdown it is left for the child to ask again.
    var isForwarded: Bool

    init(
        present: Message.Present, deadline: MonotonicTime? = nil, grace: UInt64? = nil,
        isForwarded: Bool
    ) {
        self.present = present
        self.deadline = deadline
        self.grace = grace
        self.isForwarded = isForwarded
    }
}
