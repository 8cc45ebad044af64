/// The value of a field, checked.
public enum FieldValue: Hashable, Sendable {
    /// A line of text.
    case text(String)
    /// A finite number.
    case number(Double)
    /// One of the field's choices.
    case choice(String)
    /// True or false.
    case boolean(Bool)
    /// A secret text; ``description`` hides it.
    case secret(String)
}

extension FieldValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The value as text for people; never the text of a secret.
    public var description: String {
        if case .secret = self { FieldValues.hidden } else { plainText }
    }

    public var debugDescription: String { description }

    /// The value as ``description`` has it, so that `dump` and similar functions show no secret.
    public var customMirror: Mirror { Mirror(self, children: [("value", description as Any)]) }

    /// The value as text, also the text of a secret.
    var plainText: String {
        switch self {
        case .text(let text), .choice(let text), .secret(let text): text
        case .number: String(decoding: json.encoded(), as: UTF8.self)
        case .boolean(let flag): flag ? "true" : "false"
        }
    }

    package var json: JSONValue {
        switch self {
        case .text(let text), .choice(let text), .secret(let text): .string(text)
        case .number(let number): JSONValue(exactly: number)
        case .boolean(let flag): .bool(flag)
        }
    }
}

/// The checked values of an option's fields, as the option's attempt gets them: the given values,
/// and the defaults of the others. A field that is not required and has no default may have no
/// value.
public struct FieldValues: Hashable, Sendable {
    /// The text in place of a secret.
    package static let hidden = "(secret)"

    private var values: [String: FieldValue] = [:]

    /// No values, as for an option without fields.
    public init() {}

    /// The values of an answer, checked against the fields of its option.
    ///
    /// - Parameters:
    ///   - given: The values by name, secrets included.
    ///   - fields: The fields of the option.
    /// - Throws: ``FieldFault`` for the first value that is missing, does not fit its field, or
    ///   belongs to no field.
    public init(
        _ given: [String: JSONValue], for fields: [ErrorReport.Field]
    ) throws(FieldFault) {
        let names = Set(fields.map(\.name))
        if let other = given.keys.sorted().first(where: { !names.contains($0) }) {
            throw FieldFault(
                other.escapedForTerminal(scalarLimit: 40), found: "a value of no field",
                expected: fields.isEmpty
                    ? "no values: the option has no fields"
                    : fields.map(\.name).joined(separator: ", "))
        }
        for field in fields {
            if let value = given[field.name] ?? field.defaultValue, !value.isNull {
                values[field.name] = try field.value(of: value)
            } else if field.isRequired {
                throw FieldFault(field.name, found: "no value", expected: field.expectation)
            }
        }
    }

    /// The value of the field; nil when none was given and there is no default.
    public subscript(name: String) -> FieldValue? { values[name] }

    /// Whether no field has a value.
    public var isEmpty: Bool { values.isEmpty }

    /// The names of the fields that have a value, in alphabetical order.
    public var names: [String] { values.keys.sorted() }

    /// The value of a field of kind text, choice or secret; nil for another kind or no value.
    public func text(_ name: String) -> String? {
        switch values[name] {
        case .text(let text), .choice(let text), .secret(let text): text
        case .number, .boolean, nil: nil
        }
    }

    /// The value of a field of kind number; nil for another kind or no value.
    public func number(_ name: String) -> Double? {
        if case .number(let number) = values[name] { number } else { nil }
    }

    /// The value of a field of kind number as an integer; nil when it has a fraction or does not
    /// fit, and for another kind or no value.
    public func integer(_ name: String) -> Int? { number(name).flatMap { Int(exactly: $0) } }

    /// The value of a field of kind boolean; nil for another kind or no value.
    public func boolean(_ name: String) -> Bool? {
        if case .boolean(let flag) = values[name] { flag } else { nil }
    }

    /// The values as environment variables of a command.
    package var environment: [String: String] {
        Dictionary(
            values.map { (ErrorReport.Field.variable(of: $0.key), $0.value.plainText) }
        ) { $1 }
    }

    /// The values of fields of kind secret.
    package var secrets: [String] {
        values.values.compactMap { if case .secret(let text) = $0 { text } else { nil } }
    }

    /// The values by name, secrets included.
    package var json: [String: JSONValue] { values.mapValues(\.json) }

    /// The values as they travel.
    package var given: GivenValues {
        var given = GivenValues()
        for (name, value) in values {
            if case .secret = value {
                given.secrets[name] = value.json
            } else {
                given.values[name] = value.json
            }
        }
        return given
    }
}

extension FieldValues: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        names.map { "\($0): \(values[$0]?.description ?? "")" }.joined(separator: ", ")
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror {
        Mirror(self, children: names.map { ($0, values[$0]?.description as Any) })
    }
}

/// The reason why the values of an answer do not fit the fields of its option.
public struct FieldFault: Error, Hashable, Sendable {
    /// The name of the field.
    public let field: String
    /// The value found, in words; nothing of a secret.
    public let found: String
    /// The values expected, in words.
    public let expected: String

    init(_ field: String, found: String, expected: String) {
        self.field = field
        self.found = found
        self.expected = expected
    }
}

extension FieldFault: CustomStringConvertible {
    /// One sentence, safe to print.
    public var description: String { "value of \"\(field)\": found \(found); expected \(expected)" }
}

extension ErrorReport.Field {
    /// The value that the field expects, in words.
    var expectation: String {
        switch kind {
        case .text(let length, let pattern):
            "\(Self.words(length)) in one line" + (pattern.map(Self.words) ?? "")
        case .secret(let length, let pattern):
            "\(Self.words(length))" + (pattern.map(Self.words) ?? "")
        case .number(let bounds, let isWhole):
            (isWhole ? "a whole number" : "a number") + Self.words(bounds)
        case .choice(let choices):
            "one of "
                + choices.map { $0.escapedForTerminal(scalarLimit: 80) }.joined(separator: ", ")
        case .boolean: "true or false"
        }
    }

