import ErrorBus
import OrderedCollections

// Rules, in `responders:` and in policy files.
extension TopologyReader {
    private static let actionKeys = [
        "withhold", "rewrite", "addOption", "removeOption", "answer", "redact", "maskSecrets",
        "route",
    ]

    private static let conditionKeys = ["during", "dryRun"]

    mutating func rules(_ field: ConfigurationField, folder: String) -> [Rule] {
        guard !field.node.isNull,
            let elements = decoder.elements(field, allowed: "a list of rules")
        else { return [] }
        return elements.enumerated().compactMap { index, element in
            rule(element, position: index + 1, folder: folder)
        }
    }

    private mutating func rule(
        _ field: ConfigurationField, position: Int, folder: String
    ) -> Rule? {
        let problemCount = decoder.problems.count
        let keys = ["match"] + Self.actionKeys + Self.conditionKeys
        guard let fields = decoder.fields(field, keys: keys) else { return nil }
        let hasUnknownKeys = decoder.problems.count > problemCount
        var match: RuleMatch?
        if let inner = fields["match"] {
            match = ruleMatch(inner)
        } else {
            decoder.report(
                field, found: "no match", allowed: "match: with conditions, or match: {} for all")
        }
        let schedule = fields["during"].map { self.schedule($0) }
        let isDryRun = fields["dryRun"].map { decoder.bool($0) } ?? false
        let written = fields.filter { Self.actionKeys.contains($0.key) }
        let actions = written.compactMap { action($0.key, $0.value, folder: folder) }
        if written.isEmpty, !hasUnknownKeys {
            decoder.report(
                field, found: "no action", allowed: Self.actionKeys.joined(separator: ", "))
        }
        if written.count > 1, let withhold = written["withhold"] {
            decoder.report(
                withhold, found: "withhold beside other actions", allowed: "withhold by itself")
            return nil
        }
        if let answer = written["answer"], written["route"] != nil {
            decoder.report(
                answer, found: "answer beside route", allowed: "one of them in a rule")
            return nil
        }
        guard let match, let isDryRun, schedule.map({ $0 != nil }) ?? true, !actions.isEmpty,
            actions.count == written.count
        else { return nil }
        return Rule(
            match: match, actions: actions, position: position, schedule: schedule ?? nil,
            isDryRun: isDryRun, line: field.location.line)
    }

    // MARK: Actions

    private mutating func action(
        _ key: String, _ field: ConfigurationField, folder: String
    ) -> RuleAction? {
        switch key {
        case "withhold":
            return isOn(field, key) ? .withhold : nil
        case "rewrite": return rewrite(field)
        case "addOption": return addedOption(field, folder: folder)
        case "answer": return answer(field)
        case "removeOption":
            let ids = nonEmpty(field, "an option id, or a list of them")
            return ids.map(RuleAction.removeOption)
        case "redact":
            return nonEmpty(field, "a userInfo key, or a list of them").map(RuleAction.redact)
        case "maskSecrets": return isOn(field, key) ? .maskSecrets : nil
        default:
            return hop(field, allowed: "a node name or an endpoint").map { .route($0.description) }
        }
    }

    /// An action without a value of its own.
    private mutating func isOn(_ field: ConfigurationField, _ key: String) -> Bool {
        guard let isOn = decoder.bool(field) else { return false }
        if !isOn { decoder.report(field, allowed: "true, or no \(key) at all") }
        return isOn
    }

    private mutating func nonEmpty(_ field: ConfigurationField, _ allowed: String) -> [String]? {
        let elements = decoder.elementsOrOne(field, allowed: allowed)
        if elements.isEmpty { decoder.report(field, allowed: allowed) }
        let texts = elements.compactMap { decoder.text($0, allowed: allowed) }
        return texts.isEmpty || texts.count < elements.count ? nil : texts
    }

    private mutating func rewrite(_ field: ConfigurationField) -> RuleAction? {
        let keys = ["description", "reason", "suggestion", "severity"]
        guard let fields = decoder.fields(field, keys: keys) else { return nil }
        if decoder.isEmptyMapping(field) {
            decoder.report(
                field, found: "an empty mapping", allowed: keys.joined(separator: ", "))
            return nil
        }
        return .rewrite(
            ReportRewrite(
                description: fields["description"].flatMap { decoder.text($0) },
                reason: fields["reason"].flatMap { decoder.text($0) },
                suggestion: fields["suggestion"].flatMap { decoder.text($0) },
                severity: fields["severity"].flatMap { decoder.word($0, as: Severity.self) }))
    }

