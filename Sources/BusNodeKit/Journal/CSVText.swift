package import ErrorBus

/// Objects as comma-separated values (RFC 4180), for spreadsheets.
package enum CSVText {
    private static let cellScalarMax = 10_000
    /// The scalars that make a spreadsheet read a cell as a formula. With a combining mark a scalar
    /// becomes another character, which still begins with it.
    private static let formulaStarts: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "＝", "＋", "－", "＠",
    ]

    private static let separators: Set<Unicode.Scalar> = [",", "\"", "\n", "\r"]

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
        case .array(let values): return quoted(values.map { plain($0) }.joined(separator: " "))
        case .string, .object: return quoted(plain(value))
        default: return plain(value)
        }
    }

    private static func plain(_ value: JSONValue) -> String {
        value.stringValue ?? String(decoding: value.encoded(), as: UTF8.self)
    }

    private static func quoted(_ text: String) -> String {
        let text = text.escapedForTerminal(scalarLimit: cellScalarMax)
        let first = text.unicodeScalars.first { !$0.properties.isWhitespace }
        let safe = first.map(formulaStarts.contains) ?? false ? "'" + text : text
        guard safe.unicodeScalars.contains(where: separators.contains) else { return safe }
        return "\"\(safe.replacingScalars(["\"": "\"\""]))\""
    }
}
