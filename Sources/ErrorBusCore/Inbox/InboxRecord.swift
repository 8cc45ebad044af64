/// The record of an inbox item for the next life of its node.
package struct InboxRecord: Hashable, Sendable {
    package var presentation: InboxPresentation
    package var openedAt: Moment
    package var changedAt: Moment
    package var stage: InboxItem.Stage
    /// The identity of the holder, as that of an ``InboxItem``.
    package var holder: String?
    package var failedAgain: PresentationID?
    package var takenBack: [UniqueID]
    package var proposal: InboxProposal?
    package var notes: [InboxNote]

    package init(
        _ presentation: InboxPresentation, openedAt: Moment, changedAt: Moment,
        stage: InboxItem.Stage, holder: String? = nil, failedAgain: PresentationID? = nil,
        takenBack: [UniqueID] = [], proposal: InboxProposal? = nil, notes: [InboxNote] = []
    ) {
        self.presentation = presentation
        self.openedAt = openedAt
        self.changedAt = changedAt
        self.stage = stage
        self.holder = holder
        self.failedAgain = failedAgain
        self.takenBack = takenBack
        self.proposal = proposal
        self.notes = notes
    }
}

/// The facts of a presentation that stay when it is presented again under the same id.
package struct InboxPast: Hashable, Sendable {
    /// The time that the author of an undone answer holds the claim.
    package static let claimAfterUndo: Duration = .seconds(60)

    let openedAt: Moment
    private(set) var takenBack: [UniqueID]
    let notes: [InboxNote]
    let holder: String?
    private let claim: InboxClaim?
    private var proposal: InboxProposal?

    init(_ item: InboxItem) {
        (openedAt, takenBack, notes) = (item.openedAt, item.takenBack, item.notes)
        (claim, holder, proposal) = (item.stage.claim, item.holder, item.proposal)
    }

    init(_ record: InboxRecord) {
        (openedAt, takenBack, notes) = (record.openedAt, record.takenBack, record.notes)
        (claim, holder, proposal) = (record.stage.claim, record.holder, record.proposal)
    }

    /// The stage of the presentation when it is presented again.
    func stage(at now: Moment) -> InboxItem.Stage {
        guard let claim, now < claim.until else { return .open }
        return .claimed(by: claim.person, until: claim.until)
    }

    /// The proposal that is still open.
    func proposal(at now: Moment) -> InboxProposal? {
        proposal.flatMap { now < $0.until ? $0 : nil }
    }

    /// Drops the proposal if it was made for another report.
    mutating func dropProposal(
        unlessFor report: ErrorReport, _ digest: (ErrorReport) -> [UInt8]
    ) {
        guard let made = proposal, made.report != digest(report) else { return }
        // Its repetition must not propose the option for this report.
        InboxItem.add(made.request, to: &takenBack)
        proposal = nil
    }
}

/// A person's claim of a presentation.
package struct InboxClaim: Hashable, Sendable {
    package let person: String
    package let until: Moment
}

extension InboxItem.Stage {
    /// The claim that outlives the stage: the author of a lost held answer keeps a claim, as the
    /// author of an undone answer does.
    package var claim: InboxClaim? {
        switch self {
        case .claimed(let person, let until): InboxClaim(person: person, until: until)
        case .leaving(let answer, let time):
            InboxClaim(person: answer.by, until: time + InboxPast.claimAfterUndo)
        case .open, .answered, .settled, .closed: nil
        }
    }
}
