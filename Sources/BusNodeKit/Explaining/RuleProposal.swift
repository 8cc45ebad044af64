package import ErrorBus
import Foundation

/// A policy rule with the answer of a person, written as a policy file.
struct RuleProposal {
    /// The most `userInfo` fields that the rule compares, and the length of the longest.
    private static let fieldMax = 4
    private static let fieldScalarMax = 200
    /// The limit of a proposed rule: an answer that does not help is not repeated endlessly.
    private static let limit = IntensityLimit(3, per: .seconds(60))

    let view: RuleProposalView

    /// - Parameters:
    ///   - alike: Other presentations; the rule compares the facts of those with the same cause and
    ///     answer.
    ///   - node: The origin of the node's own errors.
    /// - Throws: When no rule can give that answer.
    init(
        _ example: PastPresentation, alike: [PastPresentation], of node: NodeName
    ) throws(ProposalRefusal) {
        guard let option = example.chosen else {
            let isPolicy = example.row.via == Answer.Via.policy.rawValue
            throw isPolicy
                ? ProposalRefusal.byPolicy(example.row.answeredBy) : .notChosen(example.end)
        }
        let group =
            [example]
            + alike.filter { past in
                past.row.id != example.row.id && past.row.cause == example.row.cause
                    && past.chosen == option && past.values == example.values
            }
        var view = RuleProposalView()
        view.option = option
        view.answers = group.count
        view.recovered = group.count { past in
            past.row.result == RecoveryResult.recovered.rawValue && past.row.failedAgain == nil
        }
        view.rule = Self.text(example, group, option, recovered: view.recovered)
        try Self.check(view.rule, on: example, of: node)
        self.view = view
    }

    private static func text(
        _ example: PastPresentation, _ group: [PastPresentation], _ option: String, recovered: Int
    ) -> String {
        let role = example.report.options.first { $0.id == option }?.role
        let answers = group.count == 1 ? "1 answer" : "\(group.count) answers"
        var lines = ["rules:"]
        lines.append("  # As in \(answers) by people\(success(recovered, of: role)).")
        if role == .destructive {
            lines.append("  # The option is destructive: a rule asks no person first.")
        }
        if let note = example.row.notes?.last {
            lines.append("  # \(note.by.shown()): \(note.text.shown())")
        }
        lines += ["  - match:"] + conditions(example.report, group).map { "      \($0): \($1)" }
        lines += ["    answer:", "      option: \(YAMLText.scalar(option))"]
        if group.contains(where: { $0.origin.flatMap(ClientName.beginning) != nil }) {
            lines += [
                "      # For each origin. A command without --name has one of its own: this limits",
                "      # how often each is answered, not how many commands are answered.",
            ]
        }
        lines.append("      limit: \(limit.text)")
        let values = example.values.sorted { $0.key < $1.key }
        if !values.isEmpty { lines.append("      values:") }
        lines += values.map { "        \(YAMLText.scalar($0)): \(YAMLText.value($1))" }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The number of recoveries, in words. No recovery says nothing against an option that attempts
    /// none, and for an option without a role a report does not say whether it does.
    private static func success(_ recovered: Int, of role: ErrorReport.Option.Role?) -> String {
        switch role {
        case .cancel: ", whose option recovers nothing"
        case nil where recovered == 0: ": none recovered for good, or the option does not recover"
        case nil, .default, .destructive: ", of which \(recovered) recovered"
        }
    }

    /// The facts that all presentations have in common, as far as rules compare them.
    private static func conditions(
        _ report: ErrorReport, _ group: [PastPresentation]
    ) -> [(key: String, pattern: String)] {
        var conditions = [(key: "domain", pattern: YAMLText.pattern(report.domain))]
        if let code = report.code, group.allSatisfy({ $0.report.code == code }) {
            conditions.append((key: "code", pattern: String(code)))
        }
        if let origin = origin(of: group) { conditions.append((key: "origin", pattern: origin)) }
        let shared = report.userInfo.compactMapValues { line($0) }.filter { name, text in
            group.allSatisfy { $0.report.userInfo[name] == .string(text) }
        }
        conditions += shared.sorted { $0.key < $1.key }.prefix(fieldMax).map { name, text in
            (key: YAMLText.scalar("userInfo.\(name)"), pattern: YAMLText.pattern(text))
        }
        return conditions
    }

    /// A text that a rule compares well: one short line.
    private static func line(_ value: JSONValue) -> String? {
        guard case .string(let text) = value, !text.isEmpty, !text.contains(where: \.isNewline),
            text.unicodeScalars.count <= fieldScalarMax
        else { return nil }
        return text
    }

    /// The pattern of all origins; nil for one presentation, which shows no pattern, and for
    /// origins that begin differently.
    private static func origin(of group: [PastPresentation]) -> String? {
        let names = Set(group.map { $0.origin ?? .bare })
        guard group.count > 1, !names.contains(.bare), let first = names.first?.description
        else { return nil }
        if names.count == 1 {
            // The name of one process, which no other one has.
            let command = names.first.flatMap(ClientName.beginning)
            return command.map { YAMLText.quoted("\($0)*") } ?? YAMLText.pattern(first)
        }
        let beginning = names.reduce(first) { $0.commonPrefix(with: $1.description) }
        // Names of one sort have their numbers after a separator.
        guard let end = beginning.lastIndex(where: { "-._".contains($0) }) else { return nil }
        return YAMLText.quoted("\(beginning[...end])*")
    }

    /// The rule as a node would read and apply it.
    private static func check(
        _ text: String, on example: PastPresentation, of node: NodeName
    ) throws(ProposalRefusal) {
        let rules: [Rule]
        do throws(ConfigurationFailure) { rules = try PolicyText.rules(text) } catch {
            throw .unwritable(error.description)
        }
        let list = RuleList(
            name: "policy", file: PolicyText.name, book: RuleBook(rules, mode: .firstMatch))
        let reading = list.evaluate(
            example.report, origin: example.origin ?? node, date: Date())
        if case .answered = reading.ending { return }
        throw .declines(reading.verdictLines.joined(separator: "; "))
    }
}

/// The reason why no rule is made of a presentation.
enum ProposalRefusal: Error, CustomStringConvertible {
    /// No answer of a person ended the presentation.
    case notChosen(String)
    /// A policy answered the presentation.
    case byPolicy(String?)
    /// A rule would decline.
    case declines(String)
    /// The conditions have no valid form.
    case unwritable(String)

