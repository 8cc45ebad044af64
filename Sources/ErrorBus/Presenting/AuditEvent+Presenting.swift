extension AuditEvent {
    /// A question is put to this node's presenters.
    init(presenting prompt: Prompt) {
        self.init(
            .present, prompt.id,
            [
                "domain": prompt.report.domain,
                "code": prompt.report.code.map(String.init) ?? "",
                "description": prompt.report.description,
                "options": prompt.report.options.map(\.id).joined(separator: ","),
                "origin": prompt.origin?.description ?? "",
                "path": prompt.path.map(\.description).joined(separator: ","),
                "retryOf": prompt.report.retryOf?.description ?? "",
            ])
    }

    /// The decision, written before anything is done about it.
    init(deciding answer: Answer, for id: PresentationID) {
        self.init(
            .decide, id,
            [
                "answer": answer.id.description, "option": answer.option, "by": answer.by,
                "via": answer.via.rawValue,
            ])
    }

    /// What the owner of the chosen option reported.
    init(_ result: RecoveryResult, of answer: Answer, for id: PresentationID) {
        self.init(
            .done, id,
            [
                "answer": answer.id.description, "option": answer.option,
                "result": result.rawValue,
            ])
    }
}
