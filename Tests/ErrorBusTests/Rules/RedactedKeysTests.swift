import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("Keys that a rule redacts")
struct RedactedKeysTests {
    private var report: ErrorReport {
        var report = ErrorReport(
            domain: "d", description: "It failed.",
            userInfo: ["token": .string("x"), "socket": .string("y")])
        report.undescribed = ["token", "socket"]
        return report
    }

    @Test("A redacted key is also gone from the list of undescribed values, in causes as well")
    func undescribed() {
        var redacted = report
        redacted.underlyingErrors = [report]
        redacted.redact(["token"])
        #expect(redacted.undescribed == ["socket"])
        #expect(redacted.underlyingErrors.map(\.undescribed) == [["socket"]])
        #expect(redacted.userInfo == ["socket": .string("y")])
    }
}