    private mutating func addedOption(
        _ field: ConfigurationField, folder: String
    ) -> RuleAction? {
        let keys = ["id", "title", "role", "run", "first", "signed", "twoPeople", "fields"]
        guard let fields = decoder.fields(field, keys: keys) else { return nil }
        let role = fields["role"].flatMap { decoder.word($0, as: ErrorReport.Option.Role.self) }
        let run = fields["run"].flatMap { command($0, folder: folder) }
        if fields["run"] == nil, role != .cancel {
            decoder.report(
                field, found: "no run", allowed: "run: [PROGRAM, ARGUMENT...], or role: cancel")
        }
        for key in ["id", "title"] where fields[key] == nil {
            decoder.report(field, found: "no \(key)", allowed: "\(key): TEXT")
        }
        let asked = fields["fields"].map { optionFields($0) } ?? []
        let isFirst = fields["first"].flatMap { decoder.bool($0) } ?? false
        let needsSignature = fields["signed"].flatMap { decoder.bool($0) } ?? false
        let needsTwoPeople = fields["twoPeople"].flatMap { decoder.bool($0) } ?? false
        let id = fields["id"].flatMap { optionID($0) }
        let shown = fields["title"].flatMap { title($0) }
        guard let asked, let id, let shown,
            run != nil || (fields["run"] == nil && role == .cancel)
        else { return nil }
        return .addOption(
            AddedOption(
                id: id, title: shown, role: role, run: run ?? [],
                needsSignature: needsSignature, needsTwoPeople: needsTwoPeople, fields: asked,
                place: isFirst ? .first : .last))
    }

    private mutating func title(_ field: ConfigurationField) -> String? {
        let allowed = "a text of at most 256 characters"
        guard let title = decoder.text(field, allowed: allowed) else { return nil }
        guard title.unicodeScalars.count <= 256 else {
            decoder.report(field, allowed: allowed)
            return nil
        }
        return title
    }

    private mutating func answer(_ field: ConfigurationField) -> RuleAction? {
        if case .scalar = field.node.value {
            return optionID(field).map { .answer(RuleAnswer($0)) }
        }
        let keys = ["option", "values", "comment", "limit", "delay", "jitter"]
        guard let fields = decoder.fields(field, keys: keys) else { return nil }
        let problemCount = decoder.problems.count
        let limit = fields["limit"].flatMap { self.limit($0) }
        let delay = fields["delay"].flatMap { self.delay($0) }
        let jitter = fields["jitter"].flatMap { self.delay($0) }
        let values = fields["values"].flatMap { self.values($0) } ?? [:]
        let comment = fields["comment"].flatMap { self.comment($0) }
        if fields["option"] == nil {
            decoder.report(field, found: "no option", allowed: "option: ID")
        }
        let id = fields["option"].flatMap { optionID($0) }
        guard let id, decoder.problems.count == problemCount else { return nil }
        return .answer(
            RuleAnswer(
                id, values: values, comment: comment, limit: limit, delay: delay ?? .zero,
                jitter: jitter ?? .zero))
    }

    private mutating func comment(_ field: ConfigurationField) -> String? {
        let allowed = GivenValues.allowedComment
        guard let text = decoder.text(field, allowed: allowed) else { return nil }
        guard text.isComment else {
            decoder.report(field, allowed: allowed)
            return nil
        }
        return text
    }

    private mutating func delay(_ field: ConfigurationField) -> Duration? {
        let limit = RuleAnswer.delayMax
        guard let delay = decoder.duration(field, mayBeZero: true) else { return nil }
        guard delay <= limit else {
            decoder.report(field, allowed: "at most \(DurationText.text(limit))")
            return nil
        }
        return delay
    }

    /// An option id; it has the form of a node name.
    private mutating func optionID(_ field: ConfigurationField) -> String? {
        let allowed = "an option id: \(NodeName.allowed)"
        guard let text = decoder.text(field, allowed: allowed) else { return nil }
        guard NodeName(text) != nil else {
            decoder.report(field, allowed: allowed)
            return nil
        }
        return text
    }

    private mutating func limit(_ field: ConfigurationField) -> IntensityLimit? {
        let allowed = "a limit such as 3 per 1m, 1 to \(IntensityLimit.countMax) times"
        guard let text = decoder.text(field, allowed: allowed) else { return nil }
        let words = text.split(separator: " ")
        guard words.count == 3, words[1] == "per", words[0].utf8.first != 0x2B,
            let count = Int(words[0]), (1...IntensityLimit.countMax).contains(count),
            let window = DurationText.read(String(words[2])), window > .zero
        else {
            decoder.report(field, allowed: allowed)
            return nil
        }
        return IntensityLimit(count, per: window)
    }
}
