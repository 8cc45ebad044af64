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
        // Passed on from here, and answered by the next presenter; or withheld too late.
        case .closed(.declined), .closed(.withheld): change(id, to: .answered(answer), at: now)
        case .answered, .settled, .closed: break
        }
    }

    /// An answer given here came too late: it had ended, which was not known here yet.
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

    /// What came of that answer.
    mutating func settled(
        _ id: PresentationID, _ answer: UniqueID, _ result: RecoveryResult, at now: Moment
    ) {
        guard let counted = items[id]?.answer, counted.id == answer else { return }
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

    /// The members of an open group, oldest first; nil when there is no such group (any more).
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
