/// A value of a configuration file with its place, whatever the file's syntax.
public struct ConfigurationNode: Hashable, Sendable {
    /// The kinds of value.
    public enum Value: Hashable, Sendable {
        /// `isQuoted`: written so that it can be nothing but text.
        case scalar(String, isQuoted: Bool)
        case sequence([ConfigurationNode])
        /// In the order of the file. A key may appear twice: the reader refuses it.
        case mapping([Entry])
    }

    /// A key and its value.
    public struct Entry: Hashable, Sendable {
        public let key: String
        public let keyLocation: ConfigurationLocation
        public let value: ConfigurationNode

        public init(key: String, keyLocation: ConfigurationLocation, value: ConfigurationNode) {
            self.key = key
            self.keyLocation = keyLocation
            self.value = value
        }
    }

    public let value: Value
    public let location: ConfigurationLocation

    public init(_ value: Value, at location: ConfigurationLocation) {
        self.value = value
        self.location = location
    }

    /// Whether nothing is written: no value, `~` or `null`.
    public var isNull: Bool {
        guard case .scalar(let text, isQuoted: false) = value else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// The value in a few words, for messages.
    var found: String {
        if isNull { return "nothing" }
        switch value {
        case .scalar(let text, _): return "\"\(text.cut(toScalars: 80).escapedForMessage)\""
        case .sequence: return "a list"
        case .mapping: return "a mapping"
        }
    }
}

extension String {
    /// Without control characters, so that a message stays on its line and cannot steer a
    /// terminal.
    var escapedForMessage: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                text += scalar.escaped(asASCII: true)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
