/// An item of an inbox as it is kept for the next life of its node.
package struct InboxRecord: Hashable, Sendable {
    package var presentation: InboxPresentation
    package var openedAt: Moment
    package var changedAt: Moment
    package var stage: InboxItem.Stage
    package var failedAgain: PresentationID?
    package var takenBack: [UniqueID]

    package init(
        _ presentation: InboxPresentation, openedAt: Moment, changedAt: Moment,
        stage: InboxItem.Stage, failedAgain: PresentationID? = nil, takenBack: [UniqueID] = []
    ) {
        self.presentation = presentation
        self.openedAt = openedAt
        self.changedAt = changedAt
        self.stage = stage
        self.failedAgain = failedAgain
        self.takenBack = takenBack
    }
}

/// The facts of a presentation that stay when it is presented again under the same id.
struct InboxPast: Hashable, Sendable {
    /// How long the author of an undone answer holds the claim.
    static let claimAfterUndo: Duration = .seconds(60)

    let openedAt: Moment
    let takenBack: [UniqueID]
    private let claim: InboxClaim?

    init(_ item: InboxItem) {
        self.init(openedAt: item.openedAt, takenBack: item.takenBack, claim: item.stage.claim)
    }

    init(_ record: InboxRecord) {
        self.init(
            openedAt: record.openedAt, takenBack: record.takenBack, claim: record.stage.claim)
    }

    private init(openedAt: Moment, takenBack: [UniqueID], claim: InboxClaim?) {
        self.openedAt = openedAt
        self.takenBack = takenBack
        self.claim = claim
    }

    /// The stage in which it is open again.
    func stage(at now: Moment) -> InboxItem.Stage {
        guard let claim, now < claim.until else { return .open }
        return .claimed(by: claim.person, until: claim.until)
    }
}

/// A person's claim of a presentation.
package struct InboxClaim: Hashable, Sendable {
    package let person: String
    package let until: Moment
}

extension InboxItem.Stage {
    /// The claim that outlives the stage: a held answer that is lost leaves its author one, as an
    /// undone answer does.
    package var claim: InboxClaim? {
        switch self {
        case .claimed(let person, let until): InboxClaim(person: person, until: until)
        case .leaving(let answer, let time):
            InboxClaim(person: answer.by, until: time + InboxPast.claimAfterUndo)
        case .open, .answered, .settled, .closed: nil
        }
    }
}
