import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

struct RuleMatchJSONTests {
    @Test("It has the form of a policy file's match")
    func same() throws {
        let match = try RuleMatch(json: [
            "domain": ["com.acme.*", "/^net/"], "code": 5, "severity": ">=error",
            "userInfo": ["shard": 7],
        ])
        var report = ErrorReport(domain: "com.acme.db", code: 5, description: "x")
        report.userInfo = ["shard": 7]
        #expect(match.matches(report, origin: nil))
        report.severity = .warning
        #expect(!match.matches(report, origin: nil))
    }

    @Test("A code is a number, however it is written", arguments: ["0401", "+401", "401"])
    func code(text: String) throws {
        let match = try RuleMatch(json: ["code": .string(text)])
        #expect(match.matches(ErrorReport(domain: "d", code: 401, description: "x"), origin: nil))
        #expect(!match.matches(ErrorReport(domain: "d", code: 41, description: "x"), origin: nil))
    }

    @Test("Variables stand for themselves: the text is a report's, not a file's")
    func literal() throws {
        let match = try RuleMatch(json: [
            "domain": "${HOME}", "userInfo": ["path": "$${A:-b}*", "open": "${"],
        ])
        var report = ErrorReport(domain: "${HOME}", description: "x")
        report.userInfo = ["path": "$${A:-b}/c", "open": "${"]
        #expect(match.matches(report, origin: nil))
        report.userInfo["path"] = "b/c"
        #expect(!match.matches(report, origin: nil))
    }

    @Test("F25 The patterns of one match have a limit together, of which exact texts take nothing")
    func costly() throws {
        let pattern = JSONValue.string("/" + String(repeating: "a", count: 199) + "/")
        let cost = try RuleMatch(json: ["domain": pattern]).stepCount
        #expect(cost == 200)
        let fitting = Array(repeating: pattern, count: RuleMatch.stepCountMax / cost)
        let texts = (0..<1_000).map { JSONValue.string("host-\($0)") }
        var match = try RuleMatch(json: ["domain": .array(fitting), "origin": .array(texts)])
        #expect(match.stepCount == RuleMatch.stepCountMax)
        let problem = #expect(throws: ConfigurationProblem.self) {
            try RuleMatch(json: ["domain": .array(fitting), "userInfo": ["log": "a*"]])
        }
        #expect(problem?.found.contains("4002 steps") == true, "\(problem?.found ?? "")")

        // Only what is compared costs, and of a text no more than is compared.
        match.userInfo["log"] = [try TextPattern("a*")]
        var report = ErrorReport(domain: "abc", description: "x")
        #expect(match.cost(of: report, origin: "host-1") == 4 * 4_000 + 2)
        report.userInfo["log"] = .string(String(repeating: "b", count: 100_000))
        #expect(match.cost(of: report, origin: nil) == 4 * 4_000 + 4_097 * 2)
    }

    @Test(
        "An invalid part is named",
        arguments: [
            (#"{"domian": "x"}"#, "match.domian"), (#"{"code": "x"}"#, "match.code"),
            (#"{"domain": []}"#, "match.domain"), (#"{"domain": null}"#, "match.domain"),
            (#"{"severity": "loud"}"#, "match.severity"), (#"{"domain": "/(/"}"#, "match.domain"),
            (#""x""#, "match"),
        ])
    func unreadable(_ text: String, _ field: String) throws {
        let json = try JSONValue.parse(Array(text.utf8))
        let problem = #expect(throws: ConfigurationProblem.self) { try RuleMatch(json: json) }
        #expect(problem?.field.hasPrefix(field) == true)
    }
}
