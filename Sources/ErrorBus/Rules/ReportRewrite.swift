/// What a rule puts in the place of a report's own words. Nil leaves a part alone.
public struct ReportRewrite: Hashable, Sendable {
    public var description: String?
    public var reason: String?
    public var suggestion: String?
    public var severity: Severity?

    public init(
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
