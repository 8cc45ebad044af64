import ErrorBus
import Foundation
import Testing

@testable import BusNodeKit

/// What policy files say about when and how slowly a rule answers.
@Suite struct RuleConditionTests {
    private func rules(_ text: String) throws -> [Rule] {
        try TopologyReader.readPolicy("p.yaml", environment: [:]) {
            (path) throws(ConfigurationFailure) in
            try YAMLConfiguration.read(Array(text.utf8), file: path)
        }
    }

    @Test("the problems of a policy file are in the order of its lines")
    func order() {
        let failure = #expect(throws: ConfigurationFailure.self) {
            try rules("rules:\n  - match: { severity: loud }\n    anser: retry")
        }
        guard case .invalid(let problems, _)? = failure else {
            Issue.record("no problems")
            return
        }
        #expect(problems.map(\.location.line) == [2, 3])
    }

    @Test("delay, jitter, dry run, schedule and the line of a rule")
    func whole() throws {
        let rules = try rules(
            """
            rules:
              - match: {}
                answer: { option: retry, comment: It ends., limit: 3 per 1m, delay: 2s, jitter: 1s }
                dryRun: true
              - match: {}
                answer: skip
                during: { days: [mon-wed, sat], hours: 09:00-17:30, timeZone: Europe/Berlin }
              - match: {}
                answer: abort
                during: { days: fri-mon, timeZone: UTC }
            """)
        #expect(rules.map(\.line) == [2, 5, 8])
        #expect(rules.map(\.isDryRun) == [true, false, false])
        #expect(
            rules[0].answer
                == RuleAnswer(
                    "retry", comment: "It ends.", limit: IntensityLimit(3, per: .seconds(60)),
                    delay: .seconds(2), jitter: .seconds(1)))
        let schedule = try #require(rules[1].schedule)
        #expect(schedule.description == "mon tue wed sat 09:00-17:30 Europe/Berlin")
        #expect(rules[2].schedule?.days == [.friday, .saturday, .sunday, .monday])
        #expect(rules[0].schedule == nil)
    }

    @Test("a rewritten report gets each text of the rule in its own place")
    func rewrite() throws {
        let rules = try rules(
            """
            rules:
              - match: {}
                rewrite: { description: It failed., reason: Why, suggestion: Try, severity: info }
              - match: {}
                rewrite: { suggestion: Wait }
            """)
        let whole = ReportRewrite(
            description: "It failed.", reason: "Why", suggestion: "Try", severity: .info)
        #expect(rules[0].actions == [.rewrite(whole)])
        #expect(rules[1].actions == [.rewrite(ReportRewrite(suggestion: "Wait"))])
    }

    @Test("a policy file by itself is refused with file, line and field")
    func refused() throws {
        for (text, expected) in [
            (
                "rules: [{ match: {}, route: \"a b\" }]",
                "p.yaml:1: rules[0].route: found \"a b\", allowed: a node name "
                    + "(\(NodeName.allowed)) or an endpoint"
            ),
            ("{}", "p.yaml:1: rules: found nothing, allowed: a list of rules"),
        ] {
            let error = #expect(throws: ConfigurationFailure.self) { try rules(text) }
            #expect(error?.description == expected)
        }
    }
}
