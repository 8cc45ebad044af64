/// The table of an inbox: every presentation put to people here, open or lately ended. Decides
/// what may be done to each; asks no one and sends nothing.
struct InboxMachine: Sendable {
    let limits: InboxLimits
    private(set) var items: [PresentationID: InboxItem] = [:]
    /// Greater with each change.
    private(set) var revision: UInt64 = 0
    private(set) var openCount = 0
    private var groups = InboxGroups()
    private var ended: InboxEnded

    init(limits: InboxLimits) {
        self.limits = limits
        ended = InboxEnded(max: limits.endedMax)
    }

    // MARK: What happened to a question

    /// A question came. Nil when there is no room for it. Asked again under the same id it is open
    /// again: the asking before has ended or is about to.
    mutating func opened(_ question: InboxQuestion, at now: Moment) -> InboxItem? {
        if let earlier = items[question.id] { forget(earlier) }
        guard openCount < limits.openMax else { return nil }
        revision += 1
        let item = InboxItem(
            question, group: groups.add(question.id, CoalescingKey(question.report)), at: now,
            revision: revision)
        items[question.id] = item
        openCount += 1
        if let earlier = question.report.retryOf, items[earlier]?.failedAgain == nil,
            items[earlier] != nil, earlier != question.id
        {
            revision += 1
            items[earlier]?.failedAgain = question.id
            items[earlier]?.revision = revision
        }
        return item
    }

    /// An answer counts, wherever it was given.
    mutating func decided(_ id: PresentationID, _ answer: Answer, at now: Moment) {
        guard let item = items[id] else { return }
        switch item.stage {
        case .open, .claimed, .leaving: change(id, to: .answered(answer), at: now)
        // Another presenter's answer was first after all.
        case .answered(let other) where other.id != answer.id:
            change(id, to: .answered(answer), at: now)
        // Passed on from here, and answered by the next presenter; withheld too late; or another
        // answer was on record when one given here came.
        case .closed: change(id, to: .answered(answer), at: now)
        case .answered, .settled: break
        }
    }

    /// An answer that was taken here does not count: it came too late, which was not known here
    /// yet, or could not be recorded.
    mutating func answerLost(
        _ id: PresentationID, _ answer: UniqueID, _ reason: Outcome.Reason, at now: Moment
    ) {
        if case .answered(let own) = items[id]?.stage, own.id == answer {
            change(id, to: .closed(reason), at: now)
        }
    }

    /// It ended without an answer.
    mutating func closed(_ id: PresentationID, _ reason: Outcome.Reason, at now: Moment) {
        guard let item = items[id] else { return }
        switch item.stage {
        case .open, .claimed, .leaving: change(id, to: .closed(reason), at: now)
        case .answered, .settled, .closed: break
        }
    }

    /// What came of that answer. Known, it stands: a former asking may end later, as unknown.
    mutating func settled(
        _ id: PresentationID, _ answer: UniqueID, _ result: RecoveryResult, at now: Moment
    ) {
        guard let item = items[id], let counted = item.answer, counted.id == answer else { return }
        if case .settled(_, let known) = item.stage, known != .unknown { return }
        change(id, to: .settled(counted, result), at: now)
    }

    mutating func contactChanged(_ id: PresentationID, isReachable: Bool, at now: Moment) {
        guard items[id] != nil, items[id]?.isReachable != isReachable else { return }
        revision += 1
        items[id]?.isReachable = isReachable
        items[id]?.revision = revision
    }

    // MARK: Looking at it

    /// What changed after `seen`, oldest change first; claims that ran out are open again.
    func items(changedAfter seen: UInt64, at now: Moment) -> [InboxItem] {
        items.values.filter { $0.revision > seen }.map { $0.asOf(now) }
            .sorted { $0.revision < $1.revision }
    }

    func item(_ id: PresentationID, at now: Moment) throws(InboxRefusal) -> InboxItem {
        guard let item = items[id] else { throw .unknown(id) }
        return item.asOf(now)
    }

    /// Whether a presentation was left to itself for so long, or when to look again.
    func neglect(
        of id: PresentationID, after limit: Duration, at now: Moment
    ) -> InboxNeglect {
        guard let item = items[id]?.asOf(now) else { return .over }
        switch item.stage {
        case .open:
            let due = item.changedAt.instant + limit
            return due <= now.instant ? .neglected : .lookAgain(at: due)
        // Given back or taken back, it is open again without a word: not seen later than this.
        case .claimed(_, let until), .leaving(_, at: let until):
            let left = now.instant.duration(to: until.instant)
            return .lookAgain(at: now.instant + max(.seconds(1), min(limit, left)))
        case .answered, .settled, .closed: return .over
        }
    }

