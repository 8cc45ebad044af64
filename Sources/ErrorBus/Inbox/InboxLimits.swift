/// How much an inbox holds, and for how long. Times are monotonic.
public struct InboxLimits: Hashable, Sendable {
    /// Open presentations; above it the next presenter is asked.
    public var openMax = 50_000
    /// Ended presentations that are kept for people to look at; the oldest go first.
    public var endedMax = 2_000
    /// A claim that is not renewed ends by itself.
    public var claimMax: Duration = .seconds(3_600)
    /// How long an answer may be held back so that it can be undone.
    public var undoMax: Duration = .seconds(60)
    /// Unanswered and unclaimed for this long, the next presenter is asked; nil: never.
    public var escalateAfter: Duration?

    public init() {}
}
