import ErrorBus

extension ReportDifference {
    /// In words, one for each change.
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
