/// The condition of a rule. Every part that is given must match; a condition without parts matches
/// every error. Titles and descriptions are not parts: they are translated and rewritten.
package struct RuleMatch: Hashable, Sendable {
    /// The most steps for each character that all patterns of one condition may take together.
    package static let stepCountMax = 2 * RegexPattern.instructionCountMax

    /// The error's domain is one of these; nil: any.
    package var domain: [TextPattern]?
    /// The error's code, in decimal, is one of these; an error without a code matches none.
    package var code: [TextPattern]?
    /// The error's severity is among these; nil: any.
    package var severity: Set<Severity>?
    /// The node that the error arose in is one of these; an unknown origin matches none. Nil: any.
    package var origin: [TextPattern]?
    /// `userInfo` fields at the top level. Strings match as they are, numbers and booleans by
    /// their JSON text; a missing field, null, a list and an object match nothing.
    package var userInfo: [String: [TextPattern]]

    package init(
        domain: [TextPattern]? = nil, code: [TextPattern]? = nil,
        severity: Set<Severity>? = nil, origin: [TextPattern]? = nil,
        userInfo: [String: [TextPattern]] = [:]
    ) {
        self.domain = domain
        self.code = code
        self.severity = severity
        self.origin = origin
        self.userInfo = userInfo
    }

    /// The steps for each character that all its patterns take at most.
    package var stepCount: Int {
        let lists = [domain, code, origin].compactMap(\.self) + userInfo.values
        return lists.joined().reduce(0) { $0 + $1.stepCount }
    }

    /// The steps that a comparison with this report takes at most.
    package func cost(of report: ErrorReport, origin node: NodeName?) -> Int {
        func cost(_ patterns: [TextPattern]?, _ text: String?) -> Int {
            let length = min(text?.utf8.count ?? 0, TextPattern.scalarCountMax) + 1
            return length * (patterns ?? []).reduce(0) { $0 + $1.stepCount }
        }
        return userInfo.reduce(
            cost(domain, report.domain) + cost(code, report.code.map(String.init))
                + cost(origin, node?.description)
        ) { $0 + cost($1.value, report.userInfo[$1.key]?.matchableText) }
    }

    /// The parts beside the fields of ``userInfo``, in the order in which messages name them.
    private enum Part: String, CaseIterable {
        case domain, code, severity, origin

        /// All parts, made once: ``RuleMatch/matches(_:origin:)`` runs for each presentation and
        /// rule.
        static let all = allCases
    }

    package func matches(_ report: ErrorReport, origin node: NodeName?) -> Bool {
        Part.all.allSatisfy { matches($0, of: report, origin: node) }
            && userInfo.allSatisfy { Self.matches($0, $1, of: report) }
    }

    /// The names of the parts that do not match; empty if the rule matches.
    package func mismatches(_ report: ErrorReport, origin node: NodeName?) -> [String] {
        let parts = Part.all.filter { !matches($0, of: report, origin: node) }
        let fields = userInfo.filter { !Self.matches($0, $1, of: report) }
        return parts.map(\.rawValue) + fields.keys.sorted().map { "userInfo.\($0)" }
    }

    private func matches(
        _ part: Part, of report: ErrorReport, origin node: NodeName?
    ) -> Bool {
        switch part {
        case .domain: Self.any(of: domain, matches: report.domain)
        case .code: Self.any(of: code, matches: report.code.map(String.init))
        case .severity: severity?.contains(report.severity) ?? true
        case .origin: Self.any(of: origin, matches: node?.description)
        }
    }

    private static func matches(
        _ field: String, _ patterns: [TextPattern], of report: ErrorReport
    ) -> Bool {
        any(of: patterns, matches: report.userInfo[field]?.matchableText)
    }

    private static func any(of patterns: [TextPattern]?, matches text: String?) -> Bool {
        guard let patterns else { return true }
        guard let text else { return false }
        return patterns.contains { $0.matches(text) }
    }

    /// Whether the condition certainly matches every error that `other` matches. False when
    /// undecidable (regular expressions are compared only by their text).
    package func covers(_ other: RuleMatch) -> Bool {
        guard Self.cover(domain, other.domain), Self.cover(code, other.code),
            Self.cover(origin, other.origin),
            (severity ?? Set(Severity.allCases)).isSuperset(
                of: other.severity ?? Set(Severity.allCases))
        else { return false }
        return userInfo.allSatisfy { Self.cover($0.value, other.userInfo[$0.key]) }
    }

    private static func cover(_ patterns: [TextPattern]?, _ others: [TextPattern]?) -> Bool {
        guard let patterns else { return true }
        guard let others else { return false }
        return others.allSatisfy { other in patterns.contains { $0.covers(other) } }
    }
}

extension JSONValue {
    /// The value as rules compare it; nil for a kind that they do not compare.
    var matchableText: String? {
        switch self {
        case .string(let text): text
        case .integer(let value): String(value)
        case .number(let value): String(value)
        case .bool(let value): String(value)
        case .null, .array, .object: nil
        }
    }
}
