import ErrorBus
import Foundation

// Groups that are answered or claimed, whole or in part.
extension InboxScreen {
    /// The way to take a claim over here, for refusals.
    static let takeOver = "C takes it over"

    /// Leaves the member at the cursor out of the answer for its group, or takes it in again. At
    /// the row of the group, takes in all members.
    mutating func toggleMember(at now: Moment) {
        guard let row = chosenRow, let entry = entries[row.id] else { return }
        switch row.kind {
        case .member where entry.isOpen:
            if leftOut.remove(entry.id) == nil { leftOut.insert(entry.id) }
        case .group where row.leftCount > 0:
            leftOut.subtract(entries.values.lazy.filter { $0.group == entry.group }.map(\.id))
        case .group:
            say("x leaves out the member at the cursor: Enter opens the group", at: now.instant)
        case .member: say("no longer open", .yellow, at: now.instant)
        case .single: say("x leaves out a member of a group: this row is not one", at: now.instant)
        }
        areRowsOld = true
    }

    /// A chosen option, for one presentation or a group. It answers only members that were on the
    /// screen, and none that is left out. With a proposal on the screen, it answers only members
    /// with the same proposal of the same person: the person here has seen no other.
    func question(
        _ option: ErrorReport.Option, for entry: InboxEntry, confirming proposal: ProposalView?,
        isGroup: Bool, at now: Moment
    ) -> Question {
        let seen = isGroup ? seenMembers(of: entry.group) : [entry]
        var answered = isGroup ? seen.filter { !leftOut.contains($0.id) } : seen
        var confirms: [String: String] = [:]
        if let proposal {
            answered = answered.filter { $0.proposal(at: now.date)?.isLike(proposal) == true }
            for each in answered { confirms[each.id] = each.proposal(at: now.date)?.id }
        }
        return Question(
            id: entry.id, option: option, group: entry.group,
            members: InboxMembers(answered).entries.map(\.id),
            leftCount: seen.count - answered.count, seen: shownRevision,
            proposer: proposal?.by, confirms: confirms, isWhole: false)
    }

    /// The open members of a group that were on the screen, whatever the filter shows.
    private func seenMembers(of group: Int64) -> [InboxEntry] {
        entries.values.filter {
            $0.group == group && $0.isOpen && $0.arrivedAt <= shownRevision
        }
    }

    /// The members at the row; for a group, the members on the screen that are not left out.
    private func members(at row: InboxRow) -> [InboxEntry] {
        guard let entry = entries[row.id] else { return [] }
        guard row.isGroup else { return [entry] }
        return seenMembers(of: entry.group).filter { !leftOut.contains($0.id) }
    }

    /// Whether this person has claimed the row: for a group, all members that are not left out.
    func isClaimed(_ row: InboxRow, at now: Date) -> Bool {
        let members = members(at: row)
        return !members.isEmpty && members.allSatisfy { $0.claimant(at: now) == person }
    }

    /// Claims the presentations of the row, or releases them if this person has claimed all of
    /// them: for a group, the members that were on the screen and are not left out.
    ///
    /// - Parameters:
    ///   - takeOver: Whether to take over the claims of others. If all claims are this person's
    ///     they are prolonged; a claim that another person has by then stays with that person.
    ///     Members that this person has claimed for longer keep their claims.
    ///   - receiver: The person to whom the claim is handed; nil: this person keeps it.
    mutating func claim(
        _ row: InboxRow, takeOver: Bool, to receiver: String?, at now: Moment
    ) -> [Action] {
        guard let entry = entries[row.id] else { return [] }
        let isOwn = isClaimed(row, at: now.date)
        let isReleased = isOwn && !takeOver && receiver == nil
        let takesOver = takeOver && !isOwn
        var members = members(at: row)
        if !members.isEmpty, !isReleased, receiver == nil {
            // A claim of one's own is made no shorter.
            let end = now.date + TimeInterval(InboxRequest.claimTime.components.seconds)
            members.removeAll {
                $0.claimant(at: now.date) == person && ($0.claimedUntil ?? end) > end
            }
            guard !members.isEmpty else {
                let time = InboxRequest.claimTimeShown
                say("you have claimed it for longer than \(time)", at: now.instant)
                return []
            }
        }
        guard row.isGroup else {
            isBusy = true
            return [
                .send(
                    isReleased
                        ? .release(id: row.id)
                        : .claim(id: row.id, takeOver: takesOver, to: receiver))
            ]
        }
        let limit = ConsoleLimits.chosenCountMax
        let isPart = members.count < seenMembers(of: entry.group).count
        guard !members.isEmpty, !isPart || members.count <= limit else {
            say(
                "with members left out, 1 to \(limit) can be claimed: found \(members.count)",
                .yellow, at: now.instant)
            return []
        }
        isBusy = true
        let ids = isPart ? InboxMembers(members).entries.map(\.id) : nil
        return [
            .send(
                isReleased
                    ? .releaseGroup(entry.group, seen: shownRevision, ids: ids)
                    : .claimGroup(
                        entry.group, takeOver: takesOver, to: receiver, seen: shownRevision,
                        ids: ids))
        ]
    }

    /// Shows the number of members that were claimed or released, or why some were not.
    mutating func sayClaimed(
        _ done: String, _ reply: JSONValue, at now: ContinuousClock.Instant
    ) {
        let count = "\(reply.texts(done).count) \(done)"
        guard let refused = reply["refused"]?.arrayValue, let first = refused.first else {
            return say(count, .green, at: now)
        }
        let reason = first.refusal(takeOver: Self.takeOver) ?? ""
        say("\(count), \(refused.count) not: \(reason.shown())", .yellow, at: now)
    }

    /// The reason why a group, or a part of it, cannot be answered; nil if it can.
    static func obstacle(toGroup question: Question) -> String? {
        guard question.count > 0 else {
            if question.proposer != nil {
                return "the members with this proposal are left out: x takes them in again"
            }
            return question.leftCount > 0
                ? "all members of the group are left out: x takes them in again"
                : "this just appeared: read it, then press the key again"
        }
        let limit = ConsoleLimits.chosenCountMax
        guard question.count > limit else { return nil }
        if question.proposer != nil {
            return
                "at most \(limit) proposals can be confirmed at a time, found \(question.count): "
                + "x leaves members out"
        }
        return question.leftCount == 0
            ? nil
            : "at most \(limit) members can be answered with others left out, found "
                + "\(question.count)"
    }
}
