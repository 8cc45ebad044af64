import ErrorBus
import HTTPTypes

// Options that need two people: one proposes, another one confirms.
extension ConsoleAPI {
    func propose(
        _ option: String, _ values: [String: JSONValue], _ comment: String?,
        for item: InboxItem, by person: SignedInPerson, id: UniqueID?
    ) throws(InboxRefusal) {
        try inbox.propose(
            item.id, option: option, by: person, id: id, values: values, comment: comment)
        if !item.hasProposal(of: id) { note(.propose(option: option), item.id, by: person.name) }
    }

    func confirm(
        _ proposal: UniqueID, _ option: String, for item: InboxItem, by person: SignedInPerson,
        id: UniqueID?, undo: Duration
    ) throws {
        if let standing = item.proposal, standing.id == proposal {
            let fault = fault(of: standing, for: item)
            if let fault { throw fault }
        }
        let answer = try inbox.confirm(
            item.id, proposal, option: option, by: person, id: id, undo: undo)
        guard !item.hasAnswer(id) else { return }
        note(.confirm(option: option, of: answer.by), item.id, by: person.name)
    }

    /// Proposes an option for a group, and notes that for each member.
    ///
    /// - Parameters:
    ///   - id: The id of the request.
    ///   - done: The members for which the request was carried out before.
    func proposeGroup(
        _ number: Int, only chosen: Set<PresentationID>?, _ option: String,
        by person: SignedInPerson, id: UniqueID?, done: Set<PresentationID>, seen: UInt64,
        values: [String: JSONValue], comment: String?
    ) throws(InboxRefusal) -> GroupAnswer {
        let result = try inbox.proposeGroup(
            number, only: chosen, option: option, by: person, id: id, seen: seen, values: values,
            comment: comment)
        for id in result.proposed where !done.contains(id) {
            note(.propose(option: option), id, by: person.name)
        }
        return result
    }

    /// Confirms the proposals for a group, with the parameters of ``proposeGroup``.
    func confirmGroup(
        _ number: Int, _ proposals: Set<UniqueID>, only chosen: Set<PresentationID>?,
        _ option: String, by person: SignedInPerson, id: UniqueID?, done: Set<PresentationID>,
        seen: UInt64, undo: Duration
    ) throws(InboxRefusal) -> GroupAnswer {
        let result = try inbox.confirmGroup(
            number, proposals, only: chosen, option: option, by: person, id: id, seen: seen,
            undo: undo
        ) { item, proposal in
            fault(of: proposal, for: item) == nil
        }
        for id in result.answered where !done.contains(id) {
            guard let proposer = try? inbox.item(id).answer?.by else { continue }
            note(.confirm(option: option, of: proposer), id, by: person.name)
        }
        return result
    }

    /// The reason why a proposal no longer counts; nil if it counts.
    private func fault(of proposal: InboxProposal, for item: InboxItem) -> APIProblem? {
        console.fault(
            ofProposer: proposal.person, isDestructive: item.isDestructive(proposal.option))
    }

    /// The problem of a member of a group that was not answered, with the fault of its proposal, if
    /// it has one.
    func problem(_ refusal: InboxRefusal, of id: PresentationID) -> APIProblem {
        if case .proposed(let proposal) = refusal, let item = try? inbox.item(id),
            let fault = fault(of: proposal, for: item)
        {
            return fault
        }
        return APIProblem(refusal)
    }

    @Sendable func decline(
        _ id: PresentationID, _ body: [UInt8], _ visitor: ConsoleVisitor
    ) throws {
        let fields = try BodyFields(body, allowing: "by", "proposal")
        let by = try visitor.name(in: fields)
        let proposal = try inbox.decline(id, only: try fields.id("proposal"))
        note(.decline(option: proposal.option, of: proposal.by), id, by: by)
    }
}

extension InboxItem {
    /// Whether the item already has this answer, so that a request with its id is repeated.
    func hasAnswer(_ id: UniqueID?) -> Bool { id != nil && answer?.id == id }

    /// Whether the item already has the proposal of this request; see ``hasAnswer(_:)``.
    func hasProposal(of request: UniqueID?) -> Bool {
        request != nil && proposal?.request == request
    }
}

extension ConsoleVisitor {
    /// The sender as one of two people: a user who has signed in, not a name in a request.
    func person(choosing option: String) throws(APIProblem) -> SignedInPerson {
        guard let person else { throw APIProblem(InboxRefusal.needsTwoPeople(option: option)) }
        return person
    }
}

extension ConsoleAdmission {
    /// Whether the console knows its visitors by their sign-in.
    var knowsPeople: Bool { if case .users = self { true } else { false } }
}

extension Console {
    /// The reason why a proposal no longer counts: its author is no longer a user, or not under
    /// that name, or may no longer choose the option. Nil if it counts.
    func fault(ofProposer person: SignedInPerson, isDestructive: Bool) -> APIProblem? {
        do throws(APIProblem) {
            let found =
                if let signIn { try signIn.user(of: person) } else {
                    try listedUser(named: person.name)
                }
            guard let user = found else { return Self.gone(person.name) }
            let visitor = ConsoleVisitor(user: user)
            try visitor.require(.answer)
            if isDestructive { try visitor.require(.destructive) }
            return nil
        } catch {
            return error
        }
    }

    private func user(named name: String) throws(APIProblem) -> ConsoleUser? {
        if let signIn { return try signIn.user(named: name) }
        return try listedUser(named: name)
    }

    /// The user of this name in the file of users.
    private func listedUser(named name: String) throws(APIProblem) -> ConsoleUser? {
        guard case .users(let users) = admission else { return nil }
        return try users.user(named: name)
    }

    /// Refuses to hand a claim to a person who could not answer, if the console knows its users.
    func requireReceiver(_ name: String) throws(APIProblem) {
        guard admission.knowsPeople else { return }
        guard let user = try user(named: name) else {
            let signedIn = signIn == nil ? "" : ", or of a person who is signed in now"
            throw APIProblem(
                .conflict, "unknownReceiver",
                "to: found \(name.shown()), who is no user of this console; allowed: a name in its "
                    + "file of users\(signedIn)")
        }
        try ConsoleVisitor(user: user).require(.answer)
    }

    private static func gone(_ name: String) -> APIProblem {
        APIProblem(
            .conflict, "proposerGone",
            "\(name), who proposed it, is no longer a user of this console, or no longer signed in "
                + "at the identity provider; decline it, and propose it again")
    }
}
