import ErrorBusCore

extension InboxMachine {
    /// Proposes, with an id of the proposal as an inbox makes it.
    mutating func propose(
        _ id: PresentationID, option: String, _ values: [String: JSONValue] = [:],
        comment: String? = nil, by person: SignedInPerson, as request: UniqueID, at now: Moment
    ) throws(InboxRefusal) -> InboxProposal {
        try propose(
            id, option: option, values, comment: comment, by: person, as: request,
            made: PresentationID.make().value, at: now)
    }
}
