extension ErrorReport {
    /// A value that an option asks for. The answer's author gives the value, and the option's
    /// attempt gets it.
    ///
    /// The value is checked where the answer is given and again by the option's owner.
    public struct Field: Hashable, Sendable {
        /// The kind of value, with its bounds.
        public enum Kind: Hashable, Sendable {
            /// One line of text.
            ///
            /// - Parameters:
            ///   - length: In Unicode scalars, at most ``Limits/valueScalarCount``.
            ///   - pattern: The pattern that the text has to match, as in rules: exact, with `*`
            ///     for any run of characters, or `/regex/`, which matches anywhere without `^` and
            ///     `$`.
            case text(length: ClosedRange<Int>, pattern: String? = nil)
            /// A finite number; only a whole one where `isWhole` is true.
            case number(in: ClosedRange<Double>, isWhole: Bool = false)
            /// One of these texts.
            case choice([String])
            /// True or false.
            case boolean
            /// A text that is never shown and never stored: not to a person, nor in logs, ledgers,
            /// journals and status. It may have several lines.
            case secret(length: ClosedRange<Int>, pattern: String? = nil)
        }

        /// The name by which values are given: 1 to 32 of `A-Z a-z 0-9 _ -`, a letter first.
        public var name: String
        /// The text for people.
        public var label: String
        /// The kind of value, with its bounds.
        public var kind: Kind
        /// Whether an answer without the value is refused, unless there is a default.
        public var isRequired: Bool
        /// The value of an answer that gives none. A secret has no default.
        public var defaultValue: JSONValue?
        /// Keys that this version does not know, unchanged.
        public var unknownKeys: [String: JSONValue] = [:]

        /// A field of any kind; ``text(_:label:isRequired:default:length:pattern:)`` and the others
        /// are shorter.
        public init(
            _ name: String, label: String, kind: Kind, isRequired: Bool = true,
            default value: JSONValue? = nil
        ) {
            self.name = name
            self.label = label
            self.kind = kind
            self.isRequired = isRequired
            defaultValue = value
        }
    }
}

extension ErrorReport.Field {
    /// The form of a name, for messages.
    package static let allowedName =
        "1 to \(ErrorReport.Limits.fieldNameByteCount) of A-Z a-z 0-9 _ -, a letter first"
    /// The length of a text without a declared length.
    public static let anyLength = 1...ErrorReport.Limits.valueScalarCount
    /// The bounds of a number without declared bounds.
    public static let anyNumber = -Double.infinity...Double.infinity

    /// A field for a line of text.
    public static func text(
        _ name: String, label: String, isRequired: Bool = true, default value: String? = nil,
        length: ClosedRange<Int> = anyLength, pattern: String? = nil
    ) -> Self {
        Self(
            name, label: label, kind: .text(length: length, pattern: pattern),
            isRequired: isRequired, default: value.map { .string($0) })
    }

    /// A field for a number, in double precision.
    public static func number(
        _ name: String, label: String, isRequired: Bool = true, default value: Double? = nil,
        in bounds: ClosedRange<Double> = anyNumber, isWhole: Bool = false
    ) -> Self {
        Self(
            name, label: label, kind: .number(in: bounds, isWhole: isWhole),
            isRequired: isRequired, default: value.map { JSONValue(exactly: $0) })
    }

    /// A field for one of several texts.
    public static func choice(
        _ name: String, label: String, among choices: [String], isRequired: Bool = true,
        default value: String? = nil
    ) -> Self {
        Self(
            name, label: label, kind: .choice(choices), isRequired: isRequired,
            default: value.map { .string($0) })
    }

    /// A field for true or false.
    public static func boolean(
        _ name: String, label: String, isRequired: Bool = true, default value: Bool? = nil
    ) -> Self {
        Self(
            name, label: label, kind: .boolean, isRequired: isRequired,
            default: value.map { .bool($0) })
    }

    /// A field for a secret: text that is never shown and never stored.
    public static func secret(
        _ name: String, label: String, isRequired: Bool = true,
        length: ClosedRange<Int> = anyLength, pattern: String? = nil
    ) -> Self {
        Self(
            name, label: label, kind: .secret(length: length, pattern: pattern),
            isRequired: isRequired)
    }

    /// Whether the value is a secret, which is never shown and never stored.
    public var isSecret: Bool { if case .secret = kind { true } else { false } }

