import ErrorBusTesting
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Policy rules that are made of people's answers.
@Suite struct RuleProposalTests {
    private let start = ManualTime().now

    /// An answered presentation; without an option it was withdrawn.
    private func past(
        _ number: UInt64, origin: NodeName = "worker-1", option: String? = "retry",
        via: Answer.Via = .person, values: [String: JSONValue] = [:],
        result: RecoveryResult = .recovered,
        _ change: (inout ErrorReport) -> Void = { _ in }
    ) -> PastPresentation {
        var report = ErrorReport(
            domain: "com.acme.db", code: 40, description: "Deadlock",
            options: [.init(id: "retry", title: "Retry"), .init(id: "skip", title: "Skip")])
        change(&report)
        let id = PresentationID(UniqueID(high: 0, low: number))
        var item = InboxItem(
            InboxPresentation(id: id, report: report, origin: origin), group: 0, at: start,
            revision: number)
        item.stage = .closed(.withdrawn)
        if let option {
            let answer = Answer(option: option, by: "ann", via: via, values: values)
            item.stage = .settled(answer, result)
        }
        return PastPresentation(item)
    }

    private func refusal(_ past: PastPresentation) -> String {
        do throws(ProposalRefusal) {
            return try RuleProposal(past, alike: [], of: "central").view.rule
        } catch {
            return error.description
        }
    }

    @Test("A rule compares what those of one cause and answer have in common")
    func group() throws {
        let example = past(1) { $0.userInfo = ["host": "db*1", "pid": 7, "run": "a"] }
        let others = [
            example, past(2, origin: "worker-12") { $0.userInfo = ["host": "db*1", "run": "b"] },
            past(3, origin: "x", option: "skip"), past(4, origin: "x") { $0.code = 41 },
            past(5, origin: "x", via: .policy), past(6, origin: "x", option: nil),
        ]
        let view = try RuleProposal(example, alike: others, of: "central").view
        let expected = """
            rules:
              # As in 2 answers by people, of which 2 recovered.
              - match:
                  domain: com.acme.db
                  code: 40
                  origin: "worker-*"
                  userInfo.host: "db\\\\*1"
                answer:
                  option: retry
                  limit: 3 per 1m

            """
        #expect(view.rule == expected)
        #expect([view.answers, view.recovered] == [2, 2] && view.option == "retry")
    }

    @Test("A rule with a destructive option says so, however old its answer is")
    func destructive() throws {
        func rule(_ role: ErrorReport.Option.Role?) throws -> String {
            let example = past(1) { $0.options[0].role = role }
            return try RuleProposal(example, alike: [], of: "central").view.rule
        }
        let warning = "  # The option is destructive: a rule asks no person first.\n  - match:\n"
        #expect(try rule(.destructive).contains(warning))
        #expect(try !rule(nil).contains("destructive"))
    }

    @Test("One presentation shows no origin; two of one origin do, of different ones none")
    func origins() throws {
        func origin(_ names: NodeName...) throws -> [TextPattern]? {
            let group = names.enumerated().map { past(UInt64($0.offset), origin: $0.element) }
            let view = try RuleProposal(group[0], alike: group, of: "central").view
            return try PolicyText.rules(view.rule)[0].match.origin
        }
        #expect(try origin("worker-1") == nil)
        #expect(try origin("worker-1", "worker-1") == [.exact("worker-1")])
        #expect(try origin("a-1", "b-1") == nil)
        #expect(try origin("bare", "bare") == nil)
        // No other process has the name of that one.
        let command = [try TextPattern("exec-*")]
        #expect(try origin("exec-175-1f951j0", "exec-175-1f951j0") == command)
        #expect(try origin("exec-175-1f951j0", "exec-176-1f951j0") == command)
    }

    @Test("A rule made of commands with names of their own says what its limit does not limit")
    func ownNames() throws {
        func comment(_ origin: NodeName) throws -> Bool {
            let view = try RuleProposal(past(1, origin: origin), alike: [], of: "central").view
            return view.rule.contains("not how many commands are answered.\n      limit:")
        }
        #expect(try comment("exec-17519-1f951j0") && comment("client-present-7-0"))
        #expect(try !comment("cronjob") && !comment("exec-1") && !comment("worker-1-2"))
        let unique = try #require(ClientName.unique("client-exec", process: 17))
        #expect(ClientName.beginning(of: unique) == "client-exec-")
    }

