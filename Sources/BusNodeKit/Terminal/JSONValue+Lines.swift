import ErrorBus

extension JSONValue {
    /// The most bytes of a list or an object that stays in one line.
    private static let lineByteMax = 60

    /// The value for people at a screen: a text as it is, else JSON, in lines unless it is short.
    /// Not escaped.
    var inLines: String { stringValue ?? lines.joined(separator: "\n") }

    private var lines: [String] {
        let bytes = encoded()
        let isLong = bytes.count > Self.lineByteMax
        switch self {
        case .object(let members) where isLong:
            let parts = members.sorted { $0.key < $1.key }.map { key, value -> [String] in
                var lines = value.lines
                let name = String(decoding: JSONValue.string(key).encoded(), as: UTF8.self)
                lines[0] = "\(name): \(lines[0])"
                return lines
            }
            return ["{"] + Self.inside(parts) + ["}"]
        case .array(let elements) where isLong:
            return ["["] + Self.inside(elements.map(\.lines)) + ["]"]
        case .null, .bool, .integer, .number, .string, .array, .object:
            return [String(decoding: bytes, as: UTF8.self)]
        }
    }

    /// The lines of all parts, indented, with a comma behind each part but the last.
    private static func inside(_ parts: [[String]]) -> [String] {
        parts.enumerated().flatMap { index, part -> [String] in
            var lines = part.map { "  \($0)" }
            if index < parts.count - 1 { lines[lines.count - 1] += "," }
            return lines
        }
    }
}
