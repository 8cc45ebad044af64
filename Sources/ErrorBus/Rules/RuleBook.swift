import Synchronization

/// The rules in order, and the mode in which they apply to one error.
package struct RuleBook: Hashable, Sendable {
    /// The number of matching rules that apply.
    package enum Mode: Sendable {
        /// Every matching rule, in order, each to the error as the earlier rules changed it; a rule
        /// that withholds, answers or routes is the last. The mode of `responders:`.
        case everyMatch
        /// The first matching rule. The mode of a policy file.
        case firstMatch
    }

    package let rules: [Rule]
    package let mode: Mode

    package init(_ rules: [Rule], mode: Mode) {
        self.rules = rules
        self.mode = mode
    }

    /// The first rule that matches this error, without regard to limits and offered options.
    package func firstMatch(_ report: ErrorReport, origin: NodeName?) -> Rule? {
        rules.first { $0.match.matches(report, origin: origin) }
    }

    /// The rules that can never act because an earlier rule always acts before them, each with that
    /// earlier rule. A rule that sometimes declines (with a limit, a delay, a schedule or a dry
    /// run) shadows nothing.
    package var shadowed: [(rule: Rule, by: Rule)] {
        rules.enumerated().compactMap { index, rule in
            rules[..<index].first { earlier in
                ends(earlier) && earlier.match.covers(rule.match)
            }.map { (rule, $0) }
        }
    }

    private func ends(_ rule: Rule) -> Bool {
        if rule.isDryRun || rule.schedule != nil { return false }
        if let answer = rule.answer {
            return answer.limit == nil && answer.delay + answer.jitter == .zero
        }
        return rule.withholds || rule.route != nil || mode == .firstMatch
    }
}

/// The destinations of rules that route, by name. The table is empty until the node that owns these
/// links is made, after its rules.
package final class RouteTable: Sendable {
    private let responders = Mutex<[String: any Responder]>([:])

    package init() {}

    /// The destination of that name; nil while it is not set.
    package subscript(name: String) -> (any Responder)? { responders.withLock { $0[name] } }

    package func set(_ ways: [String: any Responder]) {
        responders.withLock { $0 = ways }
    }
}
