import ErrorBus

/// What a rule changed in a report, in words and as JSON.
struct ReportDifference {
    /// A field's name and its text before and after.
    struct Text: Hashable {
        let field: String
        let before: String?
        let after: String?
    }

    let texts: [Text]
    let added: [ErrorReport.Option]
    let removed: [String]
    let redacted: [String]

    init(_ before: ErrorReport, _ after: ErrorReport) {
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

    var sentences: [String] {
        var sentences = texts.map { text in
            let before = text.before.map { "\"\($0.shown())\"" } ?? "nothing"
            return "makes the \(text.field) \"\(text.after?.shown() ?? "")\" instead of \(before)"
        }
        sentences += added.map { "adds the option \($0.id.shown()) \"\($0.title.shown())\"" }
        sentences += removed.map { "takes the option \($0.shown()) away" }
        sentences += redacted.map { "redacts \($0.shown())" }
        return sentences
    }

    var json: JSONValue {
        .object([
            "texts": .array(
                texts.map { text in
                    .object([
                        "field": .string(text.field),
                        "before": text.before.map { .string($0) } ?? .null,
                        "after": text.after.map { .string($0) } ?? .null,
                    ])
                }),
            "addedOptions": .array(
                added.map { .object(["id": .string($0.id), "title": .string($0.title)]) }),
            "removedOptions": .array(removed.map { .string($0) }),
            "redacted": .array(redacted.map { .string($0) }),
        ])
    }
}
