import BusNodeKit
import ErrorBus

/// A field of an option as text of a command line: `NAME=LABEL`, then its kind and what else holds,
/// each behind a colon.
struct FieldText {
    static let allowed =
        "NAME=LABEL[:text|number|boolean|secret|choice(A,B)][:optional][:default(VALUE)]"
        + "[:min(N)][:max(N)][:whole][:minLength(N)][:maxLength(N)][:pattern(PATTERN)]"
    /// The words that have something in parentheses.
    private static let withArgument = [
        "choice", "default", "min", "max", "minLength", "maxLength", "pattern",
    ]
    private static let words =
        withArgument + ["text", "number", "boolean", "secret", "optional", "whole"]

    /// What stands behind the name.
    private struct Parts {
        var label: Substring
        var kind: String?
        var choices: [String] = []
        var isRequired = true
        var value: String?
        /// What is in parentheses, by the keys of a report.
        var bounds: [String: String] = [:]
    }

    private let option: String
    private let text: String
    /// The text as it was given, for messages.
    private let given: String
    private let allowed: String

    /// - Parameters:
    ///   - option: The option of the command line, for messages.
    ///   - text: The text without the id of a recovery option.
    ///   - id: That id, where it stands before the text.
    init(_ text: String, option: String, of id: String? = nil) {
        self.option = option
        self.text = text
        given = id.map { "\($0).\(text)" } ?? text
        allowed = (id == nil ? "" : "OPTION.") + Self.allowed
    }

