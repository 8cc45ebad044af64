/// One rule of a topology or policy file: the errors it matches and the actions it takes.
package struct Rule: Hashable, Sendable {
    package let match: RuleMatch
    /// The actions in the order written, which is the order of application. Never empty;
    /// ``RuleAction/withhold`` is always alone.
    package let actions: [RuleAction]
    /// The place of the rule in its list, from 1, by which answers and messages name it.
    package let position: Int
    /// The times when the rule is in force; nil: always. At other times it declines.
    package let schedule: RuleSchedule?
    /// Whether the rule only logs its actions, and then declines.
    package let isDryRun: Bool
    /// The line in the rule's file, from 1; nil for a rule that was not read from a file.
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

    /// The answer, for a rule that answers.
    package var answer: RuleAnswer? {
        for case .answer(let answer) in actions { return answer }
        return nil
    }

    /// The destination, for a rule that routes.
    package var route: String? {
        for case .route(let name) in actions { return name }
        return nil
    }

    /// Whether the rule withholds errors.
    package var withholds: Bool { actions.contains(.withhold) }
}

/// An action of a rule on an error that it matches.
package enum RuleAction: Hashable, Sendable {
    /// Does not present the error; the caller completes with reason `withheld`.
    case withhold
    /// Changes texts or severity; domain, code and options stay.
    case rewrite(ReportRewrite)
    /// Adds an option that this node runs.
    case addOption(AddedOption)
    /// Removes options, by id.
    case removeOption([String])
    /// Answers with an option, at most as often as its limit says. Above the limit, or if the
    /// option is not offered, the rule declines as if it had not matched.
    case answer(RuleAnswer)
    /// Removes these keys from `userInfo`, also in underlying errors.
    case redact([String])
    /// Masks everything that looks like a secret, in texts and in `userInfo`.
    case maskSecrets
    /// Offers the error to another node or endpoint instead of to `next`, after the rule's other
    /// actions; later rules have no effect. The value is a name in the ``RouteTable``.
    case route(String)
}

/// An option that a rule adds, with the command that this node runs when the option is chosen.
package struct AddedOption: Hashable, Sendable {
    package let id: String
    package let title: String
    package var role: ErrorReport.Option.Role?
    /// The program and its arguments, run without a shell; exit 0 means recovered. Empty only for
    /// an option that does not recover (role `cancel`).
    package let run: [String]
    /// Whether an answer from a node above needs the signature of a signer.
    package var needsSignature = false
    /// Whether two people have to choose the option.
    package var needsTwoPeople = false
    /// The values that the option asks for; the command gets them as environment variables.
    package var fields: [ErrorReport.Field] = []
    /// The place of the option among the report's options. Of several defaults Return chooses the
    /// first.
    package var place = RecoveryOption.Place.last

    package init(
        id: String, title: String, role: ErrorReport.Option.Role? = nil, run: [String],
        needsSignature: Bool = false, needsTwoPeople: Bool = false,
        fields: [ErrorReport.Field] = [], place: RecoveryOption.Place = .last
    ) {
        self.id = id
        self.title = title
        self.role = role
        self.run = run
        self.needsSignature = needsSignature
        self.needsTwoPeople = needsTwoPeople
        self.fields = fields
        self.place = place
    }
}

/// The texts and the severity that a rule puts in place of a report's own; nil leaves a part
/// unchanged.
package struct ReportRewrite: Hashable, Sendable {
    package var description: String?
    package var reason: String?
    package var suggestion: String?
    package var severity: Severity?

    package init(
        description: String? = nil, reason: String? = nil, suggestion: String? = nil,
        severity: Severity? = nil
    ) {
        self.description = description
        self.reason = reason
        self.suggestion = suggestion
        self.severity = severity
    }

    func apply(to report: inout ErrorReport) {
        if let description { report.description = description }
        if let reason { report.failureReason = reason }
        if let suggestion { report.recoverySuggestion = suggestion }
        if let severity { report.severity = severity }
    }
}

/// The answer of a rule: its option, its limit and its delay.
package struct RuleAnswer: Hashable, Sendable {
    /// The longest ``delay``, and the longest ``jitter``.
    package static let delayMax: Duration = .seconds(3600)

    /// The id of the option. If it is not offered the rule declines.
    package let option: String
    /// The values as the rule has them.
    package let given: [String: JSONValue]
    /// The most answers in a window; nil: without a limit. Above it the rule declines.
    package let limit: IntensityLimit?
    /// The wait before the answer. If the deadline comes earlier the rule declines.
    package let delay: Duration
    /// The longest random addition to the delay, so that a thousand answers to one fault do not
    /// start a thousand retries at once.
    package let jitter: Duration
    /// The reason for the answer, for the origin and the record.
    package let comment: String?

    /// - Parameter values: The values for the option's fields. If the option takes other values the
    ///   rule declines.
    package init(
        _ option: String, values: [String: JSONValue] = [:], comment: String? = nil,
        limit: IntensityLimit? = nil, delay: Duration = .zero, jitter: Duration = .zero
    ) {
        self.option = option
        given = values
        self.comment = comment
        self.limit = limit
        self.delay = delay
        self.jitter = jitter
    }

    /// The values for these fields: a text becomes a number or a boolean if the field is one.
    package func values(for fields: [ErrorReport.Field]) -> [String: JSONValue] {
        var values = given
        for field in fields {
            if case .string(let text) = values[field.name] {
                values[field.name] = field.given(text)
            }
        }
        return values
    }
}
