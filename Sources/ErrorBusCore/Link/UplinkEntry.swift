/// One presentation on its way to the parent.
struct UplinkEntry: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// The presentation is in line until there is a link and the parent has room. Becomes
        /// asking, withdrawing; answered or moving where a parent was sent it before.
        case waiting
        /// PRESENT is sent until the parent acknowledges it. Becomes accepted, answered, moving,
        /// withdrawing; waiting when the parent has no room, or others have taken it, and on a new
        /// link.
        case asking(next: MonotonicTime, tries: Int)
        /// The parent holds the presentation. Becomes answered, asking (the parent lost it),
        /// moving, withdrawing; waiting when the parent has no room, and on a new link.
        case accepted(nextAwait: MonotonicTime)
        /// The answer arrived; its attempt runs here or below. Becomes settled.
        case answered(UniqueID)
        /// The attempt ended; the result is kept for a parent that repeats the answer. Becomes
        /// forgotten; waiting when presented again after `unknown`.
        case settled(UniqueID, RecoveryResult, until: MonotonicTime)
        /// WITHDRAW is sent to the parent that is being left. Becomes asking once that parent has
        /// released the presentation, answered when an answer was on its way, waiting when the
        /// link ends before, withdrawing.
        case moving(next: MonotonicTime, tries: Int)
        /// WITHDRAW is sent until the parent acknowledges it. Becomes gone; waiting when presented
        /// again, settled when a child reports the result of an answer to an earlier life.
        case withdrawing(Message.WithdrawReason, next: MonotonicTime, tries: Int)
        /// Withdrawn; later answers get that result. Becomes forgotten; waiting when presented
        /// again, withdrawing when the origin withdraws what a hop gave up and for a next life of
        /// the parent, settled as above.
        case gone(Message.WithdrawReason, until: MonotonicTime)
    }

    var request: UplinkRequest
    var phase: Phase
    /// The time of the presenting, or of the withdrawal.
    var since: MonotonicTime
    var attempt: UInt64 = 0
    /// The number of the last PING before the last attempt on this link; nil once the parent has
    /// replied to it.
    var sentAfterPing: UInt64?
    /// The first attempt of this generation: replies to earlier attempts do not count.
    private(set) var firstAttempt: UInt64 = 1
    /// The time since when no parent is known to hold the presentation; nil while a parent does.
    var outOfContactSince: MonotonicTime?
    /// The parent's reason for not accepting the presentation yet, if it sent one.
    var lastRefusal: Message.Reject?
    /// Whether the caller was notified that the grace has passed.
    var graceIsOver = false
    /// The request that came during an attempt: sent after the attempt. Boxed, since few entries
    /// have one.
    var askedMeanwhile: Boxed<UplinkRequest>?
    /// The answer, for callers that present again.
    var answer: Answer?

    /// The plan for sending the result to the parent until it sends OK. A parent that repeats the
    /// answer until it has the result needs no such plan.
    struct Resending: Hashable, Sendable {
        var next: MonotonicTime
        var tries = 0
    }

    /// The life of a parent that has the result, or repeats the answer until it has the result.
    var knownIn: BootID?
    var resending: Resending?
    /// Whether only an earlier life of this node presented it, if any, and it was settled or
    /// withdrawn below, or given up here: the entry is kept until the parent has acknowledged that.
    var isPassedOn = false

    /// The result that a child reported of an answer to an earlier life, where another child then
    /// presented: it goes before each PRESENT until the parent has confirmed it.
    var lastWord: Message.Settled?

    /// Whether a parent accepted the presentation under this id. A 403 is then not a refusal, but
    /// the reply to an AWAIT or WITHDRAW that another path overtook.
    var wasAccepted = false
    /// Whether this parent or a former one holds the presentation, so that people may have it in
    /// front of them. A refusal for want of room leaves it so.
    var isHeldAbove = false
    /// The number of 403 refusals since a presenter last held the presentation.
    var notYoursCount: UInt8 = 0
    /// The most 403 refusals before the presentation is refused: a hop further up refuses it each
    /// time.
    static let notYoursMax: UInt8 = 10
    /// Whether the parent has refused the last PRESENT or WITHDRAW for now, since another path
    /// speaks for the presentation: it holds nothing of this path, which takes no place there.
    var isTurnedAway = false
    /// Whether a hop had abandoned the presentation before this PRESENT: a late WITHDRAWN refers to
    /// that.
    var wasAbandoned = false
    /// Whether the withdrawal of an earlier call here under this id is on its way to the parent: an
    /// answer that comes before WITHDRAWN is to that call, and has its end there.
    var isBehindWithdrawal = false

    var isOpen: Bool {
        switch phase {
        case .waiting, .asking, .accepted, .moving: true
        case .answered, .settled, .withdrawing, .gone: false
        }
    }

    /// Whether the presentation takes a place at the parent. It takes none if this life of the node
    /// has not presented it, nor after an earlier life of the parent has let it go: the next life
    /// gets the withdrawal again.
    var isPlaced: Bool {
        switch phase {
        case .accepted, .moving: true
        case .asking: !isTurnedAway
        case .withdrawing: knownIn == nil && !isPassedOn && !isTurnedAway
        case .waiting, .answered, .settled, .gone: false
        }
    }

    /// Whether the entry is for the report with this digest, as far as both digests are known.
    func isAbout(_ digest: ReportDigest?) -> Bool {
        guard let digest, let own = request.present.digest else { return true }
        return digest == own
    }

    /// The origin and digest, for a parent that may not know the presentation.
    var asked: Message.Asked? {
        request.present.digest.map { .init(origin: request.present.origin, digest: $0) }
    }

    /// Whether a child presented this report: its last word about an id never applies to what this
    /// node presents itself, or to another report.
    func isForwarded(as asked: Message.Asked) -> Bool {
        request.isForwarded && self.asked == asked
    }

    /// The withdrawal for the parent. The origin's applies even where the presentation was never
    /// presented; a hop's would mean nothing there.
    func withdrawal(for reason: Message.WithdrawReason) -> Message {
        .withdraw(
            id: request.present.id, reason: reason, asked: reason == .origin ? asked : nil)
    }

    /// Presents again with new content, or to a parent that may not know it.
    mutating func askAnew(at next: MonotonicTime) {
        phase = .asking(next: next, tries: 0)
        firstAttempt = attempt + 1
        isTurnedAway = false
    }

    /// A new link is live: nothing is left there of what was said on the last one.
    mutating func noteNewLink() {
        isTurnedAway = false
        isBehindWithdrawal = false
    }

    /// Asks again after a 403 that may not be final: at once if a parent held the presentation.
    /// Else a PRESENT is under way, and its pauses, which grow while no reply comes, begin with the
    /// shortest again.
    mutating func askOnceMore(at now: MonotonicTime) {
        notYoursCount += 1
        switch phase {
        case .accepted: askAnew(at: now)
        case .asking(let next, 2...): phase = .asking(next: next, tries: 1)
        case .waiting, .asking, .answered, .settled, .moving, .withdrawing, .gone: break
        }
    }

    /// The result of an answer to an earlier life, if it is one of this report and the parent has
    /// not confirmed it.
    func owedWord(about asked: Message.Asked?) -> Message.Settled? {
        guard let asked, self.asked == asked else { return nil }
        guard isPassedOn, resending != nil, case .settled(let answer, let result, _) = phase
        else { return lastWord }
        return .init(id: request.present.id, answer: answer, result: result, asked: asked)
    }

    /// Records that this life of the parent does not need the result.
    mutating func noteKnown(in boot: BootID?) {
        knownIn = boot
        resending = nil
    }

    /// Whether only a hop withdrew the presentation, which is not final.
    var isGivenUpByHop: Bool {
        switch phase {
        case .withdrawing(let reason, _, _), .gone(let reason, _): reason == .abandoned
        case .waiting, .asking, .accepted, .answered, .settled, .moving: false
        }
    }

    /// Whether this life of the node gave the presentation up without having presented it. An
    /// answer is then for an earlier life.
    var isLeftByEarlierLife: Bool { isPassedOn && isGivenUpByHop }

    /// Whether this node or the parent waits for a reply, so that the parent cannot be left now.
    var isBetween: Bool {
        if case .answered = phase { true } else { isUnreleased }
    }

    /// Whether the parent has not confirmed the release yet. One that others speak to about the
    /// presentation holds nothing of this path, though the origin's withdrawal is sent again.
    var isUnreleased: Bool {
        switch phase {
        case .moving: true
        case .withdrawing: !isTurnedAway
        case .waiting, .asking, .accepted, .answered, .settled, .gone: false
        }
    }

    /// The time until which the entry is kept for this life of the node; nil for an earlier life's.
    var rememberedUntil: MonotonicTime? { isPassedOn ? nil : forgetAt }

    /// The time since when the entry is passed on for an earlier life.
    var passedOnSince: MonotonicTime? { isPassedOn ? since : nil }

    /// The time until which the entry is kept; nil while an action is pending.
    var forgetAt: MonotonicTime? {
        switch phase {
        case .settled(_, _, let until), .gone(_, let until): until
        case .waiting, .asking, .accepted, .moving, .answered, .withdrawing: nil
        }
    }
}

