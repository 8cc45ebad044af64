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

extension AuditEvent {
    /// An error is put to this node's presenters.
    init(presenting error: any Error, in context: PresentationContext) {
        let report = ErrorReport(describing: error)
        let asked = context.received?.present
        self.init(
            .present, context.id,
            report.auditFields.merging([
                "options": report.options.map(\.id).joined(separator: ","),
                "origin": asked?.origin.description ?? "",
                "path": asked?.path.map(\.description).joined(separator: ",") ?? "",
                "retryOf": report.retryOf?.description ?? "",
            ]) { $1 })
    }

    /// The decision, written before anything is done about it.
    ///
    /// - Parameter isRestored: It was made before a restart, and is in the journal.
    init(deciding answer: Answer, for id: PresentationID, isRestored: Bool = false) {
        var fields = [
            "answer": answer.id.description, "option": answer.option, "by": answer.by,
            "via": answer.via.rawValue,
        ]
        if isRestored { fields["restored"] = "true" }
        self.init(.decide, id, fields)
    }

    /// What the owner of the chosen option reported.
    init(_ result: RecoveryResult, of answer: Answer, for id: PresentationID) {
        self.init(
            .done, id,
            [
                "answer": answer.id.description, "option": answer.option,
                "result": result.rawValue, "by": answer.by,
            ])
    }

    /// It ended here without an answer: a responder or a silence withheld it, or its time was over.
    ///
    /// - Parameter applied: The option that its origin applies then.
    package init(
        ending report: ErrorReport, _ id: PresentationID, _ reason: Outcome.Reason,
        origin: NodeName?, by decider: String, applied: String? = nil
    ) {
        var fields = report.auditFields
        fields["reason"] = reason.rawValue
        fields["by"] = decider
        fields["origin"] = origin?.description ?? ""
        fields["option"] = applied
        self.init(.change, id, fields)
    }
}

extension ErrorReport {
    /// What an audit says of an error: enough to know it again, no userInfo.
    var auditFields: [String: String] {
        ["domain": domain, "code": code.map(String.init) ?? "", "description": description]
    }
}
