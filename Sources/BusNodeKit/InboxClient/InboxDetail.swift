package import ErrorBus

/// The facts of one presentation for people. They may come from a peer: `lines` are escaped, the
/// facts are not.
package struct InboxDetail {
    struct Fact: Hashable {
        let name: String
        let text: String
        /// The text for a screen, which may have more lines.
        let inLines: String

        init(_ name: String, _ text: String, inLines: String? = nil) {
            self.name = name
            self.text = text
            self.inLines = inLines ?? text
        }
    }

    /// The deepest chain of causes, as in a report.
    private static let causeMax = 32

    let facts: [Fact]

    /// - Parameter json: The console's JSON of one presentation.
    package init(_ json: JSONValue) {
        var item = PresentationView(json: json) ?? PresentationView()
        let isArchived = json["archived"] != nil
        // None of them can be chosen, and the journal has but their ids.
        if isArchived { item.options = [] }
        var facts = [
            Fact("id", item.id), Fact("stage", item.stageShown),
            Fact("error", item.domain + (item.code.map { " \($0)" } ?? "")),
            Fact("severity", item.severity), Fact("from", item.originShown ?? ""),
            Fact("path", item.path.map(NodeName.words(of:)).joined(separator: " > ")),
        ]
        facts += (json["changes"]?.arrayValue ?? []).map { change in
            let words = change.texts("words").joined(separator: ", ")
            return Fact("changed", "\(change.text("by")) \(words)")
        }
        facts += [Fact("opened", item.openedAt), Fact("expires", item.expiryShown)]
        facts += Self.facts(of: item, json["report"] ?? .null)
        let keys = PromptKeys(item.options.map(\.option))
        facts += item.options.map { option in
            // A single option is the default too, as on the screen.
            let isDefault = keys.isDefault(option.id) && option.role != "default"
            let isForTwo = option.twoPeople != nil
            let role = [
                option.role, isDefault ? "default" : nil, isForTwo ? "needs two people" : nil,
            ].compactMap(\.self).joined(separator: ", ")
            let text = "\(option.id): \(option.title)"
            return Fact("option", role.isEmpty ? text : "\(text) (\(role))")
        }
        facts += item.options.flatMap { option in
            option.readFields.map { field in
                Fact("value", "\(option.id) asks for \(field.name): \(Self.request(for: field))")
            }
        }
        if let proposal = item.proposal {
            let what =
                "\(proposal.option)\(proposal.valueText) by \(proposal.by), until "
                + proposal.until
            facts += [Fact("proposed", what), Fact("comment", proposal.comment ?? "")]
        }
        if let answer = item.answer {
            facts += [
                Fact("answer", "\(answer.option)\(answer.valueText) by \(answer.authors)"),
                Fact("comment", answer.comment ?? ""),
            ]
        }
        if isArchived { facts += Self.facts(ofArchived: json) }
        facts += (EarlierView(json: json["earlier"] ?? .null)?.lines ?? []).map {
            Fact("earlier", $0)
        }
        facts += json.views("notes", of: NoteView.self).map { note in
            Fact("note", "\(note.at) \(note.by): \(note.text)")
        }
        facts += json.views("history", of: EventView.self).map { event in
            Fact("event", "\(event.time) \(event.sentence)")
        }
        self.facts = facts.filter { !$0.text.allSatisfy(\.isWhitespace) }
    }

    /// The facts for a terminal. Long enough for a whole comment.
    package var lines: [String] {
        facts.map { $0.name.padding(toLength: 10) + $0.text.escapedForTerminal() }
    }

    /// The facts of the error itself.
    private static func facts(
        of item: PresentationView, _ report: JSONValue
    ) -> [Fact] {
        var facts = [Fact("what", report.text("description"))]
        facts += ErrorReport.texts.map { Fact($0.label, report.text($0.key)) }
        var causes: [String] = []
        collect(report, into: &causes, depth: 0)
        facts += causes.map { Fact("because", $0) }
        facts.append(Fact("retry of", report.text("retryOf")))
        if item.retryCount > 0 { facts.append(Fact("retries", "\(item.retryCount)")) }
        if !item.isReachable {
            facts.append(Fact("origin", "cannot be reached: an answer is kept for it"))
        }
        if item.origin == NodeName.bare.description {
            facts.append(Fact("origin", "may no longer be waiting"))
        }
        if item.wasShownBefore {
            facts.append(Fact("before", "may have been shown; no answer was recorded"))
        }
        return facts + context(report["userInfo"])
    }

    /// The request for a value, as a person reads it who gives it with `--value`. Not escaped.
    static func request(for field: ErrorReport.Field) -> String {
        var bare = field
        bare.isRequired = true
        bare.defaultValue = nil
        let standard = field.defaultValue.map { value in
            value.stringValue ?? String(decoding: value.encoded(), as: UTF8.self)
        }
        let rest = standard.map { "\($0) if left out" } ?? (field.isRequired ? nil : "optional")
        // The request ends in a parenthesis.
        return rest.map { "\(bare.request.dropLast()); \($0))" } ?? bare.request
    }

    /// The facts that a journal has in other fields than the inbox.
    private static func facts(ofArchived json: JSONValue) -> [Fact] {
        let past = HistoryEntry(json: json) ?? HistoryEntry()
        let outcome = json.text("outcome")
        let answer = past.optionShown.map { "\($0)\(past.valueText) by \(past.authors)" }
        return [
            Fact("what", past.description),
            Fact("why", past.failureReason ?? ""),
            Fact("answer", answer ?? ""),
            Fact("comment", past.comment ?? ""),
            Fact("ended", outcome.isEmpty ? "" : "\(past.changedAt) \(outcome)"),
            Fact("archived", "from the journal: it cannot be answered"),
        ]
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

    private static func context(_ fields: JSONValue?) -> [Fact] {
        (fields?.objectValue ?? [:]).sorted { $0.key < $1.key }.map { key, value in
            let text = value.stringValue ?? String(decoding: value.encoded(), as: UTF8.self)
            return Fact("info", "\(key) = \(text)", inLines: "\(key) = \(value.inLines)")
        }
    }
}
