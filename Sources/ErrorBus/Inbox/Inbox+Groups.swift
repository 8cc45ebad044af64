// Groups: one answer for all members.
extension Inbox {
    /// The groups with an open member, most severe first, then oldest.
    package var groups: [InboxGroup] { read { $0.openGroups(at: .now) } }

    /// The changes after `seen`, of one moment, for a reader that gets every change.
    ///
    /// - Parameter limit: The most items; the rest follows.
    package func update(
        after seen: UInt64, _ groups: InboxUpdate.Groups, upTo limit: Int
    ) -> InboxUpdate {
        read { $0.update(after: seen, groups, upTo: limit, at: .now) }
    }

    /// Answers the open members of a group with the same option.
    ///
    /// - Parameters:
    ///   - chosen: The members to answer; the others stay open. Nil for all.
    ///   - id: Names this request; a repetition acknowledges the members that it has answered, and
    ///     answers the rest.
    ///   - seen: The revision of the inbox that the person saw; later members are not answered.
    ///   - values: The values of the option's fields: the same for all.
    ///   - comment: The author's reason for the answer: the same for all.
    /// - Returns: The members answered, and the reason for each refused one.
    /// - Throws: When no such group is open.
    package func answerGroup(
        _ number: Int, only chosen: Set<PresentationID>? = nil, option: String, by: String,
        of identity: String? = nil, id: UniqueID? = nil, seen: UInt64? = nil,
        undo: Duration = .zero, values: [String: JSONValue] = [:], comment: String? = nil
    ) throws(InboxRefusal) -> GroupAnswer {
        try forEach(ofGroup: number, only: chosen, seen: seen, doneBy: id) {
            member, result throws(InboxRefusal) in
            let given = try answer(
                member, option: option, by: by, of: identity, id: id?.act(on: member), undo: undo,
                values: values, comment: comment)
            result.add(given, for: member)
        }
    }

    /// Proposes an option that needs two people for the open members of a group. Refuses a member
    /// for which an option is already proposed.
    ///
    /// - Parameters:
    ///   - chosen: The members to propose the option for. Nil for all.
    ///   - id: Names this request, as for an answer.
    ///   - seen: The revision of the inbox that the person saw; later members are left alone.
    /// - Throws: When no such group is open.
    package func proposeGroup(
        _ number: Int, only chosen: Set<PresentationID>? = nil, option: String,
        by person: SignedInPerson, id: UniqueID? = nil, seen: UInt64? = nil,
        values: [String: JSONValue] = [:], comment: String? = nil
    ) throws(InboxRefusal) -> GroupAnswer {
        try forEach(ofGroup: number, only: chosen, seen: seen, doneBy: id) {
            member, result throws(InboxRefusal) in
            try propose(
                member, option: option, by: person, id: id?.act(on: member), values: values,
                comment: comment)
            result.proposed.append(member)
        }
    }

    /// Confirms the proposals of another person for the open members of a group, and proposes
    /// nothing. Refuses a member with another proposal, or without one.
    ///
    /// - Parameters:
    ///   - proposals: The proposals that the person saw.
    ///   - chosen: The members to confirm. Nil for all.
    ///   - id: Names this request, as for an answer.
    ///   - seen: The revision of the inbox that the person saw; later members are left alone.
    ///   - counts: Whether the author of a proposal may still propose it.
    /// - Returns: The members answered, the reason for each refused one, and the proposals that no
    ///   open member of the group has.
    /// - Throws: When no such group is open.
    package func confirmGroup(
        _ number: Int, _ proposals: Set<UniqueID>, only chosen: Set<PresentationID>? = nil,
        option: String, by person: SignedInPerson, id: UniqueID? = nil, seen: UInt64? = nil,
        undo: Duration = .zero, counts: (InboxItem, InboxProposal) -> Bool = { _, _ in true }
    ) throws(InboxRefusal) -> GroupAnswer {
        let standing = try members(ofGroup: number, doneBy: id)
            .compactMap { try? item($0).proposal?.id }
        var given = try forEach(ofGroup: number, only: chosen, seen: seen, doneBy: id) {
            member, result throws(InboxRefusal) in
            let item = try item(member)
            if let answer = item.answer, item.isAnswered(by: id) {
                guard answer.option == option, answer.second == person.name else {
                    throw .otherAnswer(by: answer.authors)
                }
                return result.add(answer, for: member)
            }
            guard let standing = item.proposal else { throw .noProposal }
            guard proposals.contains(standing.id), standing.revision <= seen ?? .max else {
                throw .otherProposal(standing)
            }
            guard counts(item, standing) else { throw .proposed(standing) }
            let given = try confirm(
                member, standing.id, option: option, by: person, id: id?.act(on: member),
                undo: undo)
            result.add(given, for: member)
        }
        given.notProposed = proposals.subtracting(standing)
        return given
    }

