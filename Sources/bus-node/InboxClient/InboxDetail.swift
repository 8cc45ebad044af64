import ErrorBus

/// One presentation as facts for people. Everything in it may come from a peer: `lines` are
/// escaped, the facts are as they came.
struct InboxDetail {
    struct Fact: Hashable {
        let name: String
        let text: String

        init(_ name: String, _ text: String) {
            self.name = name
            self.text = text
        }
    }

    /// Causes of causes, as deep as reports have them.
    private static let causeMax = 32

    let facts: [Fact]

    init(_ item: JSONValue) {
        let code = item["code"]?.integerValue.map { " \($0)" } ?? ""
        var facts = [
            Fact("id", item.text("id")), Fact("stage", InboxRows.stage(item)),
            Fact("error", item.text("domain") + code),
            Fact("severity", item.text("severity")), Fact("from", item.text("origin")),
            Fact("path", item.texts("path").joined(separator: " > ")),
        ]
        facts += (item["changes"]?.arrayValue ?? []).map { Fact("changed", Self.words($0)) }
        facts.append(Fact("opened", item.text("openedAt")))
        facts += Self.told(item, item["report"] ?? .null)
        let keys = PromptKeys(item.offeredOptions)
        facts += (item["options"]?.arrayValue ?? []).map { option in
            // A lone option is the default too, as at the screen.
            let isDefault = keys.isDefault(option.text("id"))
            let role = [option.text("role"), isDefault ? "default" : ""].filter { !$0.isEmpty }
                .reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
                .joined(separator: ", ")
            let text = "\(option.text("id")): \(option.text("title"))"
            return Fact("option", role.isEmpty ? text : "\(text) (\(role))")
        }
        if let answer = item["answer"], !answer.isNull {
            facts.append(Fact("answer", "\(answer.text("option")) by \(answer.text("by"))"))
        }
        facts += (item["history"]?.arrayValue ?? []).map { event in
            let words =
                [event.text("time"), event.text("event")] + Self.pairs(event["fields"], "=")
            return Fact("event", words.joined(separator: " "))
        }
        self.facts = facts.filter { !$0.text.allSatisfy(\.isWhitespace) }
    }

    /// What a node on the way changed.
    private static func words(_ change: JSONValue) -> String {
        let parts = [
            ("changed the severity from", [change.text("severityBefore")]),
            ("rewrote the", change.texts("rewritten")),
            ("added the option", change.texts("addedOptions")),
            ("took away the option", change.texts("removedOptions")),
            ("redacted", change.texts("redacted")),
        ].filter { !$0.1.joined().isEmpty }
        return "\(change.text("by")) "
            + parts.map { "\($0) \($1.joined(separator: ", "))" }.joined(separator: ", ")
    }

    var lines: [String] {
        facts.map { $0.name.padding(toLength: 10) + $0.text.shown() }
    }

    /// What the error itself says.
    private static func told(_ item: JSONValue, _ report: JSONValue) -> [Fact] {
        var facts = [
            Fact("what", report.text("description")), Fact("why", report.text("failureReason")),
            Fact("help", report.text("recoverySuggestion")),
            Fact("see", report.text("helpAnchor")),
        ]
        var causes: [String] = []
        collect(report, into: &causes, depth: 0)
        facts += causes.map { Fact("because", $0) }
        facts.append(Fact("retry of", report.text("retryOf")))
        if let count = item["retryCount"]?.integerValue, count > 0 {
            facts.append(Fact("retries", "\(count)"))
        }
        if item["isReachable"]?.boolValue == false {
            facts.append(Fact("origin", "cannot be reached: an answer is kept for it"))
        }
        if item.text("origin") == NodeName.bare.description {
            let known = "a client without a name: not known whether it still waits"
            facts.append(Fact("origin", known))
        }
        if item["wasShownBefore"]?.boolValue == true {
            facts.append(Fact("before", "shown before a restart; no answer was recorded"))
        }
        return facts + pairs(report["userInfo"], " = ").map { Fact("info", $0) }
    }

    /// The underlying errors, outermost first.
    private static func collect(_ report: JSONValue, into causes: inout [String], depth: Int) {
        for cause in report["underlyingErrors"]?.arrayValue ?? [] {
            guard causes.count < causeMax else { return }
            let code = cause["code"]?.integerValue.map { " \($0)" } ?? ""
            let reason = cause.text("failureReason")
            let text = "\(cause.text("description")) (\(cause.text("domain"))\(code))"
            causes.append(
                String(repeating: "  ", count: depth) + text
                    + (reason.isEmpty ? "" : ": \(reason)"))
            collect(cause, into: &causes, depth: depth + 1)
        }
    }

    private static func pairs(_ fields: JSONValue?, _ sign: String) -> [String] {
        (fields?.objectValue ?? [:]).sorted { $0.key < $1.key }.map { key, value in
            let text = value.stringValue ?? String(decoding: value.encoded(), as: UTF8.self)
            return key + sign + text
        }
    }
}
