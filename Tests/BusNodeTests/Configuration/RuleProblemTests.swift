import ErrorBus
import Testing

@Suite struct RuleProblemTests {
    private static let domainAllowed = "a text, a text with *, /regex/, or a list of them"

    @Test(
        "one rule",
        arguments: [
            (
                "withhold: true",
                ": found no match, "
                    + "allowed: match: with conditions, or match: {} for all"
            ),
            (
                "match: {}",
                ": found no action, "
                    + "allowed: withhold, rewrite, addOption, removeOption, answer, redact, "
                    + "maskSecrets, route"
            ),
            (
                "match: {}, withhold: false",
                ".withhold: found \"false\", "
                    + "allowed: true, or no withhold at all"
            ),
            (
                "match: {}, withhold: true, answer: x",
                ".withhold: found withhold beside other actions, allowed: withhold by itself"
            ),
            (
                "match: {}, withold: true",
                ".withold: found unknown key \"withold\", allowed: match, "
                    + "withhold, rewrite, addOption, removeOption, answer, redact, maskSecrets, "
                    + "route, during, "
                    + "dryRun; did you mean \"withhold\"?"
            ),
            (
                "match: { codee: 1 }, withhold: true",
                ".match.codee: found unknown key \"codee\", "
                    + "allowed: domain, code, severity, origin, userInfo; did you mean \"code\"?"
            ),
            (
                "match: { code: abc }, withhold: true",
                ".match.code: found \"abc\", "
                    + "allowed: a whole number, a number with *, /regex/, or a list of them"
            ),
            (
                "match: { severity: '>=eror' }, withhold: true",
                ".match.severity: found \">=eror\", "
                    + "allowed: debug, info, warning, error, critical, or >= before one of them; "
                    + "did you mean \"error\"?"
            ),
            (
                "match: { severity: '>=warn' }, withhold: true",
                ".match.severity: found \">=warn\", "
                    + "allowed: debug, info, warning, error, critical, or >= before one of them; "
                    + "did you mean \"warning\"?"
            ),
            (
                "match: { domain: [] }, withhold: true",
                ".match.domain: found a list, allowed: \(domainAllowed)"
            ),
            (
                "match: { domain: '/(/' }, withhold: true",
                ".match.domain: found \"/(/\", allowed: a ) for each ("
            ),
            (
                "match: { userInfo: { a: x }, userInfo.a: y }, withhold: true",
                ".match.userInfo.a: found the field a second time, allowed: each field once"
            ),
            (
                "match: {}, answer: { option: retry, limit: 3 for 1m }",
                ".answer.limit: "
                    + "found \"3 for 1m\", allowed: a limit such as 3 per 1m, 1 to 1000 times"
            ),
            (
                "match: {}, answer: { option: retry, limit: 1001 per 1m }",
                ".answer.limit: "
                    + "found \"1001 per 1m\", allowed: a limit such as 3 per 1m, 1 to 1000 times"
            ),
            (
                "match: {}, answer: { option: retry, limit: 0 per 1m }",
                ".answer.limit: "
                    + "found \"0 per 1m\", allowed: a limit such as 3 per 1m, 1 to 1000 times"
            ),
            (
                "match: {}, answer: { option: retry, limit: 3 per 0s }",
                ".answer.limit: "
                    + "found \"3 per 0s\", allowed: a limit such as 3 per 1m, 1 to 1000 times"
            ),
            (
                "match: {}, answer: { limit: 1 per 1m }",
                ".answer: found no option, allowed: option: ID"
            ),
            (
                "match: {}, answer: { option: retry, delay: 2 }",
                ".answer.delay: found \"2\", allowed: a duration such as 250ms, 30s, 10m, 1h or "
                    + "2d; a unit is missing, as in \"2s\""
            ),
            (
                "match: {}, answer: { option: retry, jitter: 61m }",
                ".answer.jitter: found \"61m\", allowed: at most 1h"
            ),
            (
                "match: {}, answer: { option: retry, dealy: 2s }",
                ".answer.dealy: found unknown key \"dealy\", "
                    + "allowed: option, values, comment, limit, delay, jitter; "
                    + "did you mean \"delay\"?"
            ),
            (
                "match: {}, withhold: true, dryRun: maybe",
                ".dryRun: found \"maybe\", allowed: true or false"
            ),
            (
                "match: {}, withhold: true, during: { days: mon-fri }",
                ".during: found no timeZone, "
                    + "allowed: timeZone: the name of a time zone, such as Europe/Berlin or UTC"
            ),
            (
                "match: {}, withhold: true, during: { timeZone: UTC }",
                ".during: found neither days nor hours, allowed: days, hours or both"
            ),
            (
                "match: {}, withhold: true, during: { days: mon-fry, timeZone: UTC }",
                ".during.days: found \"mon-fry\", allowed: days of mon, tue, wed, thu, fri, sat, "
                    + "sun, a range such as mon-fri, or a list of them"
            ),
            (
                "match: {}, withhold: true, during: { hours: 9-17, timeZone: UTC }",
                ".during.hours: found \"9-17\", "
                    + "allowed: hours such as 09:00-17:00 or 22:00-06:00, up to 24:00"
            ),
            (
                "match: {}, withhold: true, during: { hours: '09:00-24:01', timeZone: UTC }",
                ".during.hours: found \"09:00-24:01\", "
                    + "allowed: hours such as 09:00-17:00 or 22:00-06:00, up to 24:00"
            ),
            (
                "match: {}, withhold: true, during: { hours: '09:60-17:00', timeZone: UTC }",
                ".during.hours: found \"09:60-17:00\", "
                    + "allowed: hours such as 09:00-17:00 or 22:00-06:00, up to 24:00"
            ),
            (
                "match: {}, withhold: true, during: { days: sat, timeZone: Europe/Berlln }",
                ".during.timeZone: found \"Europe/Berlln\", "
                    + "allowed: the name of a time zone, such as Europe/Berlin or UTC; "
                    + "did you mean \"Europe/Berlin\"?"
            ),
            (
                "match: {}, addOption: { id: x, title: X }",
                ".addOption: found no run, "
                    + "allowed: run: [PROGRAM, ARGUMENT...], or role: cancel"
            ),
            (
                "match: {}, addOption: { id: x, title: X, role: defualt, run: [x] }",
                ".addOption.role: found \"defualt\", allowed: default, cancel, destructive; "
                    + "did you mean \"default\"?"
            ),
            (
                "match: {}, addOption: { id: x, title: X, run: [x], first: maybe }",
                ".addOption.first: found \"maybe\", allowed: true or false"
            ),
            (
                "match: {}, answer: { option: x, comment: [x] }",
                ".answer.comment: found a list, allowed: \(GivenValues.allowedComment)"
            ),
            (
                "match: {}, answer: { option: x, comment: "
                    + String(repeating: "x", count: ErrorReport.Limits.commentByteCount + 1) + " }",
                ".answer.comment: found \"" + String(repeating: "x", count: 79)
                    + "…\", allowed: \(GivenValues.allowedComment)"
            ),
            (
                "match: {}, answer: { option: x, values: [1] }",
                ".answer.values: found a list, allowed: a mapping of names and values"
            ),
            (
                "match: {}, answer: { option: x, values: { 1a: 1 } }",
                ".answer.values.1a: found the name \"1a\", "
                    + "allowed: 1 to 32 of A-Z a-z 0-9 _ -, a letter first"
            ),
            (
                "match: {}, answer: { option: x, values: { a: [1] } }",
                ".answer.values.a: found a list, allowed: a text, a number, true or false"
            ),
            (
                "match: {}, addOption: { id: x, title: X, run: [x], fields: { name: a } }",
                ".addOption.fields: found a mapping, allowed: a list of fields"
            ),
            (
                "match: {}, addOption: { id: x, title: X, run: [x], fields: "
                    + "[{ name: a, label: A, kind: date }] }",
                ".addOption.fields[0].kind: found \"date\", "
                    + "allowed: text, number, choice, boolean, secret"
            ),
            (
                "match: {}, addOption: { id: x, title: X, run: [x], fields: "
                    + "[{ name: a, label: A, kind: text, requierd: true }] }",
                ".addOption.fields[0].requierd: found unknown key \"requierd\", "
                    + "allowed: name, label, kind, required, default, minLength, maxLength, "
                    + "pattern, min, max, whole, choices; did you mean \"required\"?"
            ),
            (
                "match: {}, addOption: { id: x, title: X, run: [x], fields: "
                    + "[{ label: A, kind: text }] }",
                ".addOption.fields[0]: found name missing, allowed: a string"
            ),
            (
                "match: {}, addOption: { id: x, title: X, run: [x], fields: "
                    + "[{ name: a-b, label: A, kind: text }, "
                    + "{ name: a_b, label: A, kind: text }] }",
                ".addOption.fields[1]: found the name a_b beside a-b, "
                    + "allowed: names that differ also as environment variables "
                    + "(ERRORBUS_VALUE_A_B)"
            ),
            (
                "match: {}, rewrite: {}",
                ".rewrite: found an empty mapping, "
                    + "allowed: description, reason, suggestion, severity"
            ),
            (
                "match: {}, maskSecrets: false",
                ".maskSecrets: found \"false\", allowed: true, or no maskSecrets at all"
            ),
            (
                "match: {}, redact: []",
                ".redact: found a list, allowed: a userInfo key, or a list of them"
            ),
        ])
    func rule(rule: String, expected: String) {
        let yaml = """
            version: 1
            nodes:
              relay:
                presenters: [terminal]
                responders:
                  - { \(rule) }
            """
        #expect(TestTopology.problems(yaml) == ["t.yaml:6: nodes.relay.responders[0]\(expected)"])
    }

