/// What a presenter does with a question that it had shown, unanswered, before it was restarted.
public enum RestartPolicy: String, Hashable, Sendable, CaseIterable {
    /// Shows it again, marked as shown before, once its origin asks again.
    case ask
    /// Refuses it (410): a person may have acted on it.
    case never
}
