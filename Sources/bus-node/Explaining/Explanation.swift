import ErrorBus

/// The path that an error would take.
struct Explanation {
    /// One node on it.
    struct Station {
        let node: NodeName
        var readings: [RuleReading] = []
        /// Where it goes on to; nil at the end.
        var next: Hop?
        /// The parents to turn to when that one cannot be reached.
        var otherParents: [Hop] = []
        /// The presenters asked when no parent can be reached.
        var fallback: [String] = []
    }

    /// Where it ends, in the last node of the path.
    enum Ending {
        /// By a rule; the option's owner carries it out.
        case answered(RuleAnswer, by: String, owner: NodeName)
        case withheld(by: String)
        /// In front of a person or a program; the others are asked when that one declines.
        case presented(by: String, otherwise: [String])
        /// To an endpoint that is no node of this topology.
        case leaves(Endpoint)
        /// The error says "user cancelled": it is not presented.
        case userCancelled
        /// The node there has no presenter.
        case detached
        /// No node would take the report.
        case refused(String)
    }

    var stations: [Station] = []
    var ending = Ending.detached
    /// The report as it is in the end.
    var report: ErrorReport
}
