/// Something in a configuration that works, but hardly as it was meant.
public struct ConfigurationWarning: Hashable, Sendable, CustomStringConvertible {
    public let location: ConfigurationLocation
    /// The path to the value.
    public let field: String
    public let message: String

    public init(at location: ConfigurationLocation, field: String, message: String) {
        self.location = location
        self.field = field
        self.message = message
    }

    /// One line.
    public var description: String {
        "\(location.file):\(location.line): \(field): warning: \(message)"
    }
}
