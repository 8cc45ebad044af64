/// Open presentations that one answer may serve: the same key within a domain, or else the same
/// domain, code and description, and the same options by id, title and role. Their origins keep
/// their own attempters and results (HRS, coalescing).
public struct InboxGroup: Hashable, Sendable {
    public let number: Int
    /// The open ones, oldest first.
    public let members: [PresentationID]
    /// The oldest open one, which stands for all.
    public let first: InboxItem
    /// The gravest severity among them.
    public let severity: Severity
    /// How many nodes they come from.
    public let originCount: Int
}
