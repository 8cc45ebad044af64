/// Something a type does that its protocol rules out.
public struct ConformanceViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule, in words.
    public let rule: String
    /// What was seen instead.
    public let found: String

    public var description: String { "\(rule): \(found)" }
}
