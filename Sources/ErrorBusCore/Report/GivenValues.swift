/// The values of an answer as they travel (docs/wire.md, section Values), before they are checked
/// against the fields of the option, and its comment.
///
/// Secrets travel apart from the others, so that code that stores or shows an answer can leave them
/// out without knowing the report.
package struct GivenValues: Hashable, Sendable {
    private static let valuesKey = "values"
    private static let secretsKey = "secrets"
    private static let withheldKey = "withheld"
    private static let commentKey = "comment"

    /// The form that ``Swift/String/isComment`` allows, in words.
    package static let allowedComment =
        "a text of at most \(ErrorReport.Limits.commentByteCount) bytes in UTF-8, without control "
        + "characters but line breaks (LF)"

    package var values: [String: JSONValue] = [:]
    package var secrets: [String: JSONValue] = [:]
    /// The names of given secrets, whose values stores and screens do not get.
    package private(set) var withheld: [String] = []
    /// The reason for the answer, in the words of its author; nil without a comment.
    package private(set) var comment: String?
    /// Keys that this version does not know.
    private var others: [String: JSONValue] = [:]

    package init(
        values: [String: JSONValue] = [:], secrets: [String: JSONValue] = [:],
        comment: String? = nil
    ) {
        self.values = values
        self.secrets = secrets
        self.comment = comment?.asComment
    }

    /// The values of one object, as people and programs give them.
    package init(
        _ given: [String: JSONValue], for fields: [ErrorReport.Field], comment: String? = nil
    ) {
        let secret = Set(fields.filter(\.isSecret).map(\.name))
        self.init(
            values: given.filter { !secret.contains($0.key) },
            secrets: given.filter { secret.contains($0.key) }, comment: comment)
    }

    /// Reads the payload of an ANSWER, which may be empty.
    package init(payload: [UInt8]) throws(FieldFault) {
        guard !payload.isEmpty else { return }
        let json: JSONValue
        do throws(JSONError) { json = try JSONValue.parse(payload) } catch {
            throw FieldFault(
                Self.valuesKey, found: "no usable JSON (byte \(error.offset): \(error.reason))",
                expected: "an object")
        }
        guard case .object(var members) = json else {
            throw FieldFault(Self.valuesKey, found: json.kind, expected: "an object")
        }
        values = try Self.object(members.removeValue(forKey: Self.valuesKey), Self.valuesKey)
        secrets = try Self.object(members.removeValue(forKey: Self.secretsKey), Self.secretsKey)
        withheld = (members.removeValue(forKey: Self.withheldKey)?.arrayValue ?? [])
            .compactMap(\.stringValue)
        comment = members.removeValue(forKey: Self.commentKey)?.stringValue?.asComment
        others = members
    }

    private static func object(
        _ json: JSONValue?, _ key: String
    ) throws(FieldFault) -> [String: JSONValue] {
        guard let json, !json.isNull else { return [:] }
        guard case .object(let members) = json else {
            throw FieldFault(key, found: json.kind, expected: "an object")
        }
        return members
    }

    /// The payload of an ANSWER; empty without values and comment.
    package var payload: [UInt8] {
        var members = others
        if !values.isEmpty { members[Self.valuesKey] = .object(values) }
        if !secrets.isEmpty { members[Self.secretsKey] = .object(secrets) }
        if !withheld.isEmpty { members[Self.withheldKey] = .array(withheld.map { .string($0) }) }
        members[Self.commentKey] = comment.map { .string($0) }
        return members.isEmpty ? [] : JSONValue.object(members).encoded()
    }

    /// Whether there are no values.
    package var isEmpty: Bool { values.isEmpty && secrets.isEmpty && withheld.isEmpty }

    /// The names of the secrets that were given.
    package var secretNames: [String] { (withheld + secrets.keys).sorted() }

    /// The values with only the names of the secrets.
    package var withoutSecrets: GivenValues {
        var given = self
        given.withheld = secretNames
        given.secrets = [:]
        return given
    }

    /// The comment and the unknown keys, without values.
    var withoutValues: GivenValues {
        var given = GivenValues(comment: comment)
        given.others = others
        return given
    }

    /// The values, checked against the fields of the option.
    package func checked(for fields: [ErrorReport.Field]) throws(FieldFault) -> FieldValues {
        if let name = withheld.first {
            throw FieldFault(
                name.escapedForTerminal(scalarLimit: 40),
                found: "a secret that was not stored with its answer",
                expected: "an answer that was given since")
        }
        for field in fields {
            guard (field.isSecret ? values : secrets)[field.name] == nil else {
                throw FieldFault(
                    field.name,
                    found: field.isSecret ? "a secret among the values" : "a value among secrets",
                    expected: "it among the \(field.isSecret ? "secrets" : "values")")
            }
        }
        return try FieldValues(values.merging(secrets) { value, _ in value }, for: fields)
    }
}

extension String {
    /// Whether a person may give the text as a comment: within its limit, and without control
    /// characters but line feeds.
    package var isComment: Bool {
        utf8.count <= ErrorReport.Limits.commentByteCount && !hasControls(besides: ["\n"])
    }

    /// The text as a comment: other control characters become spaces, and a longer text is cut. Nil
    /// for a text without a visible character.
    fileprivate var asComment: String? {
        var text = String.UnicodeScalarView()
        var byteCount = 0
        for scalar in withoutMarkFloods.unicodeScalars {
            byteCount += UTF8.width(scalar)
            guard byteCount <= ErrorReport.Limits.commentByteCount else { break }
            let isControl = scalar.properties.generalCategory == .control
            text.append(isControl && scalar != "\n" ? " " : scalar)
        }
        return text.allSatisfy(\.properties.isWhitespace) ? nil : String(text)
    }
}
