import Foundation

/// A time during which matching errors are not presented, with its reason and its author.
///
/// Alertmanager's silence, for presentations: the silence answers a match with its option, or with
/// the option that the report declares for expiry; if neither is offered, or the silence only
/// withholds, it withholds the match.
package struct Silence: Hashable, Sendable {
    /// The silence that a person requests.
    package struct Request: Hashable, Sendable {
        /// The conditions as they were written, for people and for storage.
        package var pattern: JSONValue
        package var match: RuleMatch
        /// The id of the option to answer with, if a report offers it.
        package var option: String?
        /// Whether the silence answers nothing: its author may not answer, or may not choose every
        /// option that a report declares.
        package var onlyWithholds: Bool
        package var by: String
        package var comment: String

        package init(
            pattern: JSONValue, match: RuleMatch, option: String? = nil,
            onlyWithholds: Bool = false, by: String, comment: String
        ) {
            self.pattern = pattern
            self.match = match
            self.option = option
            self.onlyWithholds = onlyWithholds
            self.by = by
            self.comment = comment
        }

        /// The option to answer a report with; nil: the report is withheld.
        package func option(for report: ErrorReport) -> String? {
            if onlyWithholds { return nil }
            let offered = report.options.map(\.id)
            return [option, report.onExpiry].lazy.compactMap(\.self)
                .first { offered.contains($0) }
        }

        /// The refusal of an option that no open match offers, which is probably a slip; nil
        /// without one, and without a match.
        package func refusal(forOpen reports: [ErrorReport]) -> SilenceRefusal? {
            guard let option, !onlyWithholds, !reports.isEmpty else { return nil }
            var seen: Set<String> = []
            let offered = reports.flatMap(\.options).map(\.id).filter { seen.insert($0).inserted }
            return seen.contains(option) ? nil : .notOffered(option, offered: offered)
        }
    }

    package let number: Int
    package let request: Request
    package let createdAt: Moment
    /// The end, planned or past.
    package var endsAt: Moment
    /// The person who ended the silence early.
    package var endedBy: String?
    package var answeredCount = 0
    package var withheldCount = 0
    /// The time at which the silence last answered or withheld a presentation.
    package var lastAt: Moment?

    /// A silence that was stored in an earlier life of the node.
    package init(
        number: Int, request: Request, createdAt: Moment, endsAt: Moment, endedBy: String? = nil,
        answeredCount: Int = 0, withheldCount: Int = 0, lastAt: Moment? = nil
    ) {
        self.number = number
        self.request = request
        self.createdAt = createdAt
        self.endsAt = endsAt
        self.endedBy = endedBy
        self.answeredCount = answeredCount
        self.withheldCount = withheldCount
        self.lastAt = lastAt
    }

    package func isActive(at now: Moment) -> Bool { now < endsAt }

    /// The name of the silence in the audit and for the origin.
    package var decider: String { "silence \(number) (\(request.by))" }

    /// The option to answer a report with; nil: the report is withheld.
    package func option(for report: ErrorReport) -> String? { request.option(for: report) }
}

/// The reason why an action on a silence was refused. The silence is unchanged.
package enum SilenceRefusal: Error, Hashable, Sendable {
    /// The silence never existed here, or ended too long ago to be kept.
    case unknown(Int)
    case ended(Int, at: Moment)
    /// The condition matches every error.
    case matchesEverything
    case tooMany(allowed: Int)
    /// No open match offers the option, and the silence was to end them.
    case notOffered(String, offered: [String])
    /// The patterns take too many steps for each character, together with the patterns of the
    /// active silences.
    case tooCostly(found: Int, allowed: Int)
    /// Comparing the patterns with all open presentations takes too many steps.
    case tooManyOpen(steps: Int, open: Int, allowed: Int)
    /// The duration is outside this range.
    case duration(ClosedRange<Duration>)
}

extension SilenceRefusal: CustomStringConvertible {
    /// The most options that a message lists.
    private static let offeredMax = 20

    package var description: String {
        switch self {
        case .unknown(let number): "no silence \(number) here; it may have ended long ago"
        case .ended(let number, let at):
            "silence \(number) ended at \(at.date.ISO8601Format())"
        case .matchesEverything:
            "match: found no condition; allowed: at least one of domain, code, severity, origin, "
                + "userInfo"
        case .tooMany(let allowed):
            "silences: the limit of \(allowed) active ones is reached; end one first"
        case .notOffered(let option, let offered):
            "option: found \"\(option)\", offered by no open match; offered: "
                + offered.prefix(Self.offeredMax).joined(separator: ", ")
                + (offered.count > Self.offeredMax ? ", ..." : "")
        case .tooCostly(let found, let allowed):
            "match: found patterns that take, with those of the active silences, \(found) steps "
                + "for each character; allowed: \(allowed). Use texts without *, or end a silence"
        case .tooManyOpen(let steps, let open, let allowed):
            "match: found patterns that take up to \(steps) steps for the \(open) open "
                + "presentations; allowed: \(allowed). Use texts without *, or shorter patterns"
        case .duration(let allowed):
            "a silence may last \(allowed.lowerBound.components.seconds) to "
                + "\(allowed.upperBound.components.seconds) s"
        }
    }
}