    /// The same field without its pattern, for a check that must not take long.
    var withoutPattern: Self {
        var field = self
        switch kind {
        case .text(let length, _): field.kind = .text(length: length)
        case .secret(let length, _): field.kind = .secret(length: length)
        case .number, .choice, .boolean: break
        }
        return field
    }

    /// The environment variable in which a command gets the value.
    package var variable: String { Self.variable(of: name) }

    package static func variable(of name: String) -> String {
        "ERRORBUS_VALUE_\(name.uppercased().replacingScalars(["-": "_"]))"
    }

    /// Whether the text may be the name of a field.
    package static func isName(_ text: String) -> Bool {
        guard (1...ErrorReport.Limits.fieldNameByteCount).contains(text.utf8.count),
            let first = text.unicodeScalars.first, first.isASCII, first.properties.isAlphabetic
        else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || scalar == "_" || scalar == "-")
        }
    }
}

extension ErrorReport.Field.Kind {
    /// The word of the protocol.
    package var word: String {
        switch self {
        case .text: "text"
        case .number: "number"
        case .choice: "choice"
        case .boolean: "boolean"
        case .secret: "secret"
        }
    }

    package static let words = ["text", "number", "choice", "boolean", "secret"]
}

extension JSONValue {
    /// The JSON of a number: an integer if the number is whole and small enough for a double to be
    /// exact.
    package init(exactly number: Double) {
        if let whole = Int64(exactly: number), abs(number) <= 0x1p53 {
            self = .integer(whole)
        } else {
            self = .number(number)
        }
    }
}

// MARK: Reading and writing

extension ErrorReport.Field {
    /// The keys of the protocol.
    package static let keys = [
        "name", "label", "kind", "required", "default", "minLength", "maxLength", "pattern", "min",
        "max", "whole", "choices",
    ]

    package init(json: JSONValue) throws(ReportError) {
        var members = try ReportFields(json)
        let name = try members.requiredString("name")
        let label = try members.requiredString(
            "label", scalarLimit: ErrorReport.Limits.titleScalarCount)
        let word = try members.requiredString("kind")
        let isRequired = try members.bool("required") ?? false
        let value = members.value("default")
        self.init(
            name, label: label, kind: try Self.kind(word, &members), isRequired: isRequired,
            default: value)
        unknownKeys = members.remaining
        if let other = unknownKeys.keys.sorted().first(where: Self.keys.contains) {
            throw ReportError(
                other, found: "with the kind \(word)", allowed: "no such key for this kind")
        }
        try check()
    }

    private static func kind(
        _ word: String, _ members: inout ReportFields
    ) throws(ReportError) -> Kind {
        switch word {
        case "text":
            return .text(length: try length(&members), pattern: try members.string("pattern"))
        case "secret":
            return .secret(length: try length(&members), pattern: try members.string("pattern"))
        case "number":
            let low = try members.number("min") ?? -.infinity
            let high = try members.number("max") ?? .infinity
            guard low <= high else {
                throw ReportError("max", found: "less than min", allowed: "min or more")
            }
            return .number(in: low...high, isWhole: try members.bool("whole") ?? false)
        case "choice":
            return .choice(try members.strings("choices"))
        case "boolean":
            return .boolean
        default:
            throw ReportError(
                "kind", found: "\"\(word.escapedForTerminal(scalarLimit: 64))\"",
                allowed: Kind.words.joined(separator: ", "))
        }
    }

    private static func length(
        _ members: inout ReportFields
    ) throws(ReportError) -> ClosedRange<Int> {
        let least = try members.integer("minLength") ?? anyLength.lowerBound
        let most = try members.integer("maxLength") ?? anyLength.upperBound
        guard least <= most else {
            throw ReportError("maxLength", found: "less than minLength", allowed: "that or more")
        }
        return least...most
    }

    package var json: JSONValue {
        var members = unknownKeys
        members["name"] = .string(name)
        members["label"] = .string(label)
        members["kind"] = .string(kind.word)
        members["required"] = isRequired ? .bool(true) : nil
        members["default"] = defaultValue
        switch kind {
        case .text(let length, let pattern), .secret(let length, let pattern):
            let any = Self.anyLength
            if length.lowerBound != any.lowerBound {
                members["minLength"] = .integer(Int64(length.lowerBound))
            }
            if length.upperBound != any.upperBound {
                members["maxLength"] = .integer(Int64(length.upperBound))
            }
            members["pattern"] = pattern.map { .string($0) }
        case .number(let bounds, let isWhole):
            if bounds.lowerBound.isFinite { members["min"] = JSONValue(exactly: bounds.lowerBound) }
            if bounds.upperBound.isFinite { members["max"] = JSONValue(exactly: bounds.upperBound) }
            members["whole"] = isWhole ? .bool(true) : nil
        case .choice(let choices):
            members["choices"] = .array(choices.map { .string($0) })
        case .boolean: break
        }
        return .object(members)
    }

