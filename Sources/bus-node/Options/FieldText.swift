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

    private let option: String
    private let text: String

    /// - Parameters:
    ///   - option: The option of the command line, for messages.
    ///   - text: The text without the id of a recovery option.
    init(_ text: String, option: String) {
        self.option = option
        self.text = text
    }

    /// Reads it; a label may contain colons, but not end in one and a word that has a meaning here.
    func field() throws -> ErrorReport.Field {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            throw refusal("found \"\(text)\"")
        }
        var label = text[text.index(after: equals)...]
        var kind: String?
        var choices: [String] = []
        var isRequired = true
        var value: String?
        // By their keys in a report.
        var bounds: [String: JSONValue] = [:]
        while let (word, argument, rest) = Self.last(of: label) {
            guard bounds[word] == nil else {
                throw refusal("found \"\(word)\" twice in \"\(text)\"")
            }
            switch (word, argument) {
            case ("text", nil), ("number", nil), ("boolean", nil), ("secret", nil):
                guard kind == nil else { throw refusal("found two kinds in \"\(text)\"") }
                kind = word
            case ("choice", let list?):
                guard kind == nil else { throw refusal("found two kinds in \"\(text)\"") }
                kind = word
                choices = list.split(separator: ",", omittingEmptySubsequences: false)
                    .map(String.init)
            case ("optional", nil): isRequired = false
            case ("default", let given?): value = given
            case ("whole", nil): bounds[word] = .bool(true)
            case ("pattern", let pattern?): bounds[word] = .string(pattern)
            case ("min", let number?), ("max", let number?), ("minLength", let number?),
                ("maxLength", let number?):
                bounds[word] = ErrorReport.Field.number(word, label: word).given(number)
            default: throw refusal("found \"\(word)\" in \"\(text)\"")
            }
            label = rest
        }
        var field = ErrorReport.Field(
            String(text[..<equals]), label: String(label),
            kind: Self.kind(kind ?? "text", choices), isRequired: isRequired)
        field.defaultValue = value.map { field.given($0) }
        guard ErrorReport.Field.isName(field.name) else {
            throw Failure(
                .usage,
                "\(option): found the name \"\(field.name.shown())\", allowed: "
                    + ErrorReport.Field.allowedName)
        }
        // Exactly what a parent would refuse.
        do throws(ReportError) {
            let members = (field.json.objectValue ?? [:]).merging(bounds) { $1 }
            return try [ErrorReport.Field].reading([.object(members)])[0]
        } catch {
            throw Failure(.usage, "\(option): found \"\(text)\": \(error)")
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

    private func refusal(_ found: String) -> Failure {
        Failure(.usage, "\(option): \(found), allowed: \(Self.allowed)")
    }
}
