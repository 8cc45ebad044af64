extension InboxItem {
    /// What came of it, in the words that people see everywhere; nil as long as nothing has.
    public var ending: String? {
        switch stage {
        case .open, .claimed, .leaving, .answered: nil
        case .settled(_, let result): words(result)
        case .closed(let reason): words(reason)
        }
    }

    private func words(_ result: RecoveryResult) -> String {
        switch result {
        // The attempt went well, and then the operation failed once more.
        case .recovered: failedAgain == nil ? "recovered" : "failed again"
        case .failed: "not recovered"
        case .late: "too late"
        case .withdrawn: "withdrawn"
        case .invalid: "not its option"
        case .unknown: "no result known"
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
