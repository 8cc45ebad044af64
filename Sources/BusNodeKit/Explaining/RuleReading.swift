package import ErrorBus
package import Foundation
import Logging

/// The rules of one file, applied as in a live node, but without running commands.
package struct RuleList {
    /// The name of the list, `responders` or `policy`.
    let name: String
    /// The file of the rules.
    let file: String
    let book: RuleBook

    package init(name: String, file: String, book: RuleBook) {
        self.name = name
        self.file = file
        self.book = book
    }

    /// Applies the rules to an error that arose in `origin`.
    ///
    /// - Parameters:
    ///   - prevents: Whether the presentation keeps a rule from its answer; never by default.
    ///   - permits: Whether the limit of a rule allows its answer; always by default.
    package func evaluate(
        _ report: ErrorReport, origin: NodeName, date: Date,
        prevents: @escaping RuleWalk.Obstacle = { _, _, _ in false },
        permits: @escaping RuleWalk.Permission = { _, _, _ in .permitted }
    ) -> RuleReading {
        let evaluation = RuleWalk(
            book, origin: origin, commands: RuleCommands(runner: IdleRunner()),
            logger: Logger(label: "explain") { _ in SwiftLogNoOpLogHandler() }, date: { date },
            prevents: prevents, permits: permits
        ).explain(PresentedReport(report: report))
        return RuleReading(
            list: self, origin: origin, steps: evaluation.steps, ending: evaluation.ending,
            report: ErrorReport(describing: evaluation.error))
    }

    /// The title of a rule, as in `rule 2 (policy.yaml:5)`.
    func title(of rule: Rule) -> String {
        "rule \(rule.position) (\(file.shown())\(rule.line.map { ":\($0)" } ?? ""))"
    }
}

/// The effect of a list of rules on a report.
package struct RuleReading {
    let list: RuleList
    let origin: NodeName
    let steps: [RuleStep]
    package let ending: RuleEvaluation.Ending
    let report: ErrorReport
}

/// A runner for explanations, which build options and never attempt one.
private struct IdleRunner: CommandRunner {
    func run(
        _ command: [String], environment: [String: String], input: [UInt8], timeLimit: Duration
    ) async throws -> CommandResult {
        throw CancellationError()
    }
}

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
            "declines at this time: in force only \(schedule.description); --at sets another"
        case .declined(.limitReached(let limit)): "declines: more than \(limit.text)"
        case .declined(.tooManyCounted):
            "declines: the limits count too many errors and origins already"
        case .declined(.needsTwoPeople(let option)):
            "declines: \(option.shown()) needs two people"
        case .declined(.badValue(let option, let fault)):
            "declines: option \(option.shown()): \(fault.description.shown())"
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
        if let comment = answer.comment { text += ", saying \"\(comment.shownWhole())\"" }
        return text
    }

    /// The reading as one object, for scripts.
    var json: JSONValue {
        [
            "list": list.name.json, "file": list.file.json, "rules": list.book.rules.count.json,
            "steps": steps.map(Self.json).json,
        ]
    }

    static func json(_ step: RuleStep) -> JSONValue {
        var object: [String: JSONValue] = [
            "rule": step.rule.position.json, "line": step.rule.line.json,
            "dryRun": step.rule.isDryRun.json,
        ]
        switch step.effect {
        case .withheld: object["does"] = "withholds"
        case .changed(let before, let after):
            object["does"] = "changes"
            object["changes"] = ReportDifference(before, after).json
        case .answered(let answer):
            object["does"] = "answers"
            object["option"] = .string(answer.option)
            object["limit"] = (answer.limit?.text).json
            object["comment"] = answer.comment.json
        case .routed(let name):
            object["does"] = "routes"
            object["route"] = .string(name)
        case .declined(let refusal):
            object["does"] = "declines"
            object["reason"] = .string(refusal.word)
        }
        return .object(object)
    }
}

extension RuleStep.Refusal {
    /// What keeps a matching rule from having an effect. The raw value is the word for scripts.
    enum Kind: String, CaseIterable {
        case outsideSchedule, notOffered, limitReached, tooManyCounted, needsTwoPeople, badValue

        /// The words for people, also on the page.
        var words: String {
            switch self {
            case .outsideSchedule: "outside its times"
            case .notOffered: "its option not offered"
            case .limitReached: "above its limit"
            case .tooManyCounted: "too many counted by its limit"
            case .needsTwoPeople: "its option for two people"
            case .badValue: "a value that does not fit"
            }
        }
    }

    var kind: Kind {
        switch self {
        case .outsideSchedule: .outsideSchedule
        case .notOffered: .notOffered
        case .limitReached: .limitReached
        case .tooManyCounted: .tooManyCounted
        case .needsTwoPeople: .needsTwoPeople
        case .badValue: .badValue
        }
    }

    /// The effect in a word, for scripts.
    var word: String { kind.rawValue }
}

extension IntensityLimit {
    /// The limit in the form of a rule file.
    var text: String { "\(count) per \(DurationText.text(window))" }
}

extension ReportDifference {
    /// The changes in words, one sentence for each.
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
        [
            "texts": texts.map { text in
                ["field": text.field, "before": text.before, "after": text.after].json
            }.json,
            "addedOptions": added.map { ["id": $0.id, "title": $0.title] }.json,
            "removedOptions": removed.json, "redacted": redacted.json,
        ]
    }
}

extension RuleReading {
    /// The rules that matched, and the verdict if they do not show it.
    package var verdictLines: [String] {
        var lines = steps.map(sentence)
        if case .passed = ending {
            let count = list.book.rules.count
            let cause =
                steps.isEmpty
                ? ": none of \(count) rule\(count == 1 ? "" : "s") matches\(nearest)" : ""
            lines.append("declines" + cause)
        }
        return lines
    }

    /// The first of the rules with the fewest conditions that do not match, and these conditions.
    private var nearest: String {
        let rules = list.book.rules.map { ($0, $0.match.mismatches(report, origin: origin)) }
        guard let (rule, names) = rules.min(by: { $0.1.count < $1.1.count }) else { return "" }
        let shown = names.map { $0 == "origin" ? "origin \"\(origin)\"" : $0.shown() }
        let title = list.title(of: rule)
        return "; \(title) comes nearest, and does not match: \(shown.joined(separator: ", "))"
    }

    package var verdictJSON: String {
        var object: [String: JSONValue] = [
            "file": list.file.json, "steps": steps.map(Self.json).json, "option": .null,
        ]
        let rule: Rule?
        switch ending {
        case .passed: (object["verdict"], rule) = ("declines", nil)
        case .withheld(let by): (object["verdict"], rule) = ("withholds", by)
        case .answered(let answer, let by):
            (object["verdict"], rule) = ("answers", by)
            object["option"] = answer.option.json
        case .routed(let name, let by):
            (object["verdict"], rule) = ("routes", by)
            object["route"] = name.json
        }
        object["rule"] = (rule?.position).json
        object["line"] = (rule?.line).json
        return String(decoding: JSONValue.object(object).encoded(), as: UTF8.self)
    }
}
