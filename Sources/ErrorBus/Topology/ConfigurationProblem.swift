/// Something in a configuration that keeps it from being used: where, what was found, what is
/// allowed.
public struct ConfigurationProblem: Error, Hashable, Sendable, CustomStringConvertible {
    public let location: ConfigurationLocation
    /// The path to the value, as in `nodes.relay.responders[0].match.code`; empty for the file.
    public let field: String
    /// What is there, in words; texts are quoted.
    public let found: String
    /// What is allowed there.
    public let allowed: String
    /// What may help, such as `did you mean "central"?`.
    public let hint: String?
    /// Whether the value itself is in order, and the file that it names is missing or may not be
    /// read.
    public let isUnreadableFile: Bool

    public init(
        at location: ConfigurationLocation, field: String, found: String, allowed: String,
        hint: String? = nil, isUnreadableFile: Bool = false
    ) {
        self.location = location
        self.field = field
        self.found = found
        self.allowed = allowed
        self.hint = hint
        self.isUnreadableFile = isUnreadableFile
    }

    /// One line.
    public var description: String {
        "\(location.file):\(location.line): \(field.isEmpty ? "" : field + ": ")"
            + "found \(found), allowed: \(allowed)\(hint.map { "; \($0)" } ?? "")"
    }
}
