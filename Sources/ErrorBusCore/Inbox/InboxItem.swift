/// One presentation in an inbox: its report and its stage.
package struct InboxItem: Hashable, Sendable {
    /// The stage of a presentation, as people see it.
    package enum Stage: Hashable, Sendable {
        /// Waits for an answer, unclaimed.
        case open
        /// Claimed by a person until a time, before which other people cannot answer it.
        case claimed(by: String, until: Moment)
        /// Answered; the answer is held until a time, and can be undone before.
        case leaving(Answer, at: Moment)
        /// Answered; the result is still unknown.
        case answered(Answer)
        /// Answered, with the result that the option's owner reported.
        case settled(Answer, RecoveryResult)
        /// Ended here without an answer: withdrawn, expired, or declined to the next presenter.
        case closed(Outcome.Reason)
    }

    private static let takenBackMax = 32

    package let id: PresentationID
    package let report: ErrorReport
    /// The node that the error arose in; nil within one process.
    package let origin: NodeName?
    /// The nodes that the presentation came through, origin first.
    package let path: [NodeName]
    package let retryCount: Int
    /// Whether the presentation may have been shown before, without a recorded answer.
    package let wasShownBefore: Bool
    package let openedAt: Moment
    /// The time until which an answer counts; nil: as long as the origin lives.
    package let deadline: ContinuousClock.Instant?
    /// The options that need a signature which its node cannot give.
    package let unsignable: Set<String>
    /// The number of the item's group. Numbers are never reused.
    package internal(set) var group: Int
    package internal(set) var stage = Stage.open
    /// The identity of the person who has the claim, or gave the held answer, as in
    /// ``SignedInPerson``.
    package internal(set) var holder: String?
    /// The open proposal of one person.
    package internal(set) var proposal: InboxProposal?
    /// Whether the origin can be reached, as far as this node knows.
    package internal(set) var isReachable = true
    /// The presentation in which the same operation failed again after this one's answer.
    package internal(set) var failedAgain: PresentationID?
    /// The ids of the undone answers and of the requests of dropped proposals, the latest last.
    package private(set) var takenBack: [UniqueID] = []
    /// The notes of people on the presentation, oldest first.
    package internal(set) var notes: [InboxNote] = []
    /// Whether the answer waits for a journal that cannot be written. It is not sent before.
    package internal(set) var awaitsRecord = false
    /// The answer that the journal could not record before the presentation ended; it was not sent.
    package internal(set) var unwritten: Answer?
    /// The beginning of this stage.
    package internal(set) var changedAt: Moment
    /// The inbox's revision at the item's latest change: a reader at 7 asks for changes after 7.
    package internal(set) var revision: UInt64
    /// The inbox's revision at the item's arrival.
    package let openedRevision: UInt64
    /// The inbox's revision as the item came into its group: at its arrival, or as an undo reopened
    /// it. A person who has seen less did not see it there.
    package internal(set) var joinedRevision: UInt64

    /// - Parameter past: The facts known from before, if the presentation is presented again.
    init(
        _ presentation: InboxPresentation, group: Int, past: InboxPast? = nil, at now: Moment,
        revision: UInt64
    ) {
        id = presentation.id
        report = presentation.report
        origin = presentation.origin
        path = presentation.path
        retryCount = presentation.retryCount
        wasShownBefore = presentation.wasShownBefore
        deadline = presentation.deadline
        unsignable = presentation.unsignable
        self.group = group
        openedAt = past.map { min($0.openedAt, now) } ?? now
        stage = past?.stage(at: now) ?? .open
        holder = past?.holder
        proposal = past?.proposal(at: now)
        proposal?.revision = revision
        takenBack = past?.takenBack ?? []
        notes = past?.notes ?? []
        changedAt = now
        self.revision = revision
        openedRevision = revision
        joinedRevision = revision
    }

    /// An ended presentation of an earlier life of the node.
    init(_ record: InboxRecord, at now: Moment, revision: UInt64) {
        self.init(
            record.presentation, group: 0, past: InboxPast(record), at: now, revision: revision)
        stage = record.stage
        failedAgain = record.failedAgain
        changedAt = min(record.changedAt, now)
    }

    /// Refuses an option that one person cannot choose here.
    func refuseUnlessAnswerable(_ option: String) throws(InboxRefusal) {
        try refuseUnlessOffered(option)
        guard !needsTwoPeople(option) else { throw .needsTwoPeople(option: option) }
    }

    /// The answer with these values, checked and with defaults, and its comment.
    func filled(
        _ answer: Answer, with values: [String: JSONValue]
    ) -> Result<Answer, InboxRefusal> {
        let fields = report.options.first { $0.id == answer.option }?.fields ?? []
        var answer = answer
        if !values.isEmpty {
            let given = GivenValues(values, for: fields, comment: answer.comment)
            answer.extras.payload = given.payload
        }
        do throws(FieldFault) {
            return .success(try answer.filled(for: fields))
        } catch {
            return .failure(.badValue(option: answer.option, error))
        }
    }

    /// Refuses an option that is not offered, or that its node cannot sign.
    func refuseUnlessOffered(_ option: String) throws(InboxRefusal) {
        let offered = report.options.map(\.id)
        guard offered.contains(option) else {
            throw .notOffered(option: option, offered: offered)
        }
        guard !unsignable.contains(option) else { throw .cannotSign(option: option) }
    }

    /// Refuses what comes after the deadline, also while the end has not been noticed yet, as in a
    /// process that was stopped for a while.
    func refuseExpired(at now: Moment) throws(InboxRefusal) {
        guard let deadline, now.instant >= deadline else { return }
        throw .closed(.expired, at: now)
    }

    /// Whether the item is before another one in people's lists: by the first presentation, then by
    /// arrival.
    package func isOlder(than other: InboxItem) -> Bool {
        (openedAt, openedRevision) < (other.openedAt, other.openedRevision)
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

    /// Whether the presentation has ended, and is kept only for people to read.
    package var hasEnded: Bool {
        switch stage {
        case .open, .claimed, .leaving: false
        case .answered, .settled, .closed: true
        }
    }

    /// Drops the proposal, so that the inbox refuses its repetition.
    mutating func drop(_ dropped: InboxProposal?) {
        guard let dropped else { return }
        takeBack(dropped.request)
        proposal = nil
    }

    /// Records an undone answer, so that the inbox refuses its repetition.
    mutating func takeBack(_ answer: UniqueID) { Self.add(answer, to: &takenBack) }

    /// Adds an undone answer or a dropped proposal to the latest ones, which an inbox remembers.
    static func add(_ undone: UniqueID, to takenBack: inout [UniqueID]) {
        takenBack.append(undone)
        takenBack.removeFirst(max(0, takenBack.count - takenBackMax))
    }

    /// The item as of `now`: a claim that ran out has become open, and a proposal that ran out is
    /// gone.
    func asOf(_ now: Moment) -> InboxItem {
        var item = self
        if case .claimed(_, let until) = stage, until <= now { item.stage = .open }
        if let proposal, proposal.until <= now { item.proposal = nil }
        return item
    }
}

/// A change of a presentation's stage in an inbox.
package struct InboxChange: Hashable, Sendable {
    /// The presentation after the change.
    package let item: InboxItem
    /// The stage before the change; nil when the presentation is new, or had ended.
    package let before: InboxItem.Stage?
    /// Whether the change is a person's proposal; the stage is the same.
    package var isProposal = false
}

/// A presentation in the form in which an inbox takes it.
package struct InboxPresentation: Hashable, Sendable {
    package var id: PresentationID
    package var report: ErrorReport
    package var origin: NodeName?
    package var path: [NodeName] = []
    package var retryCount = 0
    package var wasShownBefore = false
    package var deadline: ContinuousClock.Instant?
    /// The options that need a signature which its node cannot give.
    package var unsignable: Set<String> = []

    package init(id: PresentationID, report: ErrorReport, origin: NodeName? = nil) {
        self.id = id
        self.report = report
        self.origin = origin
    }
}

/// The decision of an inbox about an answer that it accepts.
package enum InboxDecision: Hashable, Sendable {
    /// Send the answer now.
    case send(Answer)
    /// Send the answer at that time, unless it is undone.
    case hold(Answer, until: Moment)
    /// Do nothing: this answer came before.
    case acknowledged(Answer)
}

/// The ended presentations in the order of their ends.
struct InboxEnded: Hashable, Sendable {
    private var ids: [PresentationID] = []
    private var start = 0

    var count: Int { ids.count - start }
    var oldest: PresentationID? { count > 0 ? ids[start] : nil }

    mutating func append(_ id: PresentationID) { ids.append(id) }

    mutating func removeOldest() {
        guard count > 0 else { return }
        start += 1
        // Compacts rarely, so that the mean cost of a call is low.
        if start > count { compact() }
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
    /// The word of an answer that is given and not on disk yet.
    package static let unrecordedWord = "not on disk yet"

    /// The end of the presentation in words for people, or that its answer is not on disk yet.
    package var ending: String? {
        switch stage {
        case .answered where awaitsRecord: Self.unrecordedWord
        case .open, .claimed, .leaving, .answered: nil
        case .settled(_, .recovered) where failedAgain != nil: RecoveryResult.failedAgainWord
        case .settled(let answer, let result):
            result.words(isCancel: report.isCancel(answer.option))
        case .closed(let reason): words(reason)
        }
    }

    /// Whether the answer was to give up, and the caller gave up: nothing went wrong.
    package var isCancelled: Bool {
        guard case .settled(let answer, .failed) = stage else { return false }
        return report.isCancel(answer.option)
    }

    private func words(_ reason: Outcome.Reason) -> String {
        let applied =
            reason == .expired ? report.options.first { $0.id == report.onExpiry } : nil
        return reason.words(applying: applied?.id)
    }
}

extension ErrorReport {
    /// Whether the option means to give up.
    package func isCancel(_ option: String) -> Bool {
        options.first { $0.id == option }?.role == .cancel
    }
}
