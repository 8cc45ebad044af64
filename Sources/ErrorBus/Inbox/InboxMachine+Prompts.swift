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

    /// Notes whether an origin can be reached now: the report of a change may come after that of a
    /// later one.
    mutating func look(at contact: OriginContact?, of id: PresentationID) {
        guard let contact else { return }
        contactChanged(id, isReachable: contact.isReachable, at: .now)
    }
}
