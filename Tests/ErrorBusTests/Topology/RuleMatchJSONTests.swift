import Testing

@testable import ErrorBus

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

    @Test(
        "An invalid part is named",
        arguments: [
            (#"{"domian": "x"}"#, "match.domian"), (#"{"code": "x"}"#, "match.code"),
            (#"{"domain": []}"#, "match.domain"), (#"{"domain": null}"#, "match.domain"),
            (#"{"severity": "loud"}"#, "match.severity"), (#"{"domain": "/(/"}"#, "match.domain"),
            (#""x""#, "match"), (#"{"domain": "${HOME}"}"#, "match.domain"),
        ])
    func unreadable(_ text: String, _ field: String) throws {
        let json = try JSONValue.parse(Array(text.utf8))
        let problem = #expect(throws: ConfigurationProblem.self) { try RuleMatch(json: json) }
        #expect(problem?.field.hasPrefix(field) == true)
    }
}
