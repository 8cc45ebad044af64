import ErrorBus

// The events of hooks, by what happens to presentations.
extension HookSettings.Event {
    /// The event of a change; nil for a change that no hook sends.
    init?(_ change: InboxChange) {
        if change.isProposal {
            self = .proposed
            return
        }
        switch (change.item.stage, change.before) {
        // Claimed: as it was in an earlier life of the node.
        case (.open, nil), (.claimed, nil): self = .opened
        // Prolonged; a claim that ran out is over, although its stage stays.
        case (.claimed(let person, _), .claimed(let former, let end))
        where person == former && change.item.changedAt < end: return nil
        case (.claimed, _): self = .claimed
        case (.answered, _): self = .answered
        case (.settled, _), (.closed, _): self = .ended
        case (.open, _), (.leaving, _): return nil
        }
    }

    /// Whether people are called for a critical presentation.
    func isUrgent(_ severity: Severity) -> Bool {
        severity == .critical && Self.calling.contains(self)
    }
}
