/// The claims of people on one prompt: at most one in each inbox that holds it. They belong to the
/// presentation, so that no state of a presenter hides one.
package struct PromptClaims: Sendable {
    /// The claim of a person, for a time.
    package struct Claim: Hashable, Sendable {
        package let person: String
        package let until: Moment

        package init(person: String, until: Moment) {
            self.person = person
            self.until = until
        }
    }

    /// The latest claim last.
    private var claims: [(inbox: ObjectIdentifier, claim: Claim)] = []

    package init() {}

    /// The latest of the claims that have not run out.
    package func standing(at now: Moment) -> Claim? {
        claims.last { now < $0.claim.until }?.claim
    }

    /// A person claimed the presentation in an inbox, which replaces the claim there.
    package mutating func claimed(_ claim: Claim, in inbox: ObjectIdentifier) {
        released(in: inbox)
        claims.append((inbox, claim))
    }

    /// The claim in an inbox was released.
    package mutating func released(in inbox: ObjectIdentifier) {
        claims.removeAll { $0.inbox == inbox }
    }

    /// The time of a claim is over; false where it was released or replaced before.
    package mutating func ranOut(_ claim: Claim, in inbox: ObjectIdentifier) -> Bool {
        let count = claims.count
        claims.removeAll { $0.inbox == inbox && $0.claim == claim }
        return claims.count < count
    }

    /// The state for the waiting side once a presenter reported one: a claim that stands is said
    /// instead of what a presenter shows. Nil: the waiting side knows.
    package func reported(_ state: PresentationState, at now: Moment) -> PresentationState? {
        switch state.station {
        case .queued, .presented: standing(at: now) == nil ? state : nil
        case .claimed, .relayed, .unreachable: state
        }
    }
}
