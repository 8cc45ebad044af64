extension InboxPresentation {
    init(_ prompt: Prompt) {
        self.init(id: prompt.id, report: prompt.report, origin: prompt.origin)
        path = prompt.path
        retryCount = prompt.retryCount
        wasShownBefore = prompt.wasShownBefore
        deadline = prompt.deadline
        unsignable = prompt.unsignable
    }
}

extension InboxMachine {
    /// The machine whose digests are SHA-256: a relay may have made two reports.
    init(limits: InboxLimits) {
        self.init(limits: limits) { Sodium.sha256($0.payload()) }
    }
}
