/// One frame of JSON that presents an error: the request of a client of a few lines.
package struct BareRequest: Hashable, Sendable {
    /// The client's own id, or a new one. A repeated id gets the same answer.
    let id: PresentationID
    let deadlineMilliseconds: UInt64?
    /// The options offered; OK when the report has none.
    let offered: [ErrorReport.Option]
    /// The option that the client applies when no answer comes in time.
    let onExpiry: String?
    /// The report without the two keys of the request.
    let payload: Frame

    package init(_ frame: Frame, limits: WireLimits = .standard) throws(WireError) {
        guard frame.count <= limits.payloadByteCountMax else {
            throw WireError(
                .tooLarge, "\(frame.count) bytes; at most \(limits.payloadByteCountMax)")
        }
        var report: ErrorReport
        do {
            report = try ErrorReport(payload: frame)
        } catch {
            throw WireError(.malformed, "\(error)")
        }
        id = try Self.id(report.unknownKeys.removeValue(forKey: "id"))
        deadlineMilliseconds = try Self.deadline(
            report.unknownKeys.removeValue(forKey: "deadlineMilliseconds"), id: id)
        offered = report.offered
        // Its owner checks the signature, which a reply of one frame does not have.
        if let signed = offered.first(where: \.needsSignature) {
            throw WireError(
                .malformed,
                "option \"\(signed.id)\" is signed; allowed only in PRESENT, whose ANSWER has the "
                    + "signature", id: id)
        }
        onExpiry = report.onExpiry
        if let onExpiry { try Self.check(onExpiry, offered, id: id) }
        payload = report.payload()
    }

    /// Checks the option that the client applies without an answer: it has to be offered, and to
    /// need no value that only an answer can give.
    private static func check(
        _ onExpiry: String, _ offered: [ErrorReport.Option], id: PresentationID
    ) throws(WireError) {
        guard let option = offered.first(where: { $0.id == onExpiry }) else {
            let allowed = offered.map(\.id).joined(separator: ", ")
            throw WireError(.malformed, "onExpiry \"\(onExpiry)\"; allowed: \(allowed)", id: id)
        }
        do throws(FieldFault) { _ = try FieldValues([:], for: option.fields) } catch {
            throw WireError(
                .malformed, "onExpiry \"\(onExpiry)\": without an answer \(error)", id: id)
        }
    }

    private static func id(_ value: JSONValue?) throws(WireError) -> PresentationID {
        switch value {
        case nil, .null: return .make()
        case .string(let text):
            if let id = PresentationID(text) { return id }
            throw WireError(.malformed, "id \"\(text.cut(toScalars: 60))\"; allowed: a UUID")
        default: throw WireError(.malformed, "id is not a string; allowed: a UUID")
        }
    }

    private static func deadline(
        _ value: JSONValue?, id: PresentationID
    ) throws(WireError) -> UInt64? {
        switch value {
        case nil, .null: return nil
        case .integer(let number)
        where number >= 0 && UInt64(number) <= WireLimits.bareDeadlineMillisecondsMax:
            return UInt64(number)
        default:
            throw WireError(
                .malformed,
                "deadlineMilliseconds is not a whole number from 0 to "
                    + "\(WireLimits.bareDeadlineMillisecondsMax) (a day)", id: id)
        }
    }
}

/// The JSON frame of the reply to a bare client.
package struct BareReply: Hashable, Sendable {
    enum Outcome: String, Sendable {
        case answered, handled, withheld, rejected, expired
    }

    package var id: PresentationID?
    var outcome: Outcome
    var option: String?
    /// Whether the option recovered; nil when the client itself runs the option.
    var didRecover: Bool?
    var reason: String?
    var by: String?
    var via: Answer.Via?
    /// The person who confirmed the answer; left out of the reply if there is none.
    var second: String?
    /// The values of the option's fields, if the client itself runs it; left out of the reply if
    /// there are none.
    var values: [String: JSONValue] = [:]
    /// The reason for the answer, in the words of its author; left out of the reply without a
    /// comment.
    var comment: String?
    var code: RejectCode?

    package init(_ error: WireError) {
        id = error.id
        outcome = .rejected
        reason = error.reason
        code = error.code
    }

    package init(_ reject: Message.Reject) {
        id = reject.id
        outcome = reject.code == .deadlinePassed ? .expired : .rejected
        reason = reject.reason
        code = reject.code
    }

    init(_ id: PresentationID, _ answer: Answer) {
        self.id = id
        outcome =
            switch answer.reason {
            case "withheld", "userCancelled": .withheld
            case "expired": .expired
            default: answer.chosen == nil ? .handled : .answered
            }
        option = answer.chosen
        didRecover = answer.didRecover
        reason = answer.reason
        by = answer.by
        via = answer.via
        second = answer.second
        let given = answer.given
        comment = given.comment
        if answer.didRecover == nil {
            values = given.values.merging(given.secrets) { value, _ in value }
        }
    }

    package var frame: Frame {
        var object: [String: JSONValue] = ["outcome": .string(outcome.rawValue)]
        func set(_ key: String, _ value: String?) {
            object[key] = value.map { .string($0) } ?? .null
        }
        set("id", id?.description)
        set("option", option)
        set("reason", reason)
        set("by", by)
        set("via", via?.rawValue)
        if let second { object["second"] = .string(second) }
        if !values.isEmpty { object["values"] = .object(values) }
        if let comment { object["comment"] = .string(comment) }
        object["didRecover"] = didRecover.map { .bool($0) } ?? .null
        object["code"] = code.map { .integer(Int64($0.rawValue)) } ?? .null
        return JSONValue.object(object).encoded()
    }
}