    /// Undoes the answers among these of a group that are still held.
    ///
    /// - Throws: When there is no such group, or none of the answers is still held.
    package func undoGroup(
        _ number: Int, only answers: Set<UniqueID>
    ) throws(InboxRefusal) -> [PresentationID] {
        try undoing { machine, drop throws(InboxRefusal) in
            try machine.undoGroup(number, only: answers, at: .now, dropped: drop)
        }
    }

    /// Claims the open members of a group in one step, except members that another person has
    /// claimed.
    ///
    /// - Parameters:
    ///   - chosen: The members to claim. Nil for all.
    ///   - takesOver: Whether to replace other people's claims.
    ///   - receiver: The person who gets the claims; nil: the person who claims.
    ///   - seen: The revision of the inbox that the person saw; later members are left alone.
    /// - Returns: The members claimed, and the reason for each one left out.
    /// - Throws: When no such group is open.
    package func claimGroup(
        _ number: Int, only chosen: Set<PresentationID>? = nil, by person: String,
        of identity: String? = nil, for time: Duration = .seconds(300), takesOver: Bool = false,
        to receiver: String? = nil, seen: UInt64? = nil
    ) throws(InboxRefusal) -> GroupClaim {
        try actOnClaims { machine, now throws(InboxRefusal) in
            try machine.claimGroup(
                number, only: chosen, seen: seen, by: person, of: identity, for: time,
                takesOver: takesOver, to: receiver, at: now)
        }
    }

    /// Releases this person's claims of a group in one step; the claims of others stay.
    ///
    /// - Parameters:
    ///   - chosen: The members to release. Nil for all.
    ///   - seen: The revision of the inbox that the person saw; later members are left alone.
    /// - Returns: The members released, and the reason for each one that another person has
    ///   claimed. A member without a claim is in neither.
    /// - Throws: When no such group is open.
    package func releaseGroup(
        _ number: Int, only chosen: Set<PresentationID>? = nil, by person: String,
        of identity: String? = nil, seen: UInt64? = nil
    ) throws(InboxRefusal) -> GroupClaim {
        try actOnClaims { machine, now throws(InboxRefusal) in
            try machine.releaseGroup(
                number, only: chosen, seen: seen, by: person, of: identity, at: now)
        }
    }

    /// Reports the claim on an item to the waiting side and the other presenters, or that it has
    /// none here.
    func report(_ item: InboxItem?, to prompt: Prompt?) {
        if case .claimed(let person, let until)? = item?.stage {
            prompt.map { reportClaim(by: person, until: until, to: $0) }
        } else {
            prompt?.released(by: presenterName, in: self)
        }
    }

    /// Drops a held answer from its prompt, and reports the claim that its author keeps. False when
    /// it counts already.
    func drop(_ answer: UniqueID, of prompt: Prompt?) -> Bool {
        guard let prompt else { return true }
        let author = prompt.author(ofHeld: answer)
        guard prompt.undone(answer) else { return false }
        if let author {
            let until = Moment.now + InboxPast.claimAfterUndo
            reportClaim(by: author, until: until, to: prompt)
        }
        return true
    }