    private static func words(_ length: ClosedRange<Int>) -> String {
        length.lowerBound == length.upperBound
            ? "\(length.lowerBound) characters"
            : "\(length.lowerBound) to \(length.upperBound) characters"
    }

    private static func words(_ bounds: ClosedRange<Double>) -> String {
        func text(_ number: Double) -> String {
            String(decoding: JSONValue(exactly: number).encoded(), as: UTF8.self)
        }
        return switch (bounds.lowerBound.isFinite, bounds.upperBound.isFinite) {
        case (true, true): " from \(text(bounds.lowerBound)) to \(text(bounds.upperBound))"
        case (true, false): " of at least \(text(bounds.lowerBound))"
        case (false, true): " of at most \(text(bounds.upperBound))"
        case (false, false): ""
        }
    }

    private static func words(_ pattern: String) -> String {
        " that match \(pattern.escapedForTerminal(scalarLimit: 256))"
    }

    /// The value that a person typed, as JSON. A text that is no value of the kind stays text,
    /// which the check refuses.
    package func given(_ text: String) -> JSONValue {
        switch kind {
        case .text, .choice, .secret: return .string(text)
        case .number:
            let parsed = try? JSONValue.parse(Array(text.utf8))
            guard let parsed, parsed.numberValue != nil else { return .string(text) }
            return parsed
        case .boolean:
            switch text.lowercased() {
            case "true", "yes", "y": return .bool(true)
            case "false", "no", "n": return .bool(false)
            default: return .string(text)
            }
        }
    }

    /// The value that a person typed for the field; nil for no value, if there is a default or the
    /// field needs no value.
    package func taken(_ text: String) throws(FieldFault) -> JSONValue? {
        if text.isEmpty, !takesEmpty {
            guard !isRequired || defaultValue != nil else {
                throw FieldFault(name, found: "no value", expected: expectation)
            }
            return nil
        }
        let json = given(text)
        _ = try value(of: json)
        return json
    }

    /// Whether an empty text is a value of the field.
    private var takesEmpty: Bool {
        switch kind {
        case .text(let length, _), .secret(let length, _):
            length.contains(0) && isRequired && defaultValue == nil
        case .number, .choice, .boolean: false
        }
    }

    /// The default in words; nil without a default.
    var defaultText: String? {
        switch defaultValue {
        case nil, .null: nil
        case .string(let text): text
        case let other?: String(decoding: other.encoded(), as: UTF8.self)
        }
    }

    /// The request for a value, as a person reads it. Not escaped.
    package var request: String {
        let facts = [
            expectation,
            defaultText.map { "Return for \($0)" }
                ?? (isRequired ? nil : "Return for none"),
        ].compactMap(\.self)
        return "\(label) (\(facts.joined(separator: "; ")))"
    }

    /// Checks one value.
    package func value(of json: JSONValue) throws(FieldFault) -> FieldValue {
        switch kind {
        case .text(let length, let pattern):
            return .text(try text(json, length, pattern, controls: []))
        case .secret(let length, let pattern):
            return .secret(try text(json, length, pattern, controls: ["\t", "\n", "\r"]))
        case .number(let bounds, let isWhole):
            guard let number = json.numberValue, isExact(json) else {
                throw fault(found(json))
            }
            guard number.isFinite, bounds.contains(number), !isWhole || number == number.rounded()
            else { throw fault(found(json)) }
            return .number(number)
        case .choice(let choices):
            guard case .string(let text) = json,
                choices.contains(where: { $0.utf8.elementsEqual(text.utf8) })
            else { throw fault(found(json)) }
            return .choice(text)
        case .boolean:
            guard case .bool(let flag) = json else { throw fault(found(json)) }
            return .boolean(flag)
        }
    }

    /// Whether a double has the number exactly, if it is an integer.
    private func isExact(_ json: JSONValue) -> Bool {
        guard case .integer(let whole) = json else { return true }
        return whole.magnitude <= 1 << 53
    }

    private func text(
        _ json: JSONValue, _ length: ClosedRange<Int>, _ pattern: String?,
        controls: Set<Unicode.Scalar>
    ) throws(FieldFault) -> String {
        guard case .string(let text) = json else { throw fault(found(json)) }
        let count = text.unicodeScalars.count
        guard length.contains(count) else {
            throw fault(isSecret ? "another length" : "\(count) characters")
        }
        guard !text.hasControls(besides: controls) else { throw fault("a control character") }
        guard !text.hasMarks(inARowAbove: JSONLimits.report.markRunCount) else {
            throw fault("more than \(JSONLimits.report.markRunCount) combining marks in a row")
        }
        guard let pattern else { return text }
        let read: TextPattern
        do throws(PatternError) { read = try TextPattern(pattern) } catch {
            throw FieldFault(
                name, found: "a field whose pattern cannot be read", expected: error.allowed)
        }
        guard read.matches(text) else { throw fault(found(json)) }
        return text
    }

    private func fault(_ found: String) -> FieldFault {
        FieldFault(name, found: found, expected: expectation)
    }

    /// The value in words; only its kind for a secret.
    private func found(_ json: JSONValue) -> String {
        guard !isSecret else {
            return json.stringValue == nil ? json.kind : "another text"
        }
        switch json {
        case .string(let text): return "\"\(text.escapedForTerminal(scalarLimit: 80))\""
        case .bool, .integer, .number: return String(decoding: json.encoded(), as: UTF8.self)
        case .null, .array, .object: return json.kind
        }
    }
}
