extension Answer {
    /// What a process above decided.
    init(_ decision: Message.Decision, option: String) {
        self.init(id: decision.answer, option: option, by: decision.by, via: decision.via)
        extras = decision.extras
    }
}

extension Message.Decision {
    /// Whether it only says that no answer came in time.
    var isExpiry: Bool { option == nil && reason == Outcome.Reason.expired.rawValue }

    /// What a peer that asks again gets once the answer was carried out: its result, never the
    /// option again (rule 1). Nil while there is no result, or one of another asking.
    func told(_ result: RecoveryResult) -> Message.Decision? {
        var decision = self
        switch result {
        case .recovered: decision.didRecover = true
        case .failed: decision.didRecover = false
        case .late, .withdrawn, .invalid, .unknown: return nil
        }
        return decision
    }
}
