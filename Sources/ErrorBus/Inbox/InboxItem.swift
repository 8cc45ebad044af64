/// One presentation as an inbox has it: what was asked, and where it stands.
public struct InboxItem: Hashable, Sendable {
    /// Where a presentation stands, in the words people see.
    public enum Stage: Hashable, Sendable {
        /// No person has taken it on.
        case open
        /// A person looks after it. Others see who, and cannot answer it before then.
        case claimed(by: String, until: Moment)
        /// Answered, but the answer leaves only then: until then it can be taken back.
        case leaving(Answer, at: Moment)
        /// Answered; nothing is known yet of what came of it.
        case answered(Answer)
        /// The option's owner said what came of it.
        case settled(Answer, RecoveryResult)
        /// It ended here without an answer: withdrawn, expired, passed to the next presenter.
        case closed(Outcome.Reason)
    }

    private static let takenBackMax = 32

    public let id: PresentationID
    public let report: ErrorReport
    /// The node the error arose in; nil within one process.
    public let origin: NodeName?
    /// The nodes it came through, origin first.
    public let path: [NodeName]
    public let retryCount: Int
    /// It was shown before this node was restarted; no answer was recorded.
    public let wasShownBefore: Bool
    public let openedAt: Moment
    /// Until when an answer counts; nil: as long as the origin lives.
    public let deadline: ContinuousClock.Instant?
    /// The number of the group it belongs to, never used again once that is gone.
    public internal(set) var group: Int
    public internal(set) var stage = Stage.open
    /// Whether its origin can be reached, as far as this node knows.
    public internal(set) var isReachable = true
    /// The presentation in which the same operation came back, after this one's answer.
    public internal(set) var failedAgain: PresentationID?
    /// The answers that were taken back, the latest last.
    private(set) var takenBack: [UniqueID] = []
    /// When it came to this stage.
    public internal(set) var changedAt: Moment
    /// Greater with each change in the inbox: who has seen 7 asks for what came after 7.
    public internal(set) var revision: UInt64
    /// The revision with which it came.
    public let openedRevision: UInt64

    init(_ question: InboxQuestion, group: Int, at now: Moment, revision: UInt64) {
        id = question.id
        report = question.report
        origin = question.origin
        path = question.path
        retryCount = question.retryCount
        wasShownBefore = question.wasShownBefore
        deadline = question.deadline
        self.group = group
        openedAt = now
        changedAt = now
        self.revision = revision
        openedRevision = revision
    }

    /// Whether an answer may still be given.
    public var isOpen: Bool {
        switch stage {
        case .open, .claimed: true
        case .leaving, .answered, .settled, .closed: false
        }
    }

    public var answer: Answer? {
        switch stage {
        case .leaving(let answer, _), .answered(let answer), .settled(let answer, _): answer
        case .open, .claimed, .closed: nil
        }
    }

    /// It is kept for people to look at, for a while.
    var hasEnded: Bool {
        switch stage {
        case .open, .claimed, .leaving: false
        case .answered, .settled, .closed: true
        }
    }

    /// Remembers an answer that was taken back, for as long as it may come again.
    mutating func takeBack(_ answer: UniqueID) {
        takenBack.append(answer)
        takenBack.removeFirst(max(0, takenBack.count - Self.takenBackMax))
    }

    /// A claim that has run out counts no more.
    func asOf(_ now: Moment) -> InboxItem {
        guard case .claimed(_, let until) = stage, until <= now else { return self }
        var item = self
        item.stage = .open
        return item
    }
}
