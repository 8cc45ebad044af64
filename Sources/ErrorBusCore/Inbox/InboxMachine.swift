/// The table of an inbox: each presentation that people here see, open or recently ended. Decides
/// which acts on it are allowed; does no I/O.
package struct InboxMachine: Sendable {
    let limits: InboxLimits
    let digest: @Sendable (ErrorReport) -> [UInt8]
    package private(set) var items: [PresentationID: InboxItem] = [:]
    /// Greater with each change.
    package private(set) var revision: UInt64 = 0
    /// The latest forgotten change: a reader that has seen less may lack an end.
    package private(set) var forgottenRevision: UInt64 = 0
    package private(set) var openCount = 0
    private(set) var groups = InboxGroups()
    /// The presentations with an answer, by the id of that.
    private(set) var answered: [UniqueID: PresentationID] = [:]
    private var ended = InboxEnds()
    /// The revision up to which changes are stored elsewhere; ended items with later changes stay.
    private var keptRevision = UInt64.max
    /// The presentations that were open at the end of an earlier life of the node, and were not
    /// presented again yet.
    private var awaited: [PresentationID: InboxPast] = [:]
    /// The changes of stages that no reader has taken yet; nil without a reader.
    package var changes: [InboxChange]?

    /// - Parameter digest: Makes a digest of a report, for which no relay can make another report.
    package init(limits: InboxLimits, digest: @escaping @Sendable (ErrorReport) -> [UInt8]) {
        self.limits = limits
        self.digest = digest
    }

    /// Restores the presentations of an earlier life of the node, before the first one arrives.
    /// Ended ones are here at once, open ones when they are presented again.
    ///
    /// - Parameter records: Ended ones in the order of their ends.
    package mutating func restored(_ records: [InboxRecord], at now: Moment) {
        for record in records {
            let item = InboxItem(record, at: now, revision: revision + 1)
            guard item.hasEnded else {
                awaited[item.id] = InboxPast(record)
                continue
            }
            revision += 1
            items[item.id] = item
            note(item.answer, of: item.id)
            ended.append(item)
        }
        forgetOldest()
    }

    // MARK: What happened to a presentation

    /// A presentation arrived. Nil when the inbox is full. A known id is open again, with its age
    /// and its claim: its earlier call has ended or is about to.
    package mutating func opened(_ presentation: InboxPresentation, at now: Moment) -> InboxItem? {
        let before = items[presentation.id]
        var past = before.map(InboxPast.init) ?? awaited[presentation.id]
        past?.dropProposal(unlessFor: presentation.report, digest)
        if let before { forget(before) }
        guard openCount < limits.openMax else {
            if before != nil {
                revision += 1
                forgottenRevision = revision
            }
            return nil
        }
        awaited[presentation.id] = nil
        revision += 1
        let item = InboxItem(
            presentation,
            group: groups.add(
                presentation.id, CoalescingKey(presentation.report), at: revision),
            past: past, at: now, revision: revision)
        items[presentation.id] = item
        openCount += 1
        let isNew = before.map(\.hasEnded) ?? true
        changes?.append(InboxChange(item: item, before: isNew ? nil : before?.stage))
        if let earlier = presentation.report.retryOf, items[earlier]?.failedAgain == nil,
            items[earlier] != nil, earlier != presentation.id
        {
            revision += 1
            items[earlier]?.failedAgain = presentation.id
            markChanged(earlier)
        }
        return item
    }

    /// An answer was recorded, wherever it was given. Its secrets are not kept.
    package mutating func decided(_ id: PresentationID, _ answer: Answer, at now: Moment) {
        guard let item = items[id] else { return }
        let answer = answer.withoutSecrets
        switch item.stage {
        case .open, .claimed, .leaving: change(id, to: .answered(answer), at: now)
        // Another presenter's answer was first.
        case .answered(let other) where other.id != answer.id:
            change(id, to: .answered(answer), at: now)
        // Declined here and answered by the next presenter; or another answer was on record before
        // one given here.
        case .closed: change(id, to: .answered(answer), at: now)
        case .answered, .settled: break
        }
    }

    /// An answer given here does not count: it came after an end that was not known here yet, or
    /// the journal could not record it.
    ///
    /// - Parameter isUnwritten: Whether the journal lacks the answer: the item then says so.
    package mutating func answerLost(
        _ id: PresentationID, _ answer: UniqueID, _ reason: Outcome.Reason,
        isUnwritten: Bool = false, at now: Moment
    ) {
        if case .answered(let own) = items[id]?.stage, own.id == answer {
            if isUnwritten { items[id]?.unwritten = own }
            change(id, to: .closed(reason), at: now)
        }
    }

    /// The journal could not be written with an answer, which waits; or it has the answer now.
    package mutating func recordChanged(
        _ id: PresentationID, _ answer: UniqueID, isDelayed: Bool
    ) {
        guard case .answered(let own) = items[id]?.stage, own.id == answer,
            items[id]?.awaitsRecord != isDelayed
        else { return }
        revision += 1
        items[id]?.awaitsRecord = isDelayed
        markChanged(id)
    }

    /// The presentation ended without an answer.
    package mutating func closed(_ id: PresentationID, _ reason: Outcome.Reason, at now: Moment) {
        guard let item = items[id] else { return }
        switch item.stage {
        case .open, .claimed, .leaving: change(id, to: .closed(reason), at: now)
        case .answered, .settled, .closed: break
        }
    }

    /// The result of the answer arrived. A known result stands: an earlier call may end later, as
    /// unknown.
    package mutating func settled(
        _ id: PresentationID, _ answer: UniqueID, _ result: RecoveryResult, at now: Moment
    ) {
        guard let item = items[id], let counted = item.answer, counted.id == answer else { return }
        if case .settled(_, let known) = item.stage, known != .unknown { return }
        change(id, to: .settled(counted, result), at: now)
    }

    package mutating func contactChanged(_ id: PresentationID, isReachable: Bool, at now: Moment) {
        guard items[id] != nil, items[id]?.isReachable != isReachable else { return }
        revision += 1
        items[id]?.isReachable = isReachable
        markChanged(id)
    }

    // MARK: Looking at it

    /// The items changed after `seen`, oldest change first; claims that ran out are open again.
    package func items(changedAfter seen: UInt64, at now: Moment) -> [InboxItem] {
        items.values.filter { $0.revision > seen }.map { $0.asOf(now) }
            .sorted { $0.revision < $1.revision }
    }

    package func item(_ id: PresentationID, at now: Moment) throws(InboxRefusal) -> InboxItem {
        guard let item = items[id] else { throw .unknown(id) }
        return item.asOf(now)
    }

    /// The neglect of a presentation for so long, or when to check again.
    package func neglect(
        of id: PresentationID, after limit: Duration, at now: Moment
    ) -> InboxNeglect {
        guard let item = items[id]?.asOf(now) else { return .over }
        // A release or an undo reopens it without an event for this check: hence at the latest now.
        func lookAgain(until: Moment) -> InboxNeglect {
            let left = now.instant.duration(to: until.instant)
            return .lookAgain(at: now.instant + max(.seconds(1), min(limit, left)))
        }
        // It waits for a second person.
        if let proposal = item.proposal { return lookAgain(until: proposal.until) }
        switch item.stage {
        case .open:
            let due = item.changedAt.instant + limit
            return due <= now.instant ? .neglected : .lookAgain(at: due)
        case .claimed(_, let until), .leaving(_, at: let until): return lookAgain(until: until)
        case .answered, .settled, .closed: return .over
        }
    }

    /// Closes a presentation as declined if people have neglected it for so long.
    package mutating func declineNeglected(
        _ id: PresentationID, after limit: Duration, at now: Moment
    ) -> InboxNeglect {
        let neglect = neglect(of: id, after: limit, at: now)
        if neglect == .neglected { closed(id, .declined, at: now) }
        return neglect
    }

    /// Groups with an open member, gravest first, then oldest.
    package func openGroups(at now: Moment) -> [InboxGroup] {
        groups.openNumbers.compactMap { openGroup($0, at: now) }
            .sorted {
                $0.severity != $1.severity
                    ? $0.severity > $1.severity : $0.first.isOlder(than: $1.first)
            }
    }

    /// The open group of that number; nil when no such group is open.
    func openGroup(_ number: Int, at now: Moment) -> InboxGroup? {
        guard let members = members(ofGroup: number), let first = members.first else { return nil }
        return InboxGroup(
            number: number, members: members.map(\.id), first: first.asOf(now),
            severity: members.map(\.report.severity).max() ?? first.report.severity,
            originCount: Set(members.map(\.origin)).count)
    }

    /// The members of an open group, oldest first; nil when no such group is open.
    func members(ofGroup number: Int) -> [InboxItem]? {
        groups.members(of: number)?.compactMap { items[$0] }.sorted { $0.isOlder(than: $1) }
    }

    mutating func change(_ id: PresentationID, to stage: InboxItem.Stage, at now: Moment) {
        guard var item = items[id] else { return }
        let before = item.stage
        let earlier = item.answer
        let wasOpen = item.isOpen
        let hadEnded = item.hasEnded
        revision += 1
        item.stage = stage
        item.awaitsRecord = false
        if stage.claim == nil { item.holder = nil }
        if !item.isOpen { item.drop(item.proposal) }
        item.changedAt = now
        item.revision = revision
        items[id] = item
        note(item.answer, of: id, insteadOf: earlier)
        if wasOpen, !item.isOpen {
            openCount -= 1
            groups.remove(id, from: item.group, at: revision, remembering: limits.endedMax)
        } else if !wasOpen, item.isOpen {
            // Undone: open again, in the group that is open now.
            openCount += 1
            items[id]?.group = groups.add(id, CoalescingKey(item.report), at: revision)
            items[id]?.joinedRevision = revision
        } else if item.isOpen {
            groups.memberChanged(in: item.group, at: revision)
        }
        changes?.append(InboxChange(item: items[id] ?? item, before: before))
        if hadEnded, item.hasEnded, (earlier == nil) != (item.answer == nil) {
            // Declined here, and answered by the next presenter; or an answer did not count.
            ended.remove(item, hadAnswer: earlier != nil)
            ended.append(item)
        }
        if item.hasEnded, !hadEnded {
            ended.append(item)
            forgetOldest()
        }
    }

    /// Notes the answer of a presentation, which had another one or none before.
    private mutating func note(
        _ answer: Answer?, of id: PresentationID, insteadOf earlier: Answer? = nil
    ) {
        if let earlier, answered[earlier.id] == id { answered[earlier.id] = nil }
        if let answer { answered[answer.id] = id }
    }

    /// Sets the identity of the person who makes the claim that follows, or gives the held answer.
    mutating func set(holder: String?, of id: PresentationID) { items[id]?.holder = holder }

    /// Sets the proposal of one person, or drops it: a late repetition of a dropped proposal
    /// proposes nothing.
    mutating func set(proposal: InboxProposal?, of id: PresentationID) {
        guard var item = items[id] else { return }
        revision += 1
        item.drop(item.proposal)
        item.proposal = proposal
        items[id] = item
        markChanged(id)
        changes?.append(
            InboxChange(
                item: items[id] ?? item, before: item.stage, isProposal: proposal != nil))
    }

    mutating func add(_ note: InboxNote, to id: PresentationID) {
        guard items[id] != nil else { return }
        revision += 1
        items[id]?.notes.append(note)
        markChanged(id)
    }

    /// The latest change is one of this presentation, which stays in its stage.
    private mutating func markChanged(_ id: PresentationID) {
        items[id]?.revision = revision
        guard let item = items[id], item.isOpen else { return }
        groups.memberChanged(in: item.group, at: revision)
    }

    /// Notes that the changes up to this revision are stored.
    package mutating func kept(upTo revision: UInt64) {
        keptRevision = revision
        forgetOldest()
    }

    private mutating func forgetOldest() {
        while let (oldest, hasAnswer) = ended.next(limits) {
            // A store that fails for long must not fill the memory.
            let isKept = items[oldest].map { $0.revision <= keptRevision } ?? true
            guard isKept || ended.isFull(limits) else { return }
            let forgotten = items.removeValue(forKey: oldest)
            let byteCount = forgotten?.report.roughByteCount ?? 0
            ended.removeOldest(hasAnswer: hasAnswer, of: byteCount)
            note(nil, of: oldest, insteadOf: forgotten?.answer)
            forgottenRevision = max(forgottenRevision, forgotten?.revision ?? 0)
        }
    }

    package mutating func takeChanges() -> [InboxChange] {
        defer { changes = changes.map { _ in [] } }
        return changes ?? []
    }

    mutating func remember(takenBack answer: UniqueID, of id: PresentationID) {
        items[id]?.takeBack(answer)
    }

    private mutating func forget(_ item: InboxItem) {
        if item.isOpen {
            openCount -= 1
            // A change that is counted next.
            groups.remove(
                item.id, from: item.group, at: revision + 1, remembering: limits.endedMax)
        }
        if item.hasEnded { ended.remove(item, hadAnswer: item.answer != nil) }
        note(nil, of: item.id, insteadOf: item.answer)
        items[item.id] = nil
    }
}

