extension ErrorReport {
    /// Reads the payload of a PRESENT or a bare report.
    ///
    /// Unknown keys are kept; null means absent. Unknown severities and roles are refused, even
    /// from a newer peer: a decision must not rest on an unknown word.
    ///
    /// - Throws: ``ReportError`` naming the field, what was found and what is allowed.
    public init(payload: [UInt8]) throws(ReportError) {
        let json: JSONValue
        do { json = try JSONValue.parse(payload) } catch { throw ReportError(error) }
        try self.init(json: json)
    }

    /// Reads a report from parsed JSON; see ``init(payload:)``.
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
        for text in Self.texts { self[keyPath: text.property] = try fields.string(text.key) }
        severity = try fields.word("severity", of: Severity.self) ?? .error
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
        // Not checked against the options: a relay may have removed that one.
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
        let fieldCount = options.reduce(0) { $0 + $1.fields.count }
        guard fieldCount <= Limits.fieldCountOfReport else {
            throw ReportError(
                "recoveryOptions", found: "\(fieldCount) fields",
                allowed: "at most \(Limits.fieldCountOfReport) of all options together")
        }
        return options
    }
}

extension ErrorReport.Option {
    /// The form of an id, for messages.
    static let allowedID = "1 to \(ErrorReport.Limits.optionIDByteCount) of A-Z a-z 0-9 . _ -"

    /// Whether the text may be the id of an option.
    static func isID(_ text: String) -> Bool {
        // The form of a node's name, for the same reasons.
        NodeName(text) != nil
    }

    package init(json: JSONValue) throws(ReportError) {
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
        needsSignature = try fields.bool("signed") ?? false
        needsTwoPeople = try fields.bool("twoPeople") ?? false
        self.fields = try [ErrorReport.Field].reading(try fields.array("fields"))
        unknownKeys = fields.remaining
    }
}

/// The members of one JSON object while a report is read from it. Each known field is taken out
/// once; the rest are the keys unknown to this version.
struct ReportFields {
    /// The most fields of an object that are found without growth of ``taken``.
    private static let usualCount = 12

    private let members: [String: JSONValue]
    /// The keys of the fields that were found. A copy of the other members would keep the memory of
    /// all members, in each option of an open report.
    private var taken: [String] = []

    init(_ value: JSONValue) throws(ReportError) {
        guard case .object(let members) = value else {
            throw ReportError("", found: value.kind, allowed: "an object")
        }
        self.members = members
        taken.reserveCapacity(min(members.count, Self.usualCount))
    }

    /// The members that were not taken out.
    var remaining: [String: JSONValue] {
        taken.count == members.count ? [:] : members.filter { !taken.contains($0.key) }
    }

    /// The field; nil where it is missing or null.
    private mutating func take(_ key: String) -> JSONValue? {
        // Most objects have few of the known fields: once all are found, no other is looked up.
        guard taken.count < members.count, let value = members[key] else { return nil }
        taken.append(key)
        if case .null = value { return nil }
        return value
    }

    mutating func string(
        _ key: String, scalarLimit: Int? = nil
    ) throws(ReportError) -> String? {
        guard let value = take(key) else { return nil }
        guard case .string(let text) = value else {
            throw ReportError(key, found: value.kind, allowed: "a string")
        }
        guard let limit = scalarLimit, text.utf8.count > limit else { return text }
        let count = text.unicodeScalars.count
        guard count <= limit else {
            throw ReportError(key, found: "\(count) scalars", allowed: "at most \(limit)")
        }
        return text
    }

    mutating func requiredString(
        _ key: String, scalarLimit: Int? = nil
    ) throws(ReportError) -> String {
        guard let text = try string(key, scalarLimit: scalarLimit) else {
            throw ReportError(key, found: "missing", allowed: "a string")
        }
        return text
    }

    mutating func optionID(_ key: String) throws(ReportError) -> String? {
        guard let id = try string(key) else { return nil }
        guard ErrorReport.Option.isID(id) else {
            throw ReportError(
                key, found: "\"\(id.escapedForTerminal(scalarLimit: 64))\"",
                allowed: ErrorReport.Option.allowedID)
        }
        return id
    }

    mutating func integer(_ key: String) throws(ReportError) -> Int? {
        guard let value = take(key) else { return nil }
        guard case .integer(let number) = value, let number = Int(exactly: number) else {
            throw ReportError(key, found: value.kind, allowed: "a 64-bit integer")
        }
        return number
    }

    mutating func number(_ key: String) throws(ReportError) -> Double? {
        guard let value = take(key) else { return nil }
        guard let number = value.numberValue else {
            throw ReportError(key, found: value.kind, allowed: "a number")
        }
        return number
    }

    /// The field of any kind; nil where it is missing or null.
    mutating func value(_ key: String) -> JSONValue? { take(key) }

    mutating func bool(_ key: String) throws(ReportError) -> Bool? {
        guard let value = take(key) else { return nil }
        guard case .bool(let flag) = value else {
            throw ReportError(key, found: value.kind, allowed: "true or false")
        }
        return flag
    }

    mutating func array(_ key: String) throws(ReportError) -> [JSONValue] {
        guard let value = take(key) else { return [] }
        guard case .array(let elements) = value else {
            throw ReportError(key, found: value.kind, allowed: "an array")
        }
        return elements
    }

