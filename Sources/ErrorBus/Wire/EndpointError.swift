/// A text that is not an ``Endpoint``.
public struct EndpointError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text.
    public let found: String
    /// What is allowed in its place.
    public let allowed: String

    public var description: String { "endpoint: found \"\(found)\", allowed: \(allowed)" }
}
