import Foundation

/// Errors that are not presented for a while: which, why, who said so and until when.
///
/// Alertmanager's silence, for questions: what it matches is answered with the option it names, or
/// with what its own report declares for expiry, and where neither is offered it is withheld.
package struct Silence: Hashable, Sendable {
    /// What a person asked for.
    package struct Request: Hashable, Sendable {
        /// The conditions as they were written, for people and for storage.
        package var pattern: JSONValue
        package var match: RuleMatch
        /// The id of the option that is chosen where it is offered.
        package var option: String?
        package var by: String
        package var comment: String

        package init(
            pattern: JSONValue, match: RuleMatch, option: String? = nil, by: String,
            comment: String
        ) {
            self.pattern = pattern
            self.match = match
            self.option = option
            self.by = by
            self.comment = comment
        }
    }

    package let number: Int
    package let request: Request
    package let createdAt: Moment
    /// When it ends, or ended.
    package internal(set) var endsAt: Moment
    /// Who ended it before its time.
    package internal(set) var endedBy: String?
    package internal(set) var answeredCount = 0
    package internal(set) var withheldCount = 0
    /// When it last kept a question from people.
    package internal(set) var lastAt: Moment?

    /// One that was stored in an earlier life of the node.
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

    /// Who answers or withholds, in the audit and for the origin.
    package var decider: String { "silence \(number) (\(request.by))" }

    /// The option it chooses of a report; nil: it is withheld.
    package func option(for report: ErrorReport) -> String? {
        let offered = report.options.map(\.id)
        return [request.option, report.onExpiry].lazy.compactMap(\.self)
            .first { offered.contains($0) }
    }
}

/// Why something could not be done with a silence. Nothing has changed then.
package enum SilenceRefusal: Error, Hashable, Sendable {
    /// Never here, or ended so long ago that it is not kept.
    case unknown(Int)
    case ended(Int, at: Moment)
    /// It would match every error.
    case matchesEverything
    case tooMany(allowed: Int)
    /// Not between these.
    case duration(ClosedRange<Duration>)
}

extension SilenceRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknown(let number): "no silence \(number) here; it may have ended long ago"
        case .ended(let number, let at):
            "silence \(number) ended at \(at.date.ISO8601Format())"
        case .matchesEverything:
            "match: found no condition; allowed: at least one of domain, code, severity, origin, "
                + "userInfo"
        case .tooMany(let allowed):
            "silences: allowed: \(allowed) active at a time; end one first"
        case .duration(let allowed):
            "a silence may last \(allowed.lowerBound.components.seconds) to "
                + "\(allowed.upperBound.components.seconds) s"
        }
    }
}