    mutating func object(_ key: String) throws(ReportError) -> [String: JSONValue] {
        guard let value = take(key) else { return [:] }
        guard case .object(let members) = value else {
            throw ReportError(key, found: value.kind, allowed: "an object")
        }
        return members
    }

    mutating func strings(_ key: String) throws(ReportError) -> [String] {
        var texts: [String] = []
        for (index, element) in try array(key).enumerated() {
            guard case .string(let text) = element else {
                throw ReportError("\(key)[\(index)]", found: element.kind, allowed: "a string")
            }
            texts.append(text)
        }
        return texts
    }

    /// A word from a closed list. An unknown word is refused: Return could choose an option with a
    /// misread role.
    mutating func word<Word: RawRepresentable<String> & CaseIterable>(
        _ key: String, of type: Word.Type
    ) throws(ReportError) -> Word? {
        guard let text = try string(key) else { return nil }
        guard let word = Word(rawValue: text) else {
            throw ReportError(
                key, found: "\"\(text.escapedForTerminal(scalarLimit: 64))\"",
                allowed: Word.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return word
    }
}

extension ErrorReport {
    private static let usualMemberCount = 12

    /// The report as JSON. Absent and empty fields are left out; unknown keys are written again,
    /// unless a known key has the same name.
    public var json: JSONValue {
        var object = MemberWriter(beside: unknownKeys, capacity: Self.usualMemberCount)
        object.set("domain", .string(domain))
        object.set("description", .string(description))
        object.set("severity", .string(severity.rawValue))
        object.set("code", code.map { .integer(Int64($0)) })
        for text in Self.texts {
            object.set(text.key, self[keyPath: text.property].map(JSONValue.string))
        }
        object.set("retryOf", retryOf.map { .string($0.description) })
        object.set("coalesceKey", coalesceKey.map(JSONValue.string))
        object.set("onExpiry", onExpiry.map(JSONValue.string))
        object.set("recoveryOptions", options.isEmpty ? nil : .array(options.map { $0.json }))
        object.set("userInfo", userInfo.isEmpty ? nil : .object(userInfo))
        object.set(
            "underlyingErrors",
            underlyingErrors.isEmpty ? nil : .array(underlyingErrors.map { $0.json }))
        object.set(
            "undescribed", undescribed.isEmpty ? nil : .array(undescribed.map(JSONValue.string)))
        return .object(object.members)
    }

    /// The bytes of the payload, the same for equal reports. A report made by hand may exceed
    /// ``Limits/payloadByteCount``; the sender checks.
    public func payload() -> [UInt8] {
        var writer = JSONWriter(byteCount: 512)
        writer.write(json)
        return writer.bytes
    }
}

extension ErrorReport.Option {
    package var json: JSONValue {
        var object = MemberWriter(beside: unknownKeys, capacity: Self.usualMemberCount)
        object.set("id", .string(id))
        object.set("title", .string(title))
        object.set("role", role.map { .string($0.rawValue) })
        // The role `default` implies it.
        object.set("default", isDeclaredDefault && role != .default ? .bool(true) : nil)
        object.set("signed", needsSignature ? .bool(true) : nil)
        object.set("twoPeople", needsTwoPeople ? .bool(true) : nil)
        object.set("fields", fields.isEmpty ? nil : .array(fields.map { $0.json }))
        return .object(object.members)
    }

    private static let usualMemberCount = 3
}

/// The members of a JSON object while it is written: known ones beside unknown ones.
private struct MemberWriter {
    private(set) var members: [String: JSONValue]
    private let hasUnknown: Bool

    /// - Parameter capacity: The number of members that most objects have at most.
    init(beside unknown: [String: JSONValue], capacity: Int) {
        hasUnknown = !unknown.isEmpty
        members = hasUnknown ? unknown : Dictionary(minimumCapacity: capacity)
    }

    /// Sets a known member. Without a value there is none, not even an unknown one of that name.
    mutating func set(_ key: String, _ value: JSONValue?) {
        if value != nil || hasUnknown { members[key] = value }
    }
}

/// The reason why a JSON value is not an error report: the field, the value found, the values
/// allowed.
public struct ReportError: Error, Hashable, Sendable {
    /// The path to the field, as `recoveryOptions[1].title`; empty for the report itself.
    public let field: String
    /// The value found, in words: only its kind or a short, escaped text.
    public let found: String
    /// The values allowed, in words.
    public let allowed: String
    /// The fault in the bytes, when they are not JSON.
    package let cause: JSONError?

    init(_ field: String, found: String, allowed: String, cause: JSONError? = nil) {
        self.field = field
        self.found = found
        self.allowed = allowed
        self.cause = cause
    }

    init(_ cause: JSONError) {
        self.init(
            "", found: "not usable JSON (byte \(cause.offset): \(cause.reason))",
            allowed: "one JSON object of at most \(ErrorReport.Limits.payloadByteCount) bytes",
            cause: cause)
    }

    /// The same error with the field's path inside `container`.
    package func within(_ container: String) -> ReportError {
        let path = field.isEmpty ? container : "\(container).\(field)"
        return ReportError(path, found: found, allowed: allowed, cause: cause)
    }
}

extension ReportError: CustomStringConvertible {
    /// One sentence, safe to print.
    public var description: String {
        let subject = field.isEmpty ? "The report" : "The report's `\(field)`"
        return "\(subject) is \(found); allowed: \(allowed)."
    }
}
