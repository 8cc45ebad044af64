extension ErrorReport {
    /// Reads the payload of a PRESENT or a bare report.
    ///
    /// Unknown keys are kept; null means absent. Unknown severities and roles are refused, also
    /// those of a newer peer: a decision must not rest on a word that is unknown here.
    ///
    /// - Throws: ``ReportError`` naming the field, what was found and what is allowed.
    public init(payload: [UInt8]) throws(ReportError) {
        let json: JSONValue
        do { json = try JSONValue.parse(payload) } catch { throw ReportError(error) }
        try self.init(json: json)
    }

    /// Reads a report from JSON that was parsed before; see ``init(payload:)``.
    public init(json: JSONValue) throws(ReportError) {
        var underlyingCount = 0
        try self.init(json, level: 0, underlyingCount: &underlyingCount)
    }

    private init(
        _ json: JSONValue, level: Int, underlyingCount: inout Int
    ) throws(ReportError) {
        var fields = try ReportFields(json)
        let domain = try fields.requiredString(
            "domain", scalarLimit: Limits.domainScalarCount)
        guard !domain.isEmpty else {
            throw ReportError("domain", found: "empty", allowed: "a string that is not empty")
        }
        self.init(domain: domain, description: try fields.requiredString("description"))
        code = try fields.integer("code")
        failureReason = try fields.string("failureReason")
        recoverySuggestion = try fields.string("recoverySuggestion")
        helpAnchor = try fields.string("helpAnchor")
        severity = try fields.word("severity", of: Severity.self) ?? .error
        occurredAt = try fields.string("occurredAt")
        if let text = try fields.string("retryOf") {
            guard let id = PresentationID(text) else {
                throw ReportError(
                    "retryOf", found: "\"\(text.escapedForTerminal(scalarLimit: 64))\"",
                    allowed: "a UUID")
            }
            retryOf = id
        }
        coalesceKey = try fields.string(
            "coalesceKey", scalarLimit: Limits.coalesceKeyScalarCount)
        // Not compared with the options: a relay may have taken that one away.
        onExpiry = try fields.optionID("onExpiry")
        options = try Self.options(try fields.array("recoveryOptions"))
        userInfo = try fields.object("userInfo")
        undescribed = try fields.strings("undescribed")
        underlyingErrors = try Self.underlyingErrors(
            try fields.array("underlyingErrors"), level: level + 1, count: &underlyingCount)
        unknownKeys = fields.remaining
    }

    private static func underlyingErrors(
        _ elements: [JSONValue], level: Int, count: inout Int
    ) throws(ReportError) -> [ErrorReport] {
        guard !elements.isEmpty else { return [] }
        guard level <= Limits.underlyingDepth else {
            throw ReportError(
                "underlyingErrors", found: "at level \(level)",
                allowed: "at most \(Limits.underlyingDepth) levels")
        }
        count += elements.count
        guard count <= Limits.underlyingErrorCount else {
            throw ReportError(
                "underlyingErrors", found: "underlying error number \(count)",
                allowed: "at most \(Limits.underlyingErrorCount) in all")
        }
        var reports: [ErrorReport] = []
        for (index, element) in elements.enumerated() {
            do throws(ReportError) {
                reports.append(try ErrorReport(element, level: level, underlyingCount: &count))
            } catch { throw error.within("underlyingErrors[\(index)]") }
        }
        return reports
    }

    private static func options(_ elements: [JSONValue]) throws(ReportError) -> [Option] {
        guard elements.count <= Limits.optionCount else {
            throw ReportError(
                "recoveryOptions", found: "\(elements.count) options",
                allowed: "at most \(Limits.optionCount)")
        }
        var options: [Option] = []
        for (index, element) in elements.enumerated() {
            do throws(ReportError) {
                let option = try Option(json: element)
                guard !options.contains(where: { $0.id == option.id }) else {
                    throw ReportError(
                        "id", found: "\"\(option.id)\" a second time",
                        allowed: "an id of its own for each option")
                }
                options.append(option)
            } catch { throw error.within("recoveryOptions[\(index)]") }
        }
        return options
    }
}

extension ErrorReport.Option {
    /// What is allowed as an id, in words.
    static let allowedID = "1 to \(ErrorReport.Limits.optionIDByteCount) of A-Z a-z 0-9 . _ -"

    /// Whether the text may be the id of an option.
    static func isID(_ text: String) -> Bool {
        // The same alphabet and length as a node's name, for the same reasons.
        NodeName(text) != nil
    }

    init(json: JSONValue) throws(ReportError) {
        var fields = try ReportFields(json)
        guard let id = try fields.optionID("id") else {
            throw ReportError("id", found: "missing", allowed: ErrorReport.Option.allowedID)
        }
        let title = try fields.requiredString(
            "title", scalarLimit: ErrorReport.Limits.titleScalarCount)
        let role = try fields.word("role", of: Role.self)
        let isDefault = try fields.bool("default")
        if isDefault == false, role == .default {
            throw ReportError(
                "default", found: "false beside the role default", allowed: "true, or no such key")
        }
        self.init(id: id, title: title, role: role, isDeclaredDefault: isDefault ?? false)
        unknownKeys = fields.remaining
    }
}
