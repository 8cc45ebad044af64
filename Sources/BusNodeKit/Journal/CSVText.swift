package import ErrorBus

/// Objects as comma-separated values (RFC 4180), for spreadsheets.
package enum CSVText {
    private static let cellScalarMax = 10_000
    /// The scalars that make a spreadsheet read a cell as a formula. With a combining mark a scalar
    /// becomes another character, which still begins with it.
    private static let formulaStarts: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "＝", "＋", "－", "＠",
    ]

    private static let separators: Set<Unicode.Scalar> = [",", "\"", ";", "\n", "\r"]
    /// The scalars at which a program that does not go by the commas begins another cell.
    private static let otherSeparators: Set<Unicode.Scalar> = [";", "|"]

    /// The text of objects: a line of names, then a line for each object.
    package static func text<Object: JSONObject>(_ objects: [Object]) -> String {
        let names = Object.members.map(\.name)
        let rows = objects.map { object in
            let fields = object.json.objectValue ?? [:]
            return names.map { cell(fields[$0] ?? .null) }
        }
        return ([names] + rows).map { $0.joined(separator: ",") + "\r\n" }.joined()
    }

    /// A cell, in which the text of a peer cannot become a formula, and has no control characters.
    static func cell(_ value: JSONValue) -> String {
        switch value {
        case .null: return ""
        case .object(let members) where members.isEmpty: return ""
        case .array(let values):
            return quoted(text(values.map { plain($0) }.joined(separator: " ")))
        case .string(let string): return quoted(text(string))
        case .object: return quoted(json(value))
        default: return plain(value)
        }
    }

    private static func plain(_ value: JSONValue) -> String {
        value.stringValue ?? String(decoding: value.encoded(), as: UTF8.self)
    }

    private static func text(_ text: String) -> String {
        disarmed(text.escapedForTerminal(scalarLimit: cellScalarMax), isAtStart: true) { "'\($0)" }
    }

    /// The value as JSON that programs can read.
    private static func json(_ value: JSONValue) -> String {
        let bytes = JSONEscapes.escapingInvisible(in: value.encoded())
        // Such separators are in its strings alone.
        return disarmed(String(decoding: bytes, as: UTF8.self), isAtStart: false) {
            let digits = String($0.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }

    /// The text with each scalar that would begin a formula replaced.
    private static func disarmed(
        _ text: String, isAtStart: Bool, _ replacement: (Unicode.Scalar) -> String
    ) -> String {
        var result = String.UnicodeScalarView()
        var isAtStart = isAtStart
        for scalar in text.unicodeScalars {
            if isAtStart, formulaStarts.contains(scalar) {
                result += replacement(scalar).unicodeScalars
            } else {
                result.append(scalar)
            }
            // A quote begins a cell with quotes.
            isAtStart =
                otherSeparators.contains(scalar)
                || isAtStart
                    && (scalar.properties.isWhitespace || scalar == "\"" || scalar == "\\")
        }
        return String(result)
    }

    private static func quoted(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: separators.contains) else { return text }
        return "\"\(text.replacingScalars(["\"": "\"\""]))\""
    }
}
