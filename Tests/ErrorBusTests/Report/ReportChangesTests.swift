import Testing

@testable import ErrorBus
@testable import ErrorBusCore

struct ReportChangesTests {
    private var report = ErrorReport(
        domain: "d", code: 1, description: "broken", severity: .error,
        options: [.init(id: "retry", title: "Retry")], userInfo: ["token": "secret", "shard": 7])

    @Test("A node's changes are recorded by name, without the removed texts")
    mutating func noted() throws {
        let before = report
        report.description = "It is broken."
        report.severity = .critical
        report.userInfo["token"] = nil
        report.options = [.init(id: "skip", title: "Skip")]
        report.noteChanges(from: before, by: "relay")
        let again = report
        report.noteChanges(from: again, by: "central")
        let read = try ErrorReport(payload: report.payload())
        let change = try #require(read.changes.first)
        #expect(read.changes.count == 1)
        #expect(change.by == "relay")
        #expect(change.rewritten == ["description"])
        #expect(change.severityBefore == .error)
        #expect(change.addedOptions == ["skip"])
        #expect(change.removedOptions == ["retry"])
        #expect(change.redacted == ["token"])
        let text = String(decoding: report.payload(), as: UTF8.self)
        #expect(!text.contains("\"broken\""))
        #expect(!text.contains("secret"))
    }

    @Test("What was masked before is no change of a node that passes it on")
    mutating func maskedBefore() {
        report.userInfo["token"] = "***"
        let before = report
        report.noteChanges(from: before, by: "relay")
        #expect(report.changes.isEmpty)
        report.description = "It is broken."
        report.noteChanges(from: before, by: "relay")
        #expect(report.changes.map(\.rewritten) == [["description"]])
        #expect(report.changes.map(\.redacted) == [[]])
    }

    @Test("There are at most as many changes as hops, and invalid ones are skipped")
    mutating func limits() throws {
        for number in 0..<40 {
            let before = report
            report.description = "\(number)"
            report.noteChanges(from: before, by: "relay")
        }
        #expect(report.changes.count == 16)
        let before = report
        report.description = "last"
        report.noteChanges(from: before, by: "central")
        #expect(report.changes.count == 16)
        #expect(report.changes.last?.by == "central")
        let json = try JSONValue.parse(
            Array(
                #"""
                {"domain": "d", "description": "x",
                 "changes": [7, {"by": 1}, {"by": "n", "rewritten": "x", "redacted": [1, "k"]}]}
                """#.utf8))
        let read = try ErrorReport(json: json).changes
        #expect(read.map(\.by) == ["n"])
        #expect(read.first?.redacted == ["k"])
        #expect(read.first?.rewritten == [])
    }
}
