/// One rule of a topology or policy file: which errors, and what is done with them.
package struct Rule: Hashable, Sendable {
    package let match: RuleMatch
    /// In the order in which they are written and applied. Never empty; ``RuleAction/withhold``
    /// stands alone.
    package let actions: [RuleAction]
    /// Its place in its list, from 1: how answers and messages name it.
    package let position: Int
    /// When it is in force; nil: always. At other times it declines.
    package let schedule: RuleSchedule?
    /// Whether it only says in the log what it would do, and then declines.
    package let isDryRun: Bool
    /// The line of its file, from 1; nil for a rule that was not read from one.
    package let line: Int?

    package init(
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
    package var answer: RuleAnswer? {
        for case .answer(let answer) in actions { return answer }
        return nil
    }

    /// Where it sends errors, when it is a rule that does.
    package var route: String? {
        for case .route(let name) in actions { return name }
        return nil
    }

    /// Whether it keeps errors from being presented.
    package var withholds: Bool { actions.contains(.withhold) }
}

/// What a rule does with an error that it matches.
package enum RuleAction: Hashable, Sendable {
    /// It is not presented; the caller completes with reason `withheld`.
    case withhold
    /// Other words or another severity; domain, code and options stay.
    case rewrite(ReportRewrite)
    /// One more choice, run by this node.
    case addOption(AddedOption)
    /// Takes choices away, by id.
    case removeOption([String])
    /// Decides: picks an option, at most as often as its limit says. Past the limit, or where the
    /// option is not offered, the rule declines as if it had not matched.
    case answer(RuleAnswer)
    /// Takes these keys out of `userInfo`, also in the errors beneath.
    case redact([String])
    /// Offers the error to another node or endpoint instead of to `next`, once the rule's other
    /// actions are done; rules after it are not asked. The name of a way in the ``RouteTable``.
    case route(String)
}

/// A choice that a rule adds, with the command that this node runs when it is chosen.
package struct AddedOption: Hashable, Sendable {
    package let id: String
    package let title: String
    package var role: ErrorReport.Option.Role?
    /// Program and arguments, without a shell; exit 0 means recovered. Empty only for a choice
    /// that recovers nothing (role `cancel`).
    package let run: [String]
}

/// What a rule puts in the place of a report's own words. Nil leaves a part alone.
package struct ReportRewrite: Hashable, Sendable {
    package var description: String?
    package var reason: String?
    package var suggestion: String?
    package var severity: Severity?

    func apply(to report: inout ErrorReport) {
        if let description { report.description = description }
        if let reason { report.failureReason = reason }
        if let suggestion { report.recoverySuggestion = suggestion }
        if let severity { report.severity = severity }
    }
}

/// What a rule that answers picks, how often, and how long it waits before it does.
package struct RuleAnswer: Hashable, Sendable {
    /// The longest ``delay``, and the longest ``jitter``.
    package static let delayMax: Duration = .seconds(3600)

    /// The id of the option. Where it is not offered the rule declines.
    package let option: String
    /// How often; nil: always. Past the limit the rule declines.
    package let limit: IntensityLimit?
    /// How long it waits before it answers. A question whose deadline comes before is declined.
    package let delay: Duration
    /// Up to so much is added to the delay, at random, so that a thousand answers to one fault do
    /// not set off a thousand retries at once.
    package let jitter: Duration

    package init(
        _ option: String, limit: IntensityLimit? = nil, delay: Duration = .zero,
        jitter: Duration = .zero
    ) {
        self.option = option
        self.limit = limit
        self.delay = delay
        self.jitter = jitter
    }
}
