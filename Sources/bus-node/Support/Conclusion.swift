import ErrorBus

/// What a command makes of an outcome: its exit status, and a sentence when there is something to
/// say that the printed option does not.
struct Conclusion {
    let status: ExitStatus
    let text: String?

    init(_ outcome: Outcome) {
        let detail = outcome.detail.map { ": \($0.shown())" } ?? ""
        switch outcome.reason {
        case .answered, .handled:
            status = outcome.didRecover ? .ok : .declined
            text =
                switch outcome.answer {
                case nil: "handled by \(outcome.decidedBy.shown())"
                case let answer? where answer.via == .expiry:
                    "no answer came in time: \(answer.option.shown()) applied (on expiry)"
                case _?: nil
                }
        case .withheld, .userCancelled:
            status = .declined
            text = "\(outcome.reason) by \(outcome.decidedBy.shown()): no presenter was asked"
        case .unreachable:
            // A node is there, and at a limit.
            let isBusy = outcome.refusalCode == RejectCode.busy.rawValue
            status = isBusy ? .temporaryFailure : .unavailable
            text = "no node could be reached\(detail)"
        case .detached:
            status = .unavailable
            text = "no node up there presents errors\(detail)"
        case .expired:
            status = .temporaryFailure
            text = "no answer came before the deadline"
        case .busy, .shutDown:
            status = .temporaryFailure
            text = "\(outcome.reason)\(detail)"
        case .rejected, .cycle, .tooManyHops:
            status = .badData
            text = "refused\(detail)"
        case .withdrawn:
            status = .declined
            text = "withdrawn"
        default:
            status = .declined
            text = "\(outcome.reason.rawValue.shown())\(detail)"
        }
    }
}

extension Outcome {
    /// The outcome for scripts; the keys are those of the reply to a bare client.
    var json: JSONValue {
        var object: [String: JSONValue] = [
            "didRecover": .bool(didRecover), "reason": .string(reason.rawValue),
            "by": .string(answer?.by ?? decidedBy),
        ]
        object["id"] = presentation.map { .string($0.description) } ?? .null
        object["option"] = answer.map { .string($0.option) } ?? .null
        object["via"] = answer.map { .string($0.via.rawValue) } ?? .null
        object["code"] = refusalCode.map { .integer(Int64($0)) } ?? .null
        object["detail"] = detail.map { .string($0) } ?? .null
        return .object(object)
    }
}
