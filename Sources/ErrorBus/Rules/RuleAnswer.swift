/// What a rule that answers picks, how often, and how long it waits before it does.
public struct RuleAnswer: Hashable, Sendable {
    /// The longest ``delay``, and the longest ``jitter``.
    public static let delayMax: Duration = .seconds(3600)

    /// The id of the option. Where it is not offered the rule declines.
    public let option: String
    /// How often; nil: always. Past the limit the rule declines.
    public let limit: IntensityLimit?
    /// How long it waits before it answers. A question whose deadline comes before is declined.
    public let delay: Duration
    /// Up to so much is added to the delay, at random, so that a thousand answers to one fault do
    /// not set off a thousand retries at once.
    public let jitter: Duration

    public init(
        _ option: String, limit: IntensityLimit? = nil, delay: Duration = .zero,
        jitter: Duration = .zero
    ) {
        self.option = option
        self.limit = limit
        self.delay = delay
        self.jitter = jitter
    }
}
