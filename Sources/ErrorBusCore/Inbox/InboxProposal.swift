/// What one person proposes for a presentation: an option that another person has to confirm.
package struct InboxProposal: Hashable, Sendable {
    /// Names the proposal: who confirms it says which one.
    package let id: UniqueID
    package let option: String
    /// The values that the person gave for the option's fields, and their comment; confirmed with
    /// the option.
    package let values: GivenValues
    package let by: String
    /// Who the author is, whatever the name: as that of a ``SignedInPerson``.
    package let identity: String?
    package let since: Moment
    /// Until when it can be confirmed.
    package let until: Moment
    /// The digest of the report that the person saw. Presented again with another one, the
    /// presentation is without a proposal.
    package let report: [UInt8]
    /// The inbox's revision at which it is here.
    package internal(set) var revision: UInt64

    package init(
        id: UniqueID, option: String, values: GivenValues = GivenValues(), by: String,
        identity: String? = nil, since: Moment, until: Moment, report: [UInt8],
        revision: UInt64 = 0
    ) {
        self.id = id
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
/// Only of these are two different names two people: a name in a request is what anyone writes.
package struct SignedInPerson: Hashable, Sendable {
    package let name: String
    /// Who it is, whatever the name: a text that stays when the person takes another name where
    /// they sign in. Nil where the name is all that is known.
    package let identity: String?

    package init(_ name: String, identity: String? = nil) {
        self.name = name
        self.identity = identity
    }

    /// Whether both are one person as far as is known: by what stays, else by the name.
    func isOne(with other: SignedInPerson) -> Bool {
        guard let identity, let otherIdentity = other.identity else { return name == other.name }
        return identity == otherIdentity
    }

    /// Whether both may be one person: under one name, or by what stays.
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
    /// One person chose an option that needs two. Repeating it is acknowledged and changes nothing.
    package mutating func propose(
        _ id: PresentationID, option: String, _ values: [String: JSONValue] = [:],
        comment: String? = nil, by person: SignedInPerson, as proposal: UniqueID, at now: Moment
    ) throws(InboxRefusal) -> InboxProposal {
        let item = try item(id, at: now)
        try refuseEnded(item)
        let filled = item.filled(
            Answer(
                id: proposal, option: option, by: person.name, via: .person, comment: comment),
            with: values)
        if let standing = item.proposal {
            guard standing.id == proposal, standing.option == option,
                standing.person.isSame(as: person),
                (try? filled.get())?.given == standing.values
            else { throw .proposed(standing) }
            return standing
        }
        guard !item.takenBack.contains(proposal) else { throw .takenBack }
        try refuseOthersClaim(item, person.name, person.identity, at: now)
        try item.refuseUnlessOffered(option)
        let given = try filled.get().given
        let left = item.deadline.map { now.instant.duration(to: $0) } ?? limits.proposalMax
        let made = InboxProposal(
            id: proposal, option: option, values: given, by: person.name,
            identity: person.identity, since: now,
            until: now + max(.zero, min(left, limits.proposalMax)),
            report: digest(item.report), revision: revision + 1)
        set(proposal: made, of: id)
        return made
    }

    /// Another person confirms what one proposed: this is the answer of both.
    ///
    /// A claim of the first person is not in the way: it says that they see to it.
    ///
    /// - Parameters:
    ///   - proposal: The one that the person saw.
    ///   - answer: Names the answer; repeating it is acknowledged.
    package mutating func confirm(
        _ id: PresentationID, _ proposal: UniqueID, option: String, by person: SignedInPerson,
        as answer: UniqueID, undo: Duration, at now: Moment
    ) throws(InboxRefusal) -> InboxDecision {
        let item = try item(id, at: now)
        if let earlier = item.answer, earlier.id == answer, earlier.option == option {
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

    /// Drops what is proposed: the person who proposed it withdraws it, or another one declines.
    /// With `only` no other proposal.
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
