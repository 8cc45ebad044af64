extension ErrorReport {
    /// The report as JSON. Absent and empty fields are left out, unknown keys are written again;
    /// where an unknown key has the name of a known one, the known one is written.
    public var json: JSONValue {
        var members = unknownKeys
        members["domain"] = .string(domain)
        members["description"] = .string(description)
        members["severity"] = .string(severity.rawValue)
        members["code"] = code.map { .integer(Int64($0)) }
        members["failureReason"] = failureReason.map(JSONValue.string)
        members["recoverySuggestion"] = recoverySuggestion.map(JSONValue.string)
        members["helpAnchor"] = helpAnchor.map(JSONValue.string)
        members["occurredAt"] = occurredAt.map(JSONValue.string)
        members["retryOf"] = retryOf.map { .string($0.description) }
        members["coalesceKey"] = coalesceKey.map(JSONValue.string)
        members["onExpiry"] = onExpiry.map(JSONValue.string)
        members["recoveryOptions"] = options.isEmpty ? nil : .array(options.map(\.json))
        members["userInfo"] = userInfo.isEmpty ? nil : .object(userInfo)
        members["underlyingErrors"] =
            underlyingErrors.isEmpty ? nil : .array(underlyingErrors.map(\.json))
        members["undescribed"] =
            undescribed.isEmpty ? nil : .array(undescribed.map(JSONValue.string))
        return .object(members)
    }

    /// The report as the bytes of a payload: the same for equal reports. A report put together
    /// by hand can be larger than ``Limits/payloadByteCount``; the sender checks.
    public func payload() -> [UInt8] { json.encoded() }
}

extension ErrorReport.Option {
    var json: JSONValue {
        var members = unknownKeys
        members["id"] = .string(id)
        members["title"] = .string(title)
        members["role"] = role.map { .string($0.rawValue) }
        // The role `default` says it already.
        members["default"] = isDeclaredDefault && role != .default ? .bool(true) : nil
        return .object(members)
    }
}