    var description: String {
        switch self {
        case .notChosen(let end): "found: \(end.shown()); \(Self.expected)"
        case .byPolicy(let name):
            "found: answered by \(name?.shown() ?? "a policy"), and by no person; \(Self.expected)"
        case .declines(let why): "no rule can give this answer: \(why)"
        case .unwritable(let why): "no rule can be written for it: \(why)"
        }
    }

    private static let expected = "expected: a presentation that a person has answered"
}

/// A proposed rule, as the console's reply.
package struct RuleProposalView: JSONObject, Sendable {
    /// The text of a policy file.
    package var rule = ""
    var option = ""
    /// The number of answers that the rule is made of.
    var answers = 0
    /// The number of these that recovered without another failure of the same operation.
    var recovered = 0
    /// The names of the files in which the node has policies before the console.
    var policies: [String] = []

    package init() {}

    /// The rule for a terminal: the same text, unless its sender may be no console.
    package var shownRule: String {
        rule.escapedForTerminal(keepingLines: Int.max, scalarLimit: PolicyText.byteCountMax)
    }

    package static let members: [JSONMember<RuleProposalView>] = [
        .init("rule", \.rule), .init("option", \.option), .init("answers", \.answers),
        .init("recovered", \.recovered), .init("policies", \.policies),
    ]
}

/// A policy file as text from another process.
enum PolicyText {
    /// The name of the file in messages.
    static let name = "rule"
    /// The longest text, and the most lists and mappings that it may open: each may be a level, and
    /// the parser must not exhaust its thread's stack.
    static let byteCountMax = 16 * 1024
    static let openingCountMax = 200
    /// The most values, each alias counted as the values that it stands for: a few lines of aliases
    /// would otherwise be thousands of rules to read, each with a problem to describe.
    static let valueCountMax = 2_000

    /// The rules. They have no variables: a sender must not read the environment of this process.
    static func rules(_ text: String) throws(ConfigurationFailure) -> [Rule] {
        try TopologyReader.readPolicy(name, environment: [:]) {
            path throws(ConfigurationFailure) in
            let bytes = Array(text.utf8)
            let openings = openingCount(bytes)
            guard bytes.count <= byteCountMax, openings <= openingCountMax else {
                let problem = ConfigurationProblem(
                    at: ConfigurationLocation(file: path, line: 1, column: 1), field: "",
                    found: "\(bytes.count) bytes with \(openings) lists and mappings",
                    allowed: "\(byteCountMax) bytes with \(openingCountMax)")
                throw .invalid([problem], warnings: [])
            }
            return try YAMLConfiguration.read(bytes, file: path, upTo: valueCountMax)
        }
    }

    /// The most lists and mappings of a text, apart from the ones that deeper lines open.
    private static func openingCount(_ bytes: [UInt8]) -> Int {
        bytes.indices.count { index in
            switch bytes[index] {
            case UInt8(ascii: "["), UInt8(ascii: "{"): true
            case UInt8(ascii: "-"), UInt8(ascii: "?"):
                index + 1 < bytes.count
                    && [UInt8(ascii: " "), UInt8(ascii: "\t")].contains(bytes[index + 1])
            default: false
            }
        }
    }
}

/// Texts in a policy file.
private enum YAMLText {
    /// The pattern that matches this text alone.
    static func pattern(_ text: String) -> String {
        literal(TextPattern.text(matching: text))
    }

    static func value(_ value: JSONValue) -> String {
        if case .string(let text) = value { return text.isEmpty ? "\"\"" : literal(text) }
        return String(decoding: value.encoded(), as: UTF8.self)
    }

    /// A text in which no variable is expanded.
    private static func literal(_ text: String) -> String {
        scalar(text.replacing("${", with: "$${"))
    }

    /// A text as a scalar, quoted if it could mean something else.
    static func scalar(_ text: String) -> String {
        let isPlain = NodeName(text) != nil && text.first?.isLetter == true
        let isWord = ["true", "false", "null", "yes", "no", "on", "off"].contains(text.lowercased())
        return isPlain && !isWord ? text : quoted(text)
    }

    static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case " "..."~": String(scalar)
            default:
                scalar.properties.isAlphabetic && isShown(scalar)
                    ? String(scalar) : "\\U" + digits(of: scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }

    /// Whether a terminal shows the scalar as it is.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        String(scalar).escapedForTerminal() == String(scalar)
    }

    private static func digits(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