extension UplinkEntry {
    /// The part of an entry that the counts and lines of its machine follow.
    struct Counted {
        let origin: NodeName
        let since: MonotonicTime
        let isHeldAbove: Bool
        let isWaiting: Bool
        let isOpen: Bool
        let isPlaced: Bool
        let isBetween: Bool
        let isUnreleased: Bool
        let rememberedUntil: MonotonicTime?
        let passedOnSince: MonotonicTime?
    }

    var counted: Counted {
        Counted(
            origin: request.present.origin, since: since, isHeldAbove: isHeldAbove,
            isWaiting: isWaiting, isOpen: isOpen, isPlaced: isPlaced, isBetween: isBetween,
            isUnreleased: isUnreleased, rememberedUntil: rememberedUntil,
            passedOnSince: passedOnSince)
    }

    /// Whether the presentation is in line.
    var isWaiting: Bool {
        if case .waiting = phase { true } else { false }
    }
}

extension UplinkEntry {
    /// An entry that this life of the node has not asked for.
    init(
        _ id: PresentationID, _ asked: Message.Asked, _ phase: Phase, since now: MonotonicTime
    ) {
        let present = Message.Present(
            id: id, origin: asked.origin, path: [], digest: asked.digest, payload: [])
        self.init(
            request: UplinkRequest(present: present, isForwarded: true), phase: phase, since: now)
    }
}

extension EntryTable<UplinkEntry> {
    /// The entries that only keep a result or a withdrawal, the latest first.
    var endedLatestFirst: [PresentationID] {
        let ended = compactMap { id, entry in entry.forgetAt.map { (until: $0, id: id) } }
        return ended.sorted {
            $0.until == $1.until
                ? PresentationID.areInOrder($0.id, $1.id) : $0.until > $1.until
        }.map(\.id)
    }
}

/// A request to present at the parent.
package struct UplinkRequest: Hashable, Sendable {
    /// The path lacks this node; attempt and left-ms are set at each sending.
    package var present: Message.Present
    /// The time until which the caller waits.
    package var deadline: MonotonicTime?
    /// The time that the caller waits without a reachable parent; nil: without a limit.
    package var grace: UInt64?
    /// Whether the request came from a child, which presents it again after a shutdown.
    package var isForwarded: Bool

    package init(
        present: Message.Present, deadline: MonotonicTime? = nil, grace: UInt64? = nil,
        isForwarded: Bool
    ) {
        self.present = present
        self.deadline = deadline
        self.grace = grace
        self.isForwarded = isForwarded
    }
}
