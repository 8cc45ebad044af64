/// One rule of a topology or policy file: which errors, and what is done with them.
public struct Rule: Hashable, Sendable {
    public let match: RuleMatch
    /// In the order in which they are written and applied. Never empty; ``RuleAction/withhold``
    /// stands alone.
    public let actions: [RuleAction]
    /// Its place in its list, from 1: how answers and messages name it.
    public let position: Int
    /// When it is in force; nil: always. At other times it declines.
    public let schedule: RuleSchedule?
    /// Whether it only says in the log what it would do, and then declines.
    public let isDryRun: Bool
    /// The line of its file, from 1; nil for a rule that was not read from one.
    public let line: Int?

    public init(
        match: RuleMatch, actions: [RuleAction], position: Int, schedule: RuleSchedule? = nil,
        isDryRun: Bool = false, line: Int? = nil
    ) {
        self.match = match
        self.actions = actions
        self.position = position
        self.schedule = schedule
        self.isDryRun = isDryRun
        self.line = line
    }

    /// What it answers, when it is a rule that answers.
    public var answer: RuleAnswer? {
        for case .answer(let answer) in actions { return answer }
        return nil
    }

    /// Where it sends errors, when it is a rule that does.
    public var route: String? {
        for case .route(let name) in actions { return name }
        return nil
    }

    /// Whether it keeps errors from being presented.
    public var withholds: Bool { actions.contains(.withhold) }
}