    /// Groups with an open member, gravest first, then oldest.
    func openGroups(at now: Moment) -> [InboxGroup] {
        groups.all.compactMap { number, ids in
            let members = ids.compactMap { items[$0] }.sorted {
                $0.openedRevision < $1.openedRevision
            }
            guard let first = members.first else { return nil }
            return InboxGroup(
                number: number, members: members.map(\.id), first: first.asOf(now),
                severity: members.map(\.report.severity).max() ?? first.report.severity,
                originCount: Set(members.map(\.origin)).count)
        }
        .sorted {
            $0.severity != $1.severity
                ? $0.severity > $1.severity : $0.first.openedRevision < $1.first.openedRevision
        }
    }

    /// The members of an open group, oldest first; nil when no such group is open.
    func members(ofGroup number: Int) -> [InboxItem]? {
        groups.members(of: number)?.compactMap { items[$0] }
            .sorted { $0.openedRevision < $1.openedRevision }
    }

    mutating func change(
        _ id: PresentationID, to stage: InboxItem.Stage, at now: Moment
    ) {
        guard var item = items[id] else { return }
        let wasOpen = item.isOpen
        let hadEnded = item.hasEnded
        revision += 1
        item.stage = stage
        item.changedAt = now
        item.revision = revision
        items[id] = item
        if wasOpen, !item.isOpen {
            openCount -= 1
            groups.remove(id, from: item.group)
        } else if !wasOpen, item.isOpen {
            // Undone: open again, in the group that is open now.
            openCount += 1
            items[id]?.group = groups.add(id, CoalescingKey(item.report))
        }
        if item.hasEnded, !hadEnded, let oldest = ended.append(id) { items[oldest] = nil }
    }

    mutating func remember(takenBack answer: UniqueID, of id: PresentationID) {
        items[id]?.takeBack(answer)
    }

    private mutating func forget(_ item: InboxItem) {
        if item.isOpen {
            openCount -= 1
            groups.remove(item.id, from: item.group)
        }
        if item.hasEnded { ended.remove(item.id) }
        items[item.id] = nil
    }
}

/// Whether a presentation in an inbox waits in vain.
enum InboxNeglect: Hashable, Sendable {
    /// It has ended, or is gone.
    case over
    /// No person has looked after it for too long.
    case neglected
    /// A person looks after it, or it is too early to tell.
    case lookAgain(at: ContinuousClock.Instant)
}

extension InboxMachine {
    /// A person answers.
    ///
    /// - Parameter undo: How long it is held back so that it can be taken back; never beyond the
    ///   deadline.
    mutating func answer(
        _ id: PresentationID, with answer: Answer, undo: Duration, at now: Moment
    ) throws(InboxRefusal) -> InboxDecision {
        let item = try item(id, at: now)
        guard undo <= limits.undoMax else { throw .tooLong(what: "undo", allowed: limits.undoMax) }
        if let earlier = item.answer {
            guard earlier.id == answer.id, earlier.option == answer.option else {
                throw .answered(earlier, at: item.changedAt)
            }
            return .acknowledged(earlier)
        }
        try refuseEnded(item)
        guard !item.takenBack.contains(answer.id) else { throw .takenBack }
        try refuseOthersClaim(item, answer.by, at: now)
        let offered = item.report.options.map(\.id)
        guard offered.contains(answer.option) else {
            throw .notOffered(option: answer.option, offered: offered)
        }
        guard undo > .zero else {
            change(id, to: .answered(answer), at: now)
            return .send(answer)
        }
        let left = item.deadline.map { now.instant.duration(to: $0) } ?? undo
        let leaves = now + max(.zero, min(undo, left))
        change(id, to: .leaving(answer, at: leaves), at: now)
        return .hold(answer, until: leaves)
    }

    /// The time to undo has passed. Nil when it was undone, or ended, meanwhile.
    mutating func left(_ id: PresentationID, _ answer: UniqueID, at now: Moment) -> Answer? {
        guard case .leaving(let leaving, _) = items[id]?.stage, leaving.id == answer else {
            return nil
        }
        change(id, to: .answered(leaving), at: now)
        return leaving
    }

