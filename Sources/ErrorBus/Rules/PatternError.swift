/// A text that is no pattern, and why.
public struct PatternError: Error, Hashable, Sendable, CustomStringConvertible {
    public let found: String
    /// What is allowed in its place.
    public let allowed: String

    public var description: String { "pattern: found \"\(found)\", allowed: \(allowed)" }
}