    /// Reads it. A label may contain colons, but none before a text that looks like a kind or a
    /// bound.
    func field() throws -> ErrorReport.Field {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            throw refusal("found \"\(given)\"")
        }
        let parts = try parts(of: text[text.index(after: equals)...])
        var field = ErrorReport.Field(
            String(text[..<equals]), label: String(parts.label),
            kind: Self.kind(parts.kind ?? "text", parts.choices), isRequired: parts.isRequired)
        field.defaultValue = parts.value.map { field.given($0) }
        guard ErrorReport.Field.isName(field.name) else {
            throw Failure(
                .usage,
                "\(option): found the name \"\(field.name.shown())\", allowed: "
                    + ErrorReport.Field.allowedName)
        }
        let bounds = try bounds(parts, of: field)
        // Exactly what a parent would refuse.
        do throws(ReportError) {
            let members = (field.json.objectValue ?? [:]).merging(bounds) { $1 }
            return try [ErrorReport.Field].reading([.object(members)])[0]
        } catch {
            throw fault(
                Self.part(of: error), ": found \(error.found), allowed: \(error.allowed)")
        }
    }

    /// Refuses fields of one option that a parent would refuse together.
    static func check(_ fields: [ErrorReport.Field], option: String) throws(Failure) {
        do throws(ReportError) {
            _ = try [ErrorReport.Field].reading(fields.map(\.json))
        } catch {
            throw Failure(.usage, "\(option): found \(error.found), allowed: \(error.allowed)")
        }
    }

    private static func kind(_ word: String, _ choices: [String]) -> ErrorReport.Field.Kind {
        switch word {
        case "number": .number(in: ErrorReport.Field.anyNumber)
        case "boolean": .boolean
        case "secret": .secret(length: ErrorReport.Field.anyLength)
        case "choice": .choice(choices)
        default: .text(length: ErrorReport.Field.anyLength)
        }
    }

    // MARK: The parts

    private func parts(of all: Substring) throws -> Parts {
        var parts = Parts(label: all)
        while let (word, argument, rest) = Self.last(of: parts.label) {
            guard parts.bounds[word] == nil else {
                throw refusal("found \"\(word)\" twice in \"\(given)\"")
            }
            if let mistake = argument.flatMap(Self.mistake(inArgument:)) {
                throw refusal("found \"\(mistake)\" in \"\(given)\"")
            }
            switch (word, argument) {
            case ("text", nil), ("number", nil), ("boolean", nil), ("secret", nil):
                guard parts.kind == nil else { throw refusal("found two kinds in \"\(given)\"") }
                parts.kind = word
            case ("choice", let list?):
                guard parts.kind == nil else { throw refusal("found two kinds in \"\(given)\"") }
                parts.kind = word
                parts.choices = list.split(separator: ",", omittingEmptySubsequences: false)
                    .map(String.init)
                guard !parts.choices.contains("") else {
                    throw fault(
                        "choice(\(list))",
                        ": found an empty text, expected texts with commas between")
                }
            case ("optional", nil): parts.isRequired = false
            case ("default", let given?): parts.value = given
            case ("whole", nil): parts.bounds[word] = ""
            case ("pattern", let given?), ("min", let given?), ("max", let given?),
                ("minLength", let given?), ("maxLength", let given?):
                parts.bounds[word] = given
            default: throw refusal("found \"\(word)\" in \"\(given)\"")
            }
            parts.label = rest
        }
        if let mistake = Self.mistake(inLabel: parts.label) {
            throw refusal("found \"\(mistake)\" in \"\(given)\"")
        }
        return parts
    }

    /// The last word behind a colon, with what stands in its parentheses, and what is before it;
    /// nil where there is none.
    private static func last(
        of text: Substring
    ) -> (word: String, argument: String?, rest: Substring)? {
        if text.last == ")" {
            let found = withArgument.compactMap { word in
                text.ranges(of: ":\(word)(").last.map { (word: word, range: $0) }
            }
            if let last = found.max(by: { $0.range.lowerBound < $1.range.lowerBound }) {
                let argument = text[last.range.upperBound...].dropLast()
                return (last.word, String(argument), text[..<last.range.lowerBound])
            }
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let word = text[text.index(after: colon)...]
        guard !word.isEmpty, word.allSatisfy({ $0.isASCII && $0.isLowercase }) else { return nil }
        return (String(word), nil, text[..<colon])
    }

    /// The end of a label that was meant as a kind or a bound; nil where there is none.
    private static func mistake(inLabel label: Substring) -> String? {
        let segments = label.split(separator: ":", omittingEmptySubsequences: false).dropFirst()
        return segments.last { isMeant($0) }.map { String(label[$0.startIndex...]) }
    }

    /// Whether what follows a colon is meant as a kind or a bound, and not for people: it is a word
    /// with a parenthesis or an equals sign, or one that has a meaning here but for its case.
    private static func isMeant(_ segment: Substring) -> Bool {
        let word = segment.prefix { $0.isASCII && $0.isLetter }
        guard !word.isEmpty else { return false }
        let rest = segment[word.endIndex...]
        if rest.first == "(" || rest.first == "=" { return true }
        let next = rest.first { !$0.isWhitespace }
        let isKnown = words.contains { $0.lowercased() == word.lowercased() }
        return isKnown && (next == nil || next == "(" || next == "=")
    }

    /// The mistyped word, with what follows it, that became part of the parentheses before it; nil
    /// where there is none.
    private static func mistake(inArgument argument: String) -> String? {
        let matches = argument.matches(of: #/\):([A-Za-z]+)[ ]*\(/#)
        let mistyped = matches.first {
            Suggestion.hint(for: String($0.output.1), among: words) != nil
        }
        return mistyped.map { "\(argument[$0.output.1.startIndex...]))" }
    }

    // MARK: The bounds

    /// The bounds by the keys of a report.
    private func bounds(
        _ parts: Parts, of field: ErrorReport.Field
    ) throws(Failure) -> [String: JSONValue] {
        let kind = field.kind.word
        guard parts.value == nil || !field.isSecret else {
            throw fault("default(...)", " is not for a secret")
        }
        var members: [String: JSONValue] = [:]
        for (word, argument) in parts.bounds.sorted(by: { $0.key < $1.key }) {
            let isOfNumber = ["min", "max", "whole"].contains(word)
            guard (isOfNumber ? ["number"] : ["text", "secret"]).contains(kind) else {
                throw fault(
                    word == "whole" ? word : "\(word)(...)",
                    " is for a \(isOfNumber ? "number" : "text or secret"), and \(field.name) is "
                        + "a \(kind)")
            }
            members[word] = try bound(word, argument)
        }
        for (low, high) in [("min", "max"), ("minLength", "maxLength")] {
            guard let least = members[low]?.numberValue, let most = members[high]?.numberValue,
                most < least
            else { continue }
            throw fault(
                "\(high)(\(parts.bounds[high] ?? ""))",
                " is below \(low)(\(parts.bounds[low] ?? ""))")
        }
        return members
    }

    private func bound(_ word: String, _ argument: String) throws(Failure) -> JSONValue {
        switch word {
        case "whole": return .bool(true)
        case "pattern": return .string(argument)
        default:
            let number = ErrorReport.Field.number(word, label: word).given(argument)
            let isLength = word.hasSuffix("Length")
            let isRead = isLength ? number.integerValue != nil : number.numberValue != nil
            guard isRead else {
                throw fault(
                    "\(word)(\(argument))",
                    ": found \"\(argument)\", expected a \(isLength ? "whole " : "")number")
            }
            return number
        }
    }

    // MARK: Refusals

    private func refusal(_ found: String) -> Failure {
        Failure(.usage, "\(option): \(found), allowed: \(allowed)")
    }

    private func fault(_ part: String, _ what: String) -> Failure {
        Failure(.usage, "\(option): \(part) in \"\(given)\"\(what)")
    }

    /// The part of the text that the refusal of a field is about.
    private static func part(of error: ReportError) -> String {
        let key = error.field.split(separator: ".").last ?? ""
        let name = key.prefix { $0.isLetter }
        return name == "choices" ? "choice" : String(name)
    }
}
