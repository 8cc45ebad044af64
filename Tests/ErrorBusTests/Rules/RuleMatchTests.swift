import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct RuleMatchTests {
    private var report: ErrorReport {
        ErrorReport(
            domain: "com.acme.auth", code: 401, description: "Log in again.", severity: .warning,
            userInfo: [
                "invoice": "INV-7".json, "count": .integer(3), "fatal": .bool(true),
                "list": .array([]), "none": .null,
            ])
    }

    private func match(_ change: (inout RuleMatch) throws -> Void) rethrows -> Bool {
        var match = RuleMatch()
        try change(&match)
        let isMatch = match.matches(report, origin: "worker-1")
        #expect(match.mismatches(report, origin: "worker-1").isEmpty == isMatch)
        return isMatch
    }

    @Test("the conditions that do not hold have their names in a rule")
    func mismatches() {
        let match = RuleMatch(
            domain: [.exact("com.acme.auth")], code: [.exact("500")], severity: [.error],
            origin: [.exact("worker-2")],
            userInfo: ["none": [.exact("x")], "a": [.exact("x")], "invoice": [.exact("INV-7")]])
        #expect(
            match.mismatches(report, origin: "worker-1")
                == ["code", "severity", "origin", "userInfo.a", "userInfo.none"])
    }

    @Test("no condition matches everything")
    func everything() {
        #expect(RuleMatch().matches(report, origin: nil))
    }

    @Test("A12 every condition must hold")
    func conditions() throws {
        #expect(try match { $0.domain = [try TextPattern("com.acme.*")] })
        #expect(try match { $0.code = [try TextPattern("403"), try TextPattern("4*")] })
        #expect(match { $0.severity = [.warning, .error] })
        #expect(match { $0.origin = [.exact("worker-1")] })
        #expect(!match { $0.severity = [.error] })
        #expect(!match { $0.origin = [.exact("worker-2")] })
        #expect(
            !match {
                $0.domain = [.exact("com.acme.auth")]
                $0.code = [.exact("500")]
            })
    }

    @Test(arguments: [
        ("invoice", "INV-*", true), ("invoice", "INV-8", false), ("count", "3", true),
        ("fatal", "true", true), ("fatal", "false", false), ("list", "*", false),
        ("none", "*", false), ("missing", "*", false),
    ])
    func userInfo(field: String, pattern: String, expected: Bool) throws {
        #expect(try match { $0.userInfo = [field: [try TextPattern(pattern)]] } == expected)
    }

    @Test("unknown values match no condition")
    func unknown() throws {
        let bare = ErrorReport(domain: "d", description: "x")
        let any = try TextPattern("*")
        #expect(!RuleMatch(code: [any]).matches(bare, origin: nil))
        #expect(!RuleMatch(origin: [any]).matches(bare, origin: nil))
    }

    @Test("a condition covers what has each of its parts, and nothing that lacks one")
    func covers() {
        let any = RuleMatch()
        let parts = [
            RuleMatch(domain: [.exact("d")]), RuleMatch(code: [.exact("1")]),
            RuleMatch(severity: [.error]), RuleMatch(origin: [.exact("w")]),
            RuleMatch(userInfo: ["key": [.exact("v")]]),
        ]
        for (index, part) in parts.enumerated() {
            #expect(any.covers(part) && !part.covers(any))
            let covered = parts.indices.filter { part.covers(parts[$0]) }
            #expect(covered == [index])
        }
        let grave = RuleMatch(severity: [.error, .critical])
        #expect(grave.covers(parts[2]) && !parts[2].covers(grave))
    }

    @Test("F25 each part costs its patterns' steps, for each character that is compared")
    func cost() throws {
        let pattern = [try TextPattern("a*")]
        let parts: [(match: RuleMatch, length: Int)] = [
            (RuleMatch(domain: pattern), 13), (RuleMatch(code: pattern), 3),
            (RuleMatch(origin: pattern), 8), (RuleMatch(userInfo: ["invoice": pattern]), 5),
        ]
        for (match, length) in parts {
            #expect(match.stepCount == 2)
            #expect(match.cost(of: report, origin: "worker-1") == 2 * (length + 1))
        }
    }

    @Test("rules ignore texts for people")
    func localizedText() throws {
        var translated = report
        translated.description = "Bitte neu anmelden."
        translated.options = [.init(id: "retry", title: "Erneut")]
        let match = RuleMatch(domain: [try TextPattern("*auth")], code: [.exact("401")])
        #expect(match.matches(report, origin: nil))
        #expect(match.matches(translated, origin: nil))
    }
}

extension String {
    fileprivate var json: JSONValue { .string(self) }
}
