import ErrorBus

extension RuleReading {
    /// A line for each rule that matched.
    var lines: [String] {
        let count = list.book.rules.count
        guard !steps.isEmpty else {
            return ["\(list.name.shown()): none of \(count) rule\(count == 1 ? "" : "s") matches"]
        }
        return steps.map { "\(list.name.shown()): \(sentence($0))" }
    }

    func sentence(_ step: RuleStep) -> String {
        let dryRun = step.rule.isDryRun ? " in a dry run, without effect," : ""
        return "\(list.title(of: step.rule))\(dryRun) \(Self.words(step.effect))"
    }

    private static func words(_ effect: RuleStep.Effect) -> String {
        switch effect {
        case .withheld: "withholds it"
        case .changed(let before, let after):
            orNothing(ReportDifference(before, after).sentences)
        case .answered(let answer): words(answer)
        case .routed(let name): "routes it to \(name.shown())"
        case .declined(.outsideSchedule(let schedule)):
            "declines: in force only \(schedule.description)"
        case .declined(.limitReached(let limit)): "declines: more than \(limit.text)"
        case .declined(.notOffered(let option, let offered)):
            "declines: \(option.shown()) is not offered, only "
                + offered.map { $0.shown() }.joined(separator: ", ")
        }
    }

    private static func orNothing(_ sentences: [String]) -> String {
        sentences.isEmpty ? "matches and has nothing to change" : sentences.joined(separator: ", ")
    }

    private static func words(_ answer: RuleAnswer) -> String {
        var text = "answers \(answer.option.shown())"
        if let limit = answer.limit { text += ", at most \(limit.text)" }
        if answer.delay > .zero { text += ", after \(DurationText.text(answer.delay))" }
        if answer.jitter > .zero { text += ", up to \(DurationText.text(answer.jitter)) later" }
        return text
    }

    /// As one object, for scripts.
    var json: JSONValue {
        .object([
            "list": .string(list.name), "file": .string(list.file),
            "rules": .integer(Int64(list.book.rules.count)),
            "steps": .array(steps.map(Self.json)),
        ])
    }

    static func json(_ step: RuleStep) -> JSONValue {
        var object: [String: JSONValue] = [
            "rule": .integer(Int64(step.rule.position)),
            "line": step.rule.line.map { .integer(Int64($0)) } ?? .null,
            "dryRun": .bool(step.rule.isDryRun),
        ]
        switch step.effect {
        case .withheld: object["does"] = "withholds"
        case .changed(let before, let after):
            object["does"] = "changes"
            object["changes"] = ReportDifference(before, after).json
        case .answered(let answer):
            object["does"] = "answers"
            object["option"] = .string(answer.option)
            object["limit"] = answer.limit.map { .string($0.text) } ?? .null
        case .routed(let name):
            object["does"] = "routes"
            object["route"] = .string(name)
        case .declined(let refusal):
            object["does"] = "declines"
            object["reason"] =
                switch refusal {
                case .outsideSchedule: "outsideSchedule"
                case .notOffered: "notOffered"
                case .limitReached: "limitReached"
                }
        }
        return .object(object)
    }
}

extension IntensityLimit {
    /// As a rule writes it.
    var text: String { "\(count) per \(DurationText.text(window))" }
}
