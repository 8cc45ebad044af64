/// What is different between two versions of a report.
package struct ReportDifference: Hashable, Sendable {
    /// A field's name and its text before and after.
    package struct Text: Hashable, Sendable {
        package let field: String
        package let before: String?
        package let after: String?
    }

    package let texts: [Text]
    package let added: [ErrorReport.Option]
    package let removed: [String]
    package let redacted: [String]

    package init(_ before: ErrorReport, _ after: ErrorReport) {
        texts = [
            Text(field: "description", before: before.description, after: after.description),
            Text(field: "reason", before: before.failureReason, after: after.failureReason),
            Text(
                field: "suggestion", before: before.recoverySuggestion,
                after: after.recoverySuggestion),
            Text(
                field: "severity", before: before.severity.rawValue,
                after: after.severity.rawValue),
        ].filter { $0.before != $0.after }
        let ids = (Set(before.options.map(\.id)), Set(after.options.map(\.id)))
        added = after.options.filter { !ids.0.contains($0.id) }
        removed = before.options.map(\.id).filter { !ids.1.contains($0) }
        redacted = Self.keys(before).subtracting(Self.keys(after)).sorted()
    }

    private static func keys(_ report: ErrorReport) -> Set<String> {
        report.underlyingErrors.reduce(into: Set(report.userInfo.keys)) { $0.formUnion(keys($1)) }
    }
}
