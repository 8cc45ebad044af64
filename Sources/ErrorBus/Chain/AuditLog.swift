/// The ledger of a node: one line for each event of a presentation, for fault tests and for people.
public protocol AuditLog: Sendable {
    /// Called in the order of events, from any thread. Must not wait for long.
    func record(_ event: AuditEvent)
}

/// One line of the ledger.
public struct AuditEvent: Hashable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// A presentation began at its origin.
        case report
        /// A presenter shows the presentation.
        case present
        /// The decision, written before it is carried out.
        case decide
        /// The result that the option's owner reported.
        case done
        /// A relay's responder changed or withheld the error, or ran one of its own options.
        case change
        /// The caller at the origin got its outcome.
        case complete
    }

    public let kind: Kind
    public let id: PresentationID
    /// The fields of this kind of event: `option`, `by`, `via`, `reason`, `origin`, ...
    public let fields: [String: String]

    public init(_ kind: Kind, _ id: PresentationID, _ fields: [String: String] = [:]) {
        self.kind = kind
        self.id = id
        self.fields = fields
    }
}

extension AuditEvent {
    /// The event of an error that is put to this node's presenters.
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

    /// The event of a decision, written before it is carried out.
    ///
    /// - Parameter isRestored: The decision was made before a restart and read from the journal.
    init(deciding answer: Answer, for id: PresentationID, isRestored: Bool = false) {
        var fields = [
            "answer": answer.id.description, "option": answer.option, "by": answer.by,
            "via": answer.via.rawValue,
        ]
        if isRestored { fields["restored"] = "true" }
        self.init(.decide, id, fields)
    }

    /// The event of the result that the owner of the chosen option reported.
    init(_ result: RecoveryResult, of answer: Answer, for id: PresentationID) {
        self.init(
            .done, id,
            [
                "answer": answer.id.description, "option": answer.option,
                "result": result.rawValue, "by": answer.by,
            ])
    }

    /// The event of a presentation that ended here without an answer: withheld or expired.
    ///
    /// - Parameter applied: The option that the origin then applies.
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
    /// The fields that identify the error in an audit, without its userInfo.
    var auditFields: [String: String] {
        ["domain": domain, "code": code.map(String.init) ?? "", "description": description]
    }
}
