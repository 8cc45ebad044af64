/// Where a node writes what happened to each presentation: the ledger that a fault test checks
/// and a person reads afterwards.
public protocol AuditLog: Sendable {
    /// Called in the order things happened, from any thread. Must not wait for long.
    func record(_ event: AuditEvent)
}

/// One line of the ledger.
public struct AuditEvent: Hashable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// The origin asks.
        case report
        /// A presenter shows it.
        case present
        /// The decision, before anything is done about it.
        case decide
        /// What the option's owner reported.
        case done
        /// A relay's own responder changed or withheld it, or ran an option of its own.
        case change
        /// The origin's caller got its outcome.
        case complete
    }

    public let kind: Kind
    public let id: PresentationID
    /// What belongs to the kind: `option`, `by`, `via`, `reason`, `origin`, `description`, ...
    public let fields: [String: String]

    public init(_ kind: Kind, _ id: PresentationID, _ fields: [String: String] = [:]) {
        self.kind = kind
        self.id = id
        self.fields = fields
    }
}
