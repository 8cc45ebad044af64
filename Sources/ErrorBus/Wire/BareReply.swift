/// The one JSON frame a bare client gets back.
struct BareReply: Hashable, Sendable {
    enum Outcome: String, Sendable {
        case answered, handled, withheld, rejected, expired
    }

    var id: PresentationID?
    var outcome: Outcome
    var option: String?
    /// Nil when the option is the client's own to run.
    var didRecover: Bool?
    var reason: String?
    var by: String?
    var via: Answer.Via?
    var code: RejectCode?

    init(_ error: WireError) {
        id = error.id
        outcome = .rejected
        reason = error.reason
        code = error.code
    }

    init(_ reject: Message.Reject) {
        id = reject.id
        outcome = reject.code == .deadlinePassed ? .expired : .rejected
        reason = reject.reason
        code = reject.code
    }

    init(_ decision: Message.Decision) {
        id = decision.id
        outcome =
            switch decision.reason {
            case "withheld", "userCancelled": .withheld
            case "expired": .expired
            default: decision.option == nil ? .handled : .answered
            }
        option = decision.option
        didRecover = decision.didRecover
        reason = decision.reason
        by = decision.by
        via = decision.via
    }

    var frame: Frame {
        var object: [String: JSONValue] = ["outcome": .string(outcome.rawValue)]
        func set(_ key: String, _ value: String?) {
            object[key] = value.map { .string($0) } ?? .null
        }
        set("id", id?.description)
        set("option", option)
        set("reason", reason)
        set("by", by)
        set("via", via?.rawValue)
        object["didRecover"] = didRecover.map { .bool($0) } ?? .null
        object["code"] = code.map { .integer(Int64($0.rawValue)) } ?? .null
        return JSONValue.object(object).encoded()
    }
}
