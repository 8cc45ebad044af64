// What people do with a presentation.
extension InboxMachine {
    /// Answers one presentation.
    ///
    /// - Parameters:
    ///   - values: The values of the option's fields.
    ///   - identity: Who the author is, whatever the name; also for the other acts.
    ///   - undo: How long the answer is held so that it can be undone; at most until the deadline.
    package mutating func answer(
        _ id: PresentationID, with answer: Answer, _ values: [String: JSONValue] = [:],
        of identity: String? = nil, undo: Duration, at now: Moment
    ) throws(InboxRefusal) -> InboxDecision {
        let item = try item(id, at: now)
        let filled = item.filled(answer, with: values)
        let given = (try? filled.get()) ?? answer
        if let earlier = try repeated(given, by: identity, of: item) {
            return .acknowledged(earlier)
        }
        try refuseOthersClaim(item, answer.by, identity, at: now)
        try item.refuseUnlessAnswerable(answer.option)
        return try accept(try filled.get(), of: identity, to: item, undo: undo, at: now)
    }

    /// The recorded answer, if this answer repeats it. Refuses another answer with its id, a
    /// repetition of an undone answer, and any answer after the end.
    func repeated(
        _ answer: Answer, by identity: String?, of item: InboxItem
    ) throws(InboxRefusal) -> Answer? {
        if let earlier = item.answer, earlier.id == answer.id {
            let author = SignedInPerson(earlier.by, identity: item.holder)
            guard author.isOne(with: SignedInPerson(answer.by, identity: identity)),
                earlier.option == answer.option, earlier.hasValues(of: answer)
            else { throw .otherAnswer(by: earlier.authors) }
            return earlier
        }
        try refuseEnded(item)
        guard !item.takenBack.contains(answer.id) else { throw .takenBack }
        return nil
    }

    /// Refuses the id of an answer to another presentation that is kept here.
    package func refuseReuse(
        of answer: UniqueID?, for id: PresentationID
    ) throws(InboxRefusal) {
        guard let answer, let other = answered[answer], other != id,
            let earlier = items[other]?.answer
        else { return }
        throw .otherAnswer(by: earlier.authors)
    }

    mutating func accept(
        _ answer: Answer, of identity: String?, to item: InboxItem, undo: Duration, at now: Moment
    ) throws(InboxRefusal) -> InboxDecision {
        guard undo <= limits.undoMax else { throw .tooLong(what: "undo", allowed: limits.undoMax) }
        try item.refuseExpired(at: now)
        let id = item.id
        guard undo > .zero else {
            change(id, to: .answered(answer.withoutSecrets), at: now)
            return .send(answer)
        }
        let left = item.deadline.map { now.instant.duration(to: $0) } ?? undo
        let leaves = now + max(.zero, min(undo, left))
        set(holder: identity, of: id)
        change(id, to: .leaving(answer, at: leaves), at: now)
        return .hold(answer, until: leaves)
    }

    /// The time to undo has passed. Nil when the answer was undone, or the presentation ended,
    /// meanwhile.
    package mutating func left(_ id: PresentationID, _ answer: UniqueID, at now: Moment) -> Answer?
    {
        guard case .leaving(let leaving, _) = items[id]?.stage, leaving.id == answer else {
            return nil
        }
        change(id, to: .answered(leaving.withoutSecrets), at: now)
        return leaving
    }

    /// Ends the time to undo of every held answer. Returns them, oldest presentation first.
    package mutating func leaveAll(at now: Moment) -> [(PresentationID, Answer)] {
        items.values.sorted { $0.openedRevision < $1.openedRevision }.compactMap { item in
            guard case .leaving(let answer, _) = item.stage else { return nil }
            return left(item.id, answer.id, at: now).map { (item.id, $0) }
        }
    }

    /// Undoes an answer that is still held; with `only` no other one.
    ///
    /// - Parameter dropped: Drops the answer from its prompt; false when it counts already.
    package mutating func undo(
        _ id: PresentationID, only meant: UniqueID? = nil, at now: Moment,
        dropped: (PresentationID, UniqueID) -> Bool = { _, _ in true }
    ) throws(InboxRefusal) {
        let item = try item(id, at: now)
        guard case .leaving(let answer, let time) = item.stage, meant == nil || meant == answer.id,
            now.instant < time.instant, dropped(id, answer.id)
        else { throw .nothingToUndo }
        takeBack(id, answer, at: now)
    }

    /// Reopens the presentation, claimed by the answer's author for a minute, so that no other
    /// answer comes between.
    private mutating func takeBack(_ id: PresentationID, _ answer: Answer, at now: Moment) {
        change(
            id, to: .claimed(by: answer.by, until: now + InboxPast.claimAfterUndo), at: now)
        remember(takenBack: answer.id, of: id)
    }

    /// Undoes the held ones among these answers of a group.
    ///
    /// - Parameter dropped: Drops an answer from its prompt; false when it counts already.
    package mutating func undoGroup(
        _ number: Int, only answers: Set<UniqueID>, at now: Moment,
        dropped: (PresentationID, UniqueID) -> Bool = { _, _ in true }
    ) throws(InboxRefusal) -> [PresentationID] {
        let members = items.values.filter { $0.group == number }
        guard !members.isEmpty else { throw .unknownGroup(number) }
        var undone: [PresentationID] = []
        for item in members.sorted(by: { $0.openedRevision < $1.openedRevision }) {
            guard case .leaving(let answer, let time) = item.stage, answers.contains(answer.id),
                now.instant < time.instant, dropped(item.id, answer.id)
            else { continue }
            takeBack(item.id, answer, at: now)
            undone.append(item.id)
        }
        guard !undone.isEmpty else { throw .nothingToUndo }
        return undone
    }