    /// No time to undo is left for any answer. Returns them, oldest presentation first.
    mutating func leaveAll(at now: Moment) -> [(PresentationID, Answer)] {
        items.values.sorted { $0.openedRevision < $1.openedRevision }.compactMap { item in
            guard case .leaving(let answer, _) = item.stage else { return nil }
            return left(item.id, answer.id, at: now).map { (item.id, $0) }
        }
    }

    /// Takes back an answer that has not left.
    mutating func undo(_ id: PresentationID, at now: Moment) throws(InboxRefusal) {
        let item = try item(id, at: now)
        guard case .leaving(let answer, _) = item.stage else { throw .nothingToUndo }
        takeBack(id, answer, at: now)
    }

    /// It stays claimed for a minute, so that no other answer comes in between.
    private mutating func takeBack(_ id: PresentationID, _ answer: Answer, at now: Moment) {
        change(id, to: .claimed(by: answer.by, until: now + .seconds(60)), at: now)
        remember(takenBack: answer.id, of: id)
    }

    /// Takes back every answer of a group that has not left.
    mutating func undoGroup(
        _ number: Int, at now: Moment
    ) throws(InboxRefusal) -> [PresentationID] {
        let members = items.values.filter { $0.group == number }
        guard !members.isEmpty else { throw .unknownGroup(number) }
        var undone: [PresentationID] = []
        for item in members.sorted(by: { $0.openedRevision < $1.openedRevision }) {
            guard case .leaving(let answer, _) = item.stage else { continue }
            takeBack(item.id, answer, at: now)
            undone.append(item.id)
        }
        guard !undone.isEmpty else { throw .nothingToUndo }
        return undone
    }

    /// Ends it unanswered, unless a person looks after it.
    mutating func withheld(
        _ id: PresentationID, by decider: String, at now: Moment
    ) throws(InboxRefusal) {
        let item = try item(id, at: now)
        try refuseEnded(item)
        try refuseOthersClaim(item, decider, at: now)
        change(id, to: .closed(.withheld), at: now)
    }

    /// A person takes it on for a time; again by the same person renews it.
    mutating func claim(
        _ id: PresentationID, by person: String, for time: Duration, takesOver: Bool,
        at now: Moment
    ) throws(InboxRefusal) -> Moment {
        let item = try item(id, at: now)
        guard time <= limits.claimMax else {
            throw .tooLong(what: "a claim", allowed: limits.claimMax)
        }
        try refuseEnded(item)
        if !takesOver { try refuseOthersClaim(item, person, at: now) }
        change(id, to: .claimed(by: person, until: now + time), at: now)
        return now + time
    }

    /// Gives a claim back. Another person's is refused.
    mutating func release(
        _ id: PresentationID, by person: String, at now: Moment
    ) throws(InboxRefusal) {
        let item = try item(id, at: now)
        try refuseEnded(item)
        try refuseOthersClaim(item, person, at: now)
        if case .claimed = item.stage { change(id, to: .open, at: now) }
    }

    /// The members of an open group, oldest first: those that had come by `seen`, since an answer
    /// is for what its giver saw.
    func members(
        ofGroup number: Int, seen: UInt64?
    ) throws(InboxRefusal) -> [PresentationID] {
        guard let members = members(ofGroup: number) else { throw .unknownGroup(number) }
        return members.filter { $0.openedRevision <= seen ?? .max }.map(\.id)
    }

    private func refuseEnded(_ item: InboxItem) throws(InboxRefusal) {
        if let answer = item.answer { throw .answered(answer, at: item.changedAt) }
        if case .closed(let reason) = item.stage { throw .closed(reason, at: item.changedAt) }
    }

    private func refuseOthersClaim(
        _ item: InboxItem, _ person: String, at now: Moment
    ) throws(InboxRefusal) {
        if case .claimed(let by, let until) = item.stage, by != person, now < until {
            throw .claimed(by: by, until: until)
        }
    }
}

/// How much an inbox holds, and for how long. Times are monotonic.
package struct InboxLimits: Hashable, Sendable {
    /// Open presentations; above it the next presenter is asked.
    package var openMax = 50_000
    /// Ended presentations that are kept for people to look at; the oldest go first.
    package var endedMax = 2_000
    /// A claim that is not renewed ends by itself.
    package var claimMax: Duration = .seconds(3_600)
    /// How long an answer may be held back so that it can be undone.
    package var undoMax: Duration = .seconds(60)
    /// Unanswered and unclaimed for this long, the next presenter is asked; nil: never.
    package var escalateAfter: Duration?

    package init() {}
}