    /// Refuses a field that no value fits, or that breaks a limit.
    package func check() throws(ReportError) {
        guard Self.isName(name) else {
            throw ReportError(
                "name", found: "\"\(name.escapedForTerminal(scalarLimit: 64))\"",
                allowed: Self.allowedName)
        }
        guard !label.isEmpty else {
            throw ReportError("label", found: "empty", allowed: "a text for people")
        }
        switch kind {
        case .text(let length, let pattern), .secret(let length, let pattern):
            let most = ErrorReport.Limits.valueScalarCount
            guard length.lowerBound >= 0, length.upperBound <= most else {
                throw ReportError(
                    length.lowerBound < 0 ? "minLength" : "maxLength",
                    found: "\(length.lowerBound < 0 ? length.lowerBound : length.upperBound)",
                    allowed: "0 to \(most)")
            }
            if let pattern { try Self.check(pattern) }
        case .number, .boolean: break
        case .choice(let choices): try Self.check(choices)
        }
        guard let defaultValue else { return }
        guard !isSecret else {
            throw ReportError(
                "default", found: "with the kind secret", allowed: "no such key for this kind")
        }
        do throws(FieldFault) { _ = try value(of: defaultValue) } catch {
            throw ReportError("default", found: error.found, allowed: error.expected)
        }
    }

    private static func check(_ pattern: String) throws(ReportError) {
        guard !pattern.isEmpty else {
            throw ReportError("pattern", found: "empty", allowed: "a pattern, or no such key")
        }
        do throws(PatternError) { _ = try TextPattern(pattern) } catch {
            throw ReportError(
                "pattern", found: "\"\(error.found.escapedForTerminal(scalarLimit: 100))\"",
                allowed: error.allowed)
        }
    }

    private static func check(_ choices: [String]) throws(ReportError) {
        let most = ErrorReport.Limits.choiceCount
        guard (1...most).contains(choices.count) else {
            throw ReportError("choices", found: "\(choices.count)", allowed: "1 to \(most) texts")
        }
        var seen: Set<[UInt8]> = []
        for (index, choice) in choices.enumerated() {
            let count = choice.unicodeScalars.count
            guard (1...ErrorReport.Limits.titleScalarCount).contains(count) else {
                throw ReportError(
                    "choices[\(index)]", found: "\(count) scalars",
                    allowed: "1 to \(ErrorReport.Limits.titleScalarCount)")
            }
            guard !choice.hasControls(besides: []) else {
                throw ReportError(
                    "choices[\(index)]", found: "a control character", allowed: "one line of text")
            }
            guard seen.insert(Array(choice.utf8)).inserted else {
                throw ReportError(
                    "choices[\(index)]", found: "a text a second time",
                    allowed: "each text once")
            }
        }
    }
}

extension [ErrorReport.Field] {
    /// Reads the fields of one option.
    package static func reading(_ elements: [JSONValue]) throws(ReportError) -> [ErrorReport.Field]
    {
        let most = ErrorReport.Limits.fieldCount
        guard elements.count <= most else {
            throw ReportError(
                "fields", found: "\(elements.count) fields", allowed: "at most \(most)")
        }
        var fields: [ErrorReport.Field] = []
        for (index, element) in elements.enumerated() {
            do throws(ReportError) {
                let field = try ErrorReport.Field(json: element)
                if let other = fields.first(where: { $0.variable == field.variable }) {
                    throw ReportError(
                        "name", found: "\"\(field.name)\" beside \"\(other.name)\"",
                        allowed: "names that differ also as environment variables")
                }
                fields.append(field)
            } catch { throw error.within("fields[\(index)]") }
        }
        return fields
    }
}

extension String {
    /// Whether the text has a control character other than these.
    func hasControls(besides allowed: Set<Unicode.Scalar>) -> Bool {
        unicodeScalars.contains {
            $0.properties.generalCategory == .control && !allowed.contains($0)
        }
    }
}
