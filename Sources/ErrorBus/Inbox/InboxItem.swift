/// One presentation as an inbox has it: what was asked, and where it stands.
package struct InboxItem: Hashable, Sendable {
    /// Where a presentation stands, in the words people see.
    package enum Stage: Hashable, Sendable {
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

    package let id: PresentationID
    package let report: ErrorReport
    /// The node the error arose in; nil within one process.
    package let origin: NodeName?
    /// The nodes it came through, origin first.
    package let path: [NodeName]
    package let retryCount: Int
    /// It may have been shown before; no answer was recorded.
    package let wasShownBefore: Bool
    package let openedAt: Moment
    /// Until when an answer counts; nil: as long as the origin lives.
    package let deadline: ContinuousClock.Instant?
    /// The number of the group it belongs to, never used again once that is gone.
    package internal(set) var group: Int
    package internal(set) var stage = Stage.open
    /// Whether its origin can be reached, as far as this node knows.
    package internal(set) var isReachable = true
    /// The presentation in which the same operation came back, after this one's answer.
    package internal(set) var failedAgain: PresentationID?
    /// The answers that were taken back, the latest last.
    private(set) var takenBack: [UniqueID] = []
    /// When it came to this stage.
    package internal(set) var changedAt: Moment
    /// Greater with each change in the inbox: who has seen 7 asks for what came after 7.
    package internal(set) var revision: UInt64
    /// The revision with which it came.
    package let openedRevision: UInt64

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
    package var isOpen: Bool {
        switch stage {
        case .open, .claimed: true
        case .leaving, .answered, .settled, .closed: false
        }
    }

    package var answer: Answer? {
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

/// What is put into an inbox.
package struct InboxQuestion: Hashable, Sendable {
    package var id: PresentationID
    package var report: ErrorReport
    package var origin: NodeName?
    package var path: [NodeName] = []
    package var retryCount = 0
    package var wasShownBefore = false
    package var deadline: ContinuousClock.Instant?

    package init(id: PresentationID, report: ErrorReport, origin: NodeName? = nil) {
        self.id = id
        self.report = report
        self.origin = origin
    }

    init(_ prompt: Prompt) {
        self.init(id: prompt.id, report: prompt.report, origin: prompt.origin)
        path = prompt.path
        retryCount = prompt.retryCount
        wasShownBefore = prompt.wasShownBefore
        deadline = prompt.deadline
    }
}

/// What an inbox does with an answer it takes.
enum InboxDecision: Hashable, Sendable {
    /// Send it now.
    case send(Answer)
    /// Send it then, unless it is undone.
    case hold(Answer, until: Moment)
    /// The same answer came before: nothing more is done.
    case acknowledged(Answer)
}

/// The order in which presentations ended, as long as they are kept.
struct InboxEnded: Hashable, Sendable {
    let max: Int
    private var ids: [PresentationID] = []
    private var start = 0

    init(max: Int) { self.max = max }

    /// Adds the latest; returns the one that is kept no longer.
    mutating func append(_ id: PresentationID) -> PresentationID? {
        ids.append(id)
        guard ids.count - start > max else { return nil }
        defer {
            start += 1
            // Now and then, so that each call costs little.
            if start > max { compact() }
        }
        return ids[start]
    }

    mutating func remove(_ id: PresentationID) {
        if let index = ids[start...].firstIndex(of: id) { ids.remove(at: index) }
    }

    private mutating func compact() {
        ids.removeFirst(start)
        start = 0
    }
}

extension InboxItem {
    /// What came of it, in the words that people see everywhere; nil as long as nothing has.
    package var ending: String? {
        switch stage {
        case .open, .claimed, .leaving, .answered: nil
        // The attempt went well, and then the operation failed once more.
        case .settled(_, .recovered) where failedAgain != nil: "failed again"
        case .settled(_, let result): result.words
        case .closed(let reason): words(reason)
        }
    }

    private func words(_ reason: Outcome.Reason) -> String {
        switch reason {
        case .declined: "passed on"
        case .expired:
            report.options.first { $0.id == report.onExpiry }.map { "expired, \($0.id) applied" }
                ?? "expired"
        default: reason.rawValue
        }
    }
}
