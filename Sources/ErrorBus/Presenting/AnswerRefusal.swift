/// Why an answer was not taken. The question is unchanged: what was open stays open.
public enum AnswerRefusal: Error, Hashable, Sendable {
    /// The report does not offer this option.
    case notOffered(option: String, offered: [String])
    /// It was answered before.
    case alreadyAnswered(Answer)
    /// The question is gone: withdrawn by its origin, expired, ...
    case closed(Outcome.Reason)
}

extension AnswerRefusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notOffered(let option, let offered):
            "option \"\(option)\" is not offered; offered: \(offered.joined(separator: ", "))"
        case .alreadyAnswered(let answer):
            "answered before with \"\(answer.option)\" by \(answer.by) (\(answer.via.rawValue))"
        case .closed(let reason):
            "no longer open: \(reason)"
        }
    }
}