    /// Applies an act to each chosen member that had come by revision `seen`, and notes the
    /// refusals.
    private func forEach(
        ofGroup number: Int, only chosen: Set<PresentationID>?, seen: UInt64?,
        doneBy request: UniqueID?,
        _ body: (PresentationID, inout GroupAnswer) throws(InboxRefusal) -> Void
    ) throws(InboxRefusal) -> GroupAnswer {
        var result = GroupAnswer()
        let members = try members(ofGroup: number, seen: seen, doneBy: request)
        for id in members where chosen?.contains(id) ?? true {
            do throws(InboxRefusal) { try body(id, &result) } catch { result.refused[id] = error }
        }
        return result
    }

    /// The open members of a group that had come into it by revision `seen`, oldest first, and the
    /// members that a request with this id has answered.
    ///
    /// - Throws: When there is none.
    package func members(
        ofGroup number: Int, seen: UInt64? = nil, doneBy request: UniqueID?
    ) throws(InboxRefusal) -> [PresentationID] {
        try act { machine, _ throws(InboxRefusal) in
            try machine.members(ofGroup: number, seen: seen, doneBy: request)
        }
    }
}

// Options that need two people.
extension Inbox {
    /// Proposes an option that needs two people; another person confirms it.
    ///
    /// - Parameters:
    ///   - id: Names the request; repeating it is acknowledged and changes nothing.
    ///   - values: The values of the option's fields, which the other person confirms as well.
    ///   - comment: The first person's reason for the proposal, which the answer then has.
    @discardableResult
    package func propose(
        _ presentation: PresentationID, option: String, by person: SignedInPerson,
        id: UniqueID? = nil, values: [String: JSONValue] = [:], comment: String? = nil
    ) throws(InboxRefusal) -> InboxProposal {
        try act { machine, now throws(InboxRefusal) in
            try machine.propose(
                presentation, option: option, values, comment: comment, by: person,
                as: id ?? PresentationID.make().value, made: PresentationID.make().value, at: now)
        }
    }

    /// Confirms the proposal of another person, which answers the presentation.
    ///
    /// - Parameters:
    ///   - proposal: The proposal that the person saw.
    ///   - id: Names the answer; repeating it is acknowledged and changes nothing.
    ///   - undo: As for every answer.
    @discardableResult
    package func confirm(
        _ presentation: PresentationID, _ proposal: UniqueID, option: String,
        by person: SignedInPerson, id: UniqueID? = nil, undo: Duration = .zero
    ) throws(InboxRefusal) -> Answer {
        try decide(presentation) { machine, now throws(InboxRefusal) in
            try machine.refuseReuse(of: id, for: presentation)
            return try machine.confirm(
                presentation, proposal, option: option, by: person,
                as: id ?? PresentationID.make().value, undo: undo, at: now)
        }
    }

    /// Withdraws or declines the proposal, and returns it; with `only`, no other proposal.
    @discardableResult
    package func decline(
        _ presentation: PresentationID, only meant: UniqueID? = nil
    ) throws(InboxRefusal) -> InboxProposal {
        try act { machine, now throws(InboxRefusal) in
            try machine.decline(presentation, only: meant, at: now)
        }
    }
}

extension Inbox {
    /// Adds a note of a person to a presentation, open or ended.
    ///
    /// - Parameter id: Names the note; repeating it changes nothing.
    /// - Returns: The note; nil when it is there already.
    @discardableResult
    package func note(
        _ presentation: PresentationID, _ text: String, by person: String, id: UniqueID? = nil
    ) throws(InboxRefusal) -> InboxNote? {
        try act { machine, now throws(InboxRefusal) in
            let note = InboxNote(
                id: id ?? PresentationID.make().value, by: person, text: text, at: now)
            return try machine.noted(presentation, note, at: now)
        }
    }
}