    /// Ends the presentation without an answer, unless a person has claimed it.
    ///
    /// - Parameter closing: Closes its prompt; throws when that has ended before.
    package mutating func withheld(
        _ id: PresentationID, by decider: String, at now: Moment,
        closing: () throws(InboxRefusal) -> Void = {}
    ) throws(InboxRefusal) {
        let item = try item(id, at: now)
        try refuseEnded(item)
        try refuseOthersClaim(item, decider, at: now)
        try closing()
        change(id, to: .closed(.withheld), at: now)
    }

    /// Claims the presentation for a time; the same person renews the claim by repeating it.
    ///
    /// - Parameter receiver: The person to whom the claim is handed; nil: the claim stays with the
    ///   person who claims.
    package mutating func claim(
        _ id: PresentationID, by person: String, of identity: String? = nil,
        for time: Duration, takesOver: Bool, to receiver: String? = nil, at now: Moment
    ) throws(InboxRefusal) -> Moment {
        let item = try item(id, at: now)
        try refuseLongClaim(time)
        try refuseEnded(item)
        if !takesOver { try refuseOthersClaim(item, person, identity, at: now) }
        let holder = receiver ?? person
        // Of the receiver only the name is known.
        set(holder: holder == person ? identity : nil, of: id)
        change(id, to: .claimed(by: holder, until: now + time), at: now)
        return now + time
    }

    /// Releases a claim. Another person's claim is refused.
    ///
    /// - Returns: Whether there was a claim.
    @discardableResult
    package mutating func release(
        _ id: PresentationID, by person: String, of identity: String? = nil, at now: Moment
    ) throws(InboxRefusal) -> Bool {
        let item = try item(id, at: now)
        try refuseEnded(item)
        try refuseOthersClaim(item, person, identity, at: now)
        guard case .claimed = item.stage else { return false }
        change(id, to: .open, at: now)
        return true
    }

    /// Claims the open members of a group, except those that another person has claimed.
    package mutating func claimGroup(
        _ number: Int, only chosen: Set<PresentationID>? = nil, seen: UInt64? = nil,
        by person: String, of identity: String? = nil, for time: Duration, takesOver: Bool,
        to receiver: String? = nil, at now: Moment
    ) throws(InboxRefusal) -> GroupClaim {
        try refuseLongClaim(time)
        var result = GroupClaim()
        for id in try members(ofGroup: number, seen: seen) where chosen?.contains(id) ?? true {
            do throws(InboxRefusal) {
                result.until = try claim(
                    id, by: person, of: identity, for: time, takesOver: takesOver, to: receiver,
                    at: now)
                result.changed.append(id)
            } catch {
                result.refused[id] = error
            }
        }
        return result
    }

    /// Releases the claims of this person in a group.
    package mutating func releaseGroup(
        _ number: Int, only chosen: Set<PresentationID>? = nil, seen: UInt64? = nil,
        by person: String, of identity: String? = nil, at now: Moment
    ) throws(InboxRefusal) -> GroupClaim {
        var result = GroupClaim()
        for id in try members(ofGroup: number, seen: seen) where chosen?.contains(id) ?? true {
            do throws(InboxRefusal) {
                guard case .claimed = try item(id, at: now).stage else { continue }
                try release(id, by: person, of: identity, at: now)
                result.changed.append(id)
            } catch {
                result.refused[id] = error
            }
        }
        return result
    }

    private func refuseLongClaim(_ time: Duration) throws(InboxRefusal) {
        guard time <= limits.claimMax else {
            throw .tooLong(what: "a claim", allowed: limits.claimMax)
        }
    }

    /// The open members of a group, oldest first, that had come into it by revision `seen`: an
    /// answer covers only what its author saw. These include the members that a request with this
    /// id has answered, also where that was undone: its repetition is refused.
    package func members(
        ofGroup number: Int, seen: UInt64?, doneBy request: UniqueID? = nil
    ) throws(InboxRefusal) -> [PresentationID] {
        let done = items.values.filter {
            $0.group == number && !$0.isOpen && $0.isAnswered(by: request)
        }
        let open = members(ofGroup: number)
        guard open != nil || !done.isEmpty else { throw .unknownGroup(number) }
        let members = ((open ?? []) + done).sorted { $0.isOlder(than: $1) }
        return members.filter { $0.joinedRevision <= seen ?? .max || $0.hasTakenBack(request) }
            .map(\.id)
    }

    func refuseEnded(_ item: InboxItem) throws(InboxRefusal) {
        if let answer = item.answer { throw .answered(answer, at: item.changedAt) }
        if case .closed(let reason) = item.stage { throw .closed(reason, at: item.changedAt) }
    }

    func refuseOthersClaim(
        _ item: InboxItem, _ person: String, _ identity: String? = nil, at now: Moment
    ) throws(InboxRefusal) {
        guard case .claimed(let by, let until) = item.stage, now < until else { return }
        let claimant = SignedInPerson(by, identity: item.holder)
        guard !claimant.isOne(with: SignedInPerson(person, identity: identity)) else { return }
        throw .claimed(by: by, until: until)
    }
}
