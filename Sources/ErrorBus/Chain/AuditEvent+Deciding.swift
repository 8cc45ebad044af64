extension AuditEvent {
    /// A question is put to this node's presenters.
    init(presenting error: any Error, _ id: PresentationID) {
        let report = ErrorReport(describing: error)
        let from = PresentedOrigin.current
        self.init(
            .present, id,
            report.auditFields.merging([
                "options": report.options.map(\.id).joined(separator: ","),
                "origin": from?.origin.description ?? "",
                "path": from?.path.map(\.description).joined(separator: ",") ?? "",
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
