extension RuleMatch {
    /// Reads the conditions of a rule from JSON, with the words and patterns of a policy file.
    ///
    /// - Throws: The first field that cannot be read: what was found there, and what is allowed.
    public init(json: JSONValue) throws(ConfigurationProblem) {
        let place = ConfigurationLocation(file: "match", line: 1, column: 1)
        // No sender of JSON may read the environment of this process.
        var reader = TopologyReader(folder: "", environment: [:]) {
            _ throws(ConfigurationFailure) in
            throw ConfigurationFailure.unreadable(path: "", reason: "no file")
        }
        let field = ConfigurationField(ConfigurationNode(json, at: place), path: "match")
        let match = reader.ruleMatch(field)
        if let problem = reader.decoder.problems.first { throw problem }
        self = match ?? RuleMatch()
    }
}

extension ConfigurationNode {
    fileprivate init(_ json: JSONValue, at place: ConfigurationLocation) {
        let value: Value =
            switch json {
            case .null: .scalar("null", isQuoted: false)
            case .bool(let bool): .scalar(String(bool), isQuoted: false)
            case .integer(let number): .scalar(String(number), isQuoted: false)
            case .number(let number): .scalar(String(number), isQuoted: false)
            case .string(let text): .scalar(text, isQuoted: true)
            case .array(let elements):
                .sequence(elements.map { ConfigurationNode($0, at: place) })
            case .object(let members):
                .mapping(
                    members.sorted { $0.key < $1.key }.map { key, value in
                        Entry(
                            key: key, keyLocation: place,
                            value: ConfigurationNode(value, at: place))
                    })
            }
        self.init(value, at: place)
    }
}