    @Test("That none recovered is said with what it means; a cancel option has none to count")
    func notRecovered() throws {
        func sentence(
            _ role: ErrorReport.Option.Role?, _ result: RecoveryResult
        ) throws -> Substring? {
            let example = past(1, result: result) { $0.options[0].role = role }
            let rule = try RuleProposal(example, alike: [], of: "central").view.rule
            return rule.split(separator: "\n").dropFirst().first
        }
        let start = "  # As in 1 answer by people"
        #expect(try sentence(nil, .recovered) == "\(start), of which 1 recovered.")
        #expect(try sentence(.default, .failed) == "\(start), of which 0 recovered.")
        #expect(try sentence(.cancel, .failed) == "\(start), whose option recovers nothing.")
        #expect(
            try sentence(nil, .failed)
                == "\(start): none recovered for good, or the option does not recover.")
    }

    @Test(
        "Texts are compared as they are, whatever they mean in a policy",
        arguments: [
            "a*", "/x/", "/", "${HOME}", "$${A}", "true", "12", "a: b # c", "\u{E9}\"\\", "- z",
            "x\u{7}\u{2028}y", "C:\\temp\\*", "\u{115F}e\u{301}\u{5D0}",
        ])
    func literal(text: String) throws {
        let view = try RuleProposal(
            past(1) {
                $0.domain = text
                $0.userInfo = ["a b": .string(text)]
            }, alike: [], of: "central"
        ).view
        let match = try #require(try PolicyText.rules(view.rule).first).match
        #expect(match.domain == [.exact(text)], "\(view.rule)")
        #expect(view.shownRule == view.rule)
        // A text of two lines is no condition.
        let isLine = !text.contains(where: \.isNewline)
        #expect(match.userInfo["a b"] == (isLine ? [TextPattern.exact(text)] : nil))
    }

    @Test("What a console sends as a rule cannot act on a terminal")
    func terminal() {
        var view = RuleProposalView()
        view.rule = "rules:\n  - \u{1B}[2J\n"
        #expect(view.shownRule == "rules:\n  - \\u{1B}[2J\n")
        let trial = RuleTrialView(since: "\u{1B}", isCut: false, countMax: 1)
        #expect(trial.lines[0] == "0 of 0 presentations since \\u{1B} match")
    }

    @Test("The values of the answer are those of the rule")
    func values() throws {
        let fields = try [("path", "text"), ("count", "number"), ("force", "boolean")].map {
            try ErrorReport.Field(json: [
                "name": .string($0.0), "label": "x", "kind": .string($0.1),
            ])
        }
        let given: [String: JSONValue] = ["path": "/srv ${A}", "count": 3, "force": true]
        let example = past(1, values: given) { $0.options[0].fields = fields }
        let view = try RuleProposal(example, alike: [], of: "central").view
        #expect(try PolicyText.rules(view.rule).first?.answer?.given == given, "\(view.rule)")
    }

    @Test("Answers with other values say nothing for the rule")
    func otherValues() throws {
        let field = ErrorReport.Field.text("path", label: "Path")
        func past(_ number: UInt64, _ path: String, origin: NodeName) -> PastPresentation {
            self.past(number, origin: origin, values: ["path": .string(path)]) {
                $0.options[0].fields = [field]
            }
        }
        let example = past(1, "/a", origin: "worker-1")
        let alike = [
            example, past(2, "/b", origin: "x"), past(3, "/a", origin: "worker-2"),
        ]
        let view = try RuleProposal(example, alike: alike, of: "central").view
        #expect(view.answers == 2 && view.rule.contains("worker-*"), "\(view.rule)")
    }

    @Test("An answer that no rule can give makes none; the reason is the rule's own")
    func refused() throws {
        let pin = try ErrorReport.Field(json: [
            "name": "pin", "label": "PIN", "kind": "secret", "required": true,
        ])
        let people = "expected: a presentation that a person has answered"
        #expect(refusal(past(1, option: nil)) == "found: withdrawn; \(people)")
        let expired = Outcome.Reason.expired.words
        #expect(refusal(past(1, via: .expiry)) == "found: \(expired); \(people)")
        let noPerson = "found: answered by ann, and by no person"
        #expect(refusal(past(1, via: .policy)) == "\(noPerson); \(people)")
        #expect(refusal(past(1) { $0.options[0].needsTwoPeople = true }).contains("two people"))
        #expect(refusal(past(1) { $0.options[0].fields = [pin] }).contains("value of \"pin\""))
    }

    @Test("A policy of another process has no variables of this one, and no depth that harms")
    func foreign() {
        func problem(_ text: String) -> String {
            do throws(ConfigurationFailure) {
                return "\(try PolicyText.rules(text).count)"
            } catch {
                return error.description
            }
        }
        #expect(problem("rules: [{ match: {}, answer: '${HOME}' }]").contains("HOME is not set"))
        #expect(problem("rules:\n  - match: {}\n    anser: retry").hasPrefix("rule:3: rules[0]"))
        let deep = String(repeating: "- ", count: PolicyText.openingCountMax + 1) + "x"
        #expect(problem(deep).contains("lists and mappings"))
        let long = "# " + String(repeating: "x", count: PolicyText.byteCountMax)
        #expect(problem(long).contains("lists and mappings"))
        // One alias of a rule stands for all of its values.
        let rule = "&a { match: {}, when: { days: mon, timeZone: nowhere }, answer: retry }"
        let many = "rules: [\(rule)\(String(repeating: ",*a", count: 800))]"
        #expect(many.utf8.count < PolicyText.byteCountMax)
        let limit = PolicyText.valueCountMax
        #expect(problem(many).hasPrefix("rule:1: found more than \(limit) values"))
    }
}
