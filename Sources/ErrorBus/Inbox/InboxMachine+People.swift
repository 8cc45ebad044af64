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
