import Synchronization

/// Rules in order, and how many of them apply to one error.
package struct RuleBook: Hashable, Sendable {
    /// How many of the matching rules apply.
    package enum Mode: Sendable {
        /// Every one, top to bottom, each to what those before it made of the error; a rule that
        /// withholds, answers or routes ends it. What `responders:` means.
        case everyMatch
        /// The first one. What a policy file means.
        case firstMatch
    }

    package let rules: [Rule]
    package let mode: Mode

    package init(_ rules: [Rule], mode: Mode) {
        self.rules = rules
        self.mode = mode
    }

    /// The first rule that is about this error, without regard to limits and offered options.
    package func firstMatch(_ report: ErrorReport, origin: NodeName?) -> Rule? {
        rules.first { $0.match.matches(report, origin: origin) }
    }

    /// Rules that can never do anything because an earlier one always comes before them, each
    /// with that one. A rule that declines at times hides nothing: one with a limit or a schedule,
    /// or one that runs dry.
    package var shadowed: [(rule: Rule, by: Rule)] {
        rules.enumerated().compactMap { index, rule in
            rules[..<index].first { earlier in
                ends(earlier) && earlier.match.covers(rule.match)
            }.map { (rule, $0) }
        }
    }

    private func ends(_ rule: Rule) -> Bool {
        if rule.isDryRun || rule.schedule != nil { return false }
        if let answer = rule.answer { return answer.limit == nil }
        return rule.withholds || rule.route != nil || mode == .firstMatch
    }
}

/// Where rules can send errors instead of to `next`, by the name that they use. Empty until the
/// node that has these ways is made, which is after its rules.
package final class RouteTable: Sendable {
    private let responders = Mutex<[String: any Responder]>([:])

    package init() {}

    /// The way of that name; nil while it is not set.
    package subscript(name: String) -> (any Responder)? { responders.withLock { $0[name] } }

    package func set(_ ways: [String: any Responder]) {
        responders.withLock { $0 = ways }
    }
}
