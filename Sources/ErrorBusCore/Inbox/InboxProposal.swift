/// The proposal of one person for a presentation: an option that another person has to confirm.
package struct InboxProposal: Hashable, Sendable {
    /// The id of the proposal, which a confirmation names. The inbox makes it: two proposals never
    /// have the same one, so a confirmation is for what the second person saw.
    package let id: UniqueID
    /// The id of the request that made the proposal.
    package let request: UniqueID
    package let option: String
    /// The values that the person gave for the option's fields, and their comment; a confirmation
    /// covers both.
    package let values: GivenValues
    package let by: String
    /// The identity of the author, as that of a ``SignedInPerson``.
    package let identity: String?
    package let since: Moment
    /// The end of the time to confirm.
    package let until: Moment
    /// The digest of the report that the person saw. A presentation with another report has no
    /// proposal.
    package let report: [UInt8]
    /// The inbox's revision when the proposal was made or restored.
    package internal(set) var revision: UInt64

    package init(
        id: UniqueID, request: UniqueID, option: String, values: GivenValues = GivenValues(),
        by: String, identity: String? = nil, since: Moment, until: Moment, report: [UInt8],
        revision: UInt64 = 0
    ) {
        self.id = id
        self.request = request
        self.option = option
        self.values = values
        self.by = by
        self.identity = identity
        self.since = since
        self.until = until
        self.report = report
        self.revision = revision
    }

    package var person: SignedInPerson { SignedInPerson(by, identity: identity) }
}

/// A person whom the sender of a request has proved to be, by signing in.
///
/// Two different names are two people only if both have signed in: anyone can write a name into a
/// request.
package struct SignedInPerson: Hashable, Sendable {
    package let name: String
    /// The identity of the person: a text that stays when the person takes another name at the
    /// place of the sign-in. Nil if only the name is known.
    package let identity: String?

    package init(_ name: String, identity: String? = nil) {
        self.name = name
        self.identity = identity
    }

    /// Whether both are known to be one person: by their identities, else by their names.
    func isOne(with other: SignedInPerson) -> Bool {
        guard let identity, let otherIdentity = other.identity else { return name == other.name }
        return identity == otherIdentity
    }

    /// Whether both may be one person: by an equal name or an equal identity.
    package func isSame(as other: SignedInPerson) -> Bool {
        name == other.name || (identity != nil && identity == other.identity)
    }
}

extension InboxItem {
    package func needsTwoPeople(_ option: String) -> Bool {
        report.options.contains { $0.id == option && $0.needsTwoPeople }
    }
}

extension InboxMachine {
    /// One person chose an option that needs two people. A repetition is acknowledged and changes
    /// nothing.
    ///
    /// - Parameters:
    ///   - request: The id of the request, which its repetitions have as well.
    ///   - proposal: The id of the proposal that is made, which no other one has or had.
    package mutating func propose(
        _ id: PresentationID, option: String, _ values: [String: JSONValue] = [:],
        comment: String? = nil, by person: SignedInPerson, as request: UniqueID,
        made proposal: UniqueID, at now: Moment
    ) throws(InboxRefusal) -> InboxProposal {
        let item = try item(id, at: now)
        try refuseEnded(item)
        let filled = item.filled(
            Answer(
                id: request, option: option, by: person.name, via: .person, comment: comment),
            with: values)
        if let standing = item.proposal {
            guard standing.request == request, standing.option == option,
                standing.person.isSame(as: person),
                (try? filled.get())?.given == standing.values
            else { throw .proposed(standing) }
            return standing
        }
        guard !item.takenBack.contains(request) else { throw .takenBack }
        try refuseOthersClaim(item, person.name, person.identity, at: now)
        try item.refuseUnlessOffered(option)
        try item.refuseExpired(at: now)
        let given = try filled.get().given
        let left = item.deadline.map { now.instant.duration(to: $0) } ?? limits.proposalMax
        let made = InboxProposal(
            id: proposal, request: request, option: option, values: given, by: person.name,
            identity: person.identity, since: now,
            until: now + max(.zero, min(left, limits.proposalMax)),
            report: digest(item.report), revision: revision + 1)
        set(proposal: made, of: id)
        return made
    }

    /// Another person confirms a proposal: the result is the answer of both.
    ///
    /// A claim of the first person does not prevent this: it only says that this person works on
    /// it.
    ///
    /// - Parameters:
    ///   - proposal: The proposal that the person saw.
    ///   - answer: Names the answer; repeating it is acknowledged.
    package mutating func confirm(
        _ id: PresentationID, _ proposal: UniqueID, option: String, by person: SignedInPerson,
        as answer: UniqueID, undo: Duration, at now: Moment
    ) throws(InboxRefusal) -> InboxDecision {
        let item = try item(id, at: now)
        if let earlier = item.answer, earlier.id == answer {
            guard earlier.option == option, earlier.second == person.name else {
                throw .otherAnswer(by: earlier.authors)
            }
            return .acknowledged(earlier)
        }
        try refuseEnded(item)
        guard !item.takenBack.contains(answer) else { throw .takenBack }
        guard let standing = item.proposal, standing.id == proposal, standing.option == option
        else { throw .noProposal }
        guard !standing.person.isSame(as: person) else { throw .samePerson(standing.by) }
        let claimant = item.stage.claim.map { SignedInPerson($0.person, identity: item.holder) }
        if let claimant, !standing.person.isSame(as: claimant) {
            try refuseOthersClaim(item, person.name, person.identity, at: now)
        }
        try item.refuseUnlessOffered(option)
        let both = Answer(
            id: answer, option: option, by: standing.by, via: .person, second: person.name,
            values: standing.values.values, secrets: standing.values.secrets,
            comment: standing.values.comment)
        return try accept(both, of: standing.identity, to: item, undo: undo, at: now)
    }

    /// Drops the proposal: its author withdraws it, or another person declines it. With `only`,
    /// drops no other proposal.
    package mutating func decline(
        _ id: PresentationID, only meant: UniqueID? = nil, at now: Moment
    ) throws(InboxRefusal) -> InboxProposal {
        let item = try item(id, at: now)
        try refuseEnded(item)
        guard let standing = item.proposal, meant == nil || meant == standing.id
        else { throw .noProposal }
        set(proposal: nil, of: id)
        return standing
    }
}