    /// The problems of a rule that adds an option, of the rule's parts alone.
    private func problems(adding option: String) -> [String] {
        let yaml = """
            version: 1
            nodes:
              relay:
                presenters: [terminal]
                responders:
                  - { match: {}, addOption: { id: x, run: [x], \(option) } }
            """
        return TestTopology.problems(yaml).map {
            $0.replacing("t.yaml:6: nodes.relay.responders[0].addOption", with: "")
        }
    }

    @Test("a title has as many characters as a report's, marks counted, and no more")
    func longTitle() {
        let most = ErrorReport.Limits.titleScalarCount / 2
        let title = String(repeating: "e\u{301}", count: most)
        #expect(problems(adding: "title: \(title)").isEmpty)
        let found = problems(adding: "title: \(title)e")
        #expect(found.count == 1)
        #expect(found.first?.hasSuffix("allowed: a text of at most 256 characters") == true)
    }

    @Test("an option has as many fields as a report's, and no more")
    func manyFields() {
        func fields(_ count: Int) -> String {
            let fields = (0..<count).map { "{ name: f\($0), label: F, kind: text }" }
            return "title: X, fields: [\(fields.joined(separator: ", "))]"
        }
        let most = ErrorReport.Limits.fieldCount
        #expect(problems(adding: fields(most)).isEmpty)
        #expect(
            problems(adding: fields(most + 1))
                == [".fields: found \(most + 1) fields, allowed: at most \(most)"])
    }

    @Test("the mistakes of an added option are reported together")
    func together() {
        let yaml = """
            version: 1
            nodes:
              relay:
                presenters: [terminal]
                responders:
                  - { match: {}, addOption: { id: a b, title: A, run: [x], signed: maybe } }
            """
        let option = "t.yaml:6: nodes.relay.responders[0].addOption"
        #expect(
            TestTopology.problems(yaml) == [
                "\(option).id: found \"a b\", allowed: an option id: \(NodeName.allowed)",
                "\(option).signed: found \"maybe\", allowed: true or false",
            ])
    }

    @Test("a retry without a limit or a pause is a warning")
    func endless() {
        func warnings(_ rule: String) -> [String] {
            TestTopology.warnings(
                """
                version: 1
                nodes:
                  alone:
                    presenters: [terminal]
                    responders:
                      - { match: {}, \(rule) }
                """)
        }
        #expect(
            warnings("answer: retry") == [
                "t.yaml:6: nodes.alone.responders[0].answer: warning: retry without limit or "
                    + "delay: what fails at once is repeated without a pause; add limit, as 3 per "
                    + "1m, or delay"
            ])
        for rule in [
            "answer: skip", "answer: retry, dryRun: true", "answer: { option: retry, delay: 1s }",
            "answer: { option: retry, limit: 3 per 1m }",
        ] {
            #expect(warnings(rule) == [])
        }
    }
}
