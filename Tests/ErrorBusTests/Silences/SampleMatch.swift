import ErrorBus

extension RuleMatch {
    /// The conditions of a silence's pattern: each key with one text or number.
    init(json: JSONValue) throws {
        func patterns(_ key: String) throws -> [TextPattern]? {
            guard case .object(let members) = json, let value = members[key] else { return nil }
            return [try TextPattern(value.stringValue ?? String(decoding: value.encoded(), as: UTF8.self))]
        }
        self.init(
            domain: try patterns("domain"), code: try patterns("code"),
            origin: try patterns("origin"))
    }
}
