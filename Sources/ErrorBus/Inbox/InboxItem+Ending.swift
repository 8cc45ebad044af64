extension InboxItem {
    /// What came of it, in the words that people see everywhere; nil as long as nothing has.
    public var ending: String? {
        switch stage {
        case .open, .claimed, .leaving, .answered: nil
        // The attempt went well, and then the operation failed once more.
        case .settled(_, .recovered) where failedAgain != nil: "failed again"
        case .settled(_, let result): result.words
        case .closed(let reason): words(reason)
        }
    }

    private func words(_ reason: Outcome.Reason) -> String {
        switch reason {
        case .declined: "passed on"
        case .expired:
            report.options.first { $0.id == report.onExpiry }.map { "expired, \($0.id) applied" }
                ?? "expired"
        default: reason.rawValue
        }
    }
}
