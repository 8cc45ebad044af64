/// Stands in front of those who ask people: answers or withholds what is silenced, and declines
/// everything else.
public struct SilencingPresenter: Presenter {
    public let presenterName = "silences"
    private let silences: Silences
    private let audit: (any AuditLog)?
    private let kept: @Sendable (_ number: Int, _ isAnswered: Bool) -> Void

    /// - Parameter kept: Told, after it was counted, that a silence kept a question from people.
    public init(
        _ silences: Silences, audit: (any AuditLog)? = nil,
        kept: @escaping @Sendable (_ number: Int, _ isAnswered: Bool) -> Void = { _, _ in }
    ) {
        self.silences = silences
        self.audit = audit
        self.kept = kept
    }

    public func present(_ prompt: Prompt) async throws -> Answer? {
        guard let silence = silences.silence(for: prompt.report, origin: prompt.origin) else {
            return nil
        }
        let option = silence.option(for: prompt.report)
        var answer: Answer?
        if let option {
            answer = try prompt.answer(option, by: silence.decider, via: .policy)
        } else {
            guard prompt.close(.withheld, by: silence.decider) else { return nil }
            audit?.record(
                AuditEvent(
                    silencing: prompt.report, prompt.id, origin: prompt.origin,
                    by: silence.decider))
        }
        silences.kept(silence.number, isAnswered: option != nil)
        kept(silence.number, option != nil)
        return answer
    }
}

extension AuditEvent {
    /// Kept from people, and not answered.
    package init(
        silencing report: ErrorReport, _ id: PresentationID, origin: NodeName?, by decider: String
    ) {
        self.init(
            .change, id,
            report.auditFields.merging([
                "reason": Outcome.Reason.withheld.rawValue, "by": decider,
                "origin": origin?.description ?? "",
            ]) { $1 })
    }
}
