/// Errors that are not presented for a while: which, why, who said so and until when.
///
/// Alertmanager's silence, for questions: what it matches is answered with the option it names, or
/// with what its own report declares for expiry, and where neither is offered it is withheld.
public struct Silence: Hashable, Sendable {
    /// What a person asked for.
    public struct Request: Hashable, Sendable {
        /// The conditions as they were written, for people and for storage.
        public var pattern: JSONValue
        public var match: RuleMatch
        /// The id of the option that is chosen where it is offered.
        public var option: String?
        public var by: String
        public var comment: String

        public init(
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

    public let number: Int
    public let request: Request
    public let createdAt: Moment
    /// When it ends, or ended.
    public internal(set) var endsAt: Moment
    /// Who ended it before its time.
    public internal(set) var endedBy: String?
    public internal(set) var answeredCount = 0
    public internal(set) var withheldCount = 0
    /// When it last kept a question from people.
    public internal(set) var lastAt: Moment?

    /// One that was stored in an earlier life of the node.
    public init(
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

    public func isActive(at now: Moment) -> Bool { now < endsAt }

    /// Who answers or withholds, in the audit and for the origin.
    public var decider: String { "silence \(number) (\(request.by))" }

    /// The option it chooses of a report; nil: it is withheld.
    public func option(for report: ErrorReport) -> String? {
        let offered = report.options.map(\.id)
        return [request.option, report.onExpiry].lazy.compactMap(\.self)
            .first { offered.contains($0) }
    }
}
