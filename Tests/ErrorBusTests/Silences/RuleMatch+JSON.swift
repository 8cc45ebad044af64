import ErrorBus

extension RuleMatch {
    /// The conditions of a silence's pattern: for each key a text, a number, or a list of them.
    init(json: JSONValue) throws {
        func patterns(_ key: String) throws -> [TextPattern]? {
            guard case .object(let members) = json, let value = members[key] else { return nil }
            let values = if case .array(let elements) = value { elements } else { [value] }
            return try values.map { value in
                try TextPattern(
                    value.stringValue ?? String(decoding: value.encoded(), as: UTF8.self))
            }
        }
        self.init(
            domain: try patterns("domain"), code: try patterns("code"),
            origin: try patterns("origin"))
    }
}