/// Whether a presentation in an inbox is neglected.
package enum InboxNeglect: Hashable, Sendable {
    /// The presentation has ended.
    case over
    /// The presentation was neither answered nor claimed for too long.
    case neglected
    /// The presentation is claimed, or not yet due.
    case lookAgain(at: ContinuousClock.Instant)
}

/// The limits of an inbox. Times are monotonic.
package struct InboxLimits: Hashable, Sendable {
    /// The most open presentations; above it the node asks the next presenter.
    package var openMax = 131_072
    /// The most ended presentations kept for people to read; the oldest go first. Those that people
    /// answered have a half of them, and so have the others, or what the other half leaves free.
    package var endedMax = 2_000
    /// About the most bytes of the reports of ended presentations; the oldest of the sort that has
    /// more go first: those that people answered, or the others.
    package var endedByteMax = 64 << 20
    /// The longest claim; a claim that is not renewed ends by itself.
    package var claimMax: Duration = .seconds(3_600)
    /// The time that a proposal waits for the second person.
    package var proposalMax: Duration = .seconds(3_600)
    /// The longest time an answer may be held so that it can be undone.
    package var undoMax: Duration = .seconds(60)
    /// The most notes of one presentation.
    package var noteMax = 50
    /// The time that a presentation may stay unanswered and unclaimed before the node asks the next
    /// presenter; nil: without a limit.
    package var escalateAfter: Duration?

    package init() {}
}
