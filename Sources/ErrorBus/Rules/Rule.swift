/// One rule of a topology or policy file: which errors, and what is done with them.
public struct Rule: Hashable, Sendable {
    public let match: RuleMatch
    /// In the order in which they are written and applied. Never empty; ``RuleAction/withhold``
    /// stands alone.
    public let actions: [RuleAction]
    /// Its place in its list, from 1: how answers and messages name it.
    public let position: Int

    public init(match: RuleMatch, actions: [RuleAction], position: Int) {
        self.match = match
        self.actions = actions
        self.position = position
    }

    /// The option it answers with and how often it may, when it is a rule that answers.
    public var answer: (option: String, limit: IntensityLimit?)? {
        for case .answer(let option, let limit) in actions { return (option, limit) }
        return nil
    }

    /// Whether it keeps errors from being presented.
    public var withholds: Bool { actions.contains(.withhold) }
}
