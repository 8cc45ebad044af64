import ErrorBusTesting
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// The messages of what is critical, in a storm of the rest.
struct NotifyUrgencyTests {
    private func report(_ description: String, _ severity: Severity) -> ErrorReport {
        var report = NotifyRig.report(description)
        report.severity = severity
        return report
    }

    @Test("Above the rate what is critical has messages of its own, as many again at most")
    func aboveRate() {
        var rig = NotifyRig([NotifyRig.hook(digest: .zero) { $0.perMinute = 3 }])
        for number in 0..<5 { rig.open(NotifyRig.report("\(number)")) }
        #expect(rig.pass(.seconds(1)).count == 3)
        for number in 0..<5 { rig.open(report("worst \(number)", .critical)) }
        #expect(
            rig.pass(.seconds(1)).map(\.outline) == (0..<3).map { "opened 1 worst \($0)" })
        // They do not hold up the summary of the rest.
        #expect(rig.pass(.seconds(58)).map(\.outline) == ["summary 4"])
        rig.pass(.seconds(60))
        rig.open(report("last", .critical))
        #expect(rig.pass(.seconds(1)).map(\.outline) == ["opened 1 last"])
    }

    @Test("What is critical goes on also with more groups than can be collected at a time")
    func aboveGroups() {
        var limits = NotifyLimits()
        limits.digestCountMax = 2
        var rig = NotifyRig([NotifyRig.hook { $0.perMinute = 4 }], limits: limits)
        for number in 0..<3 { rig.open(NotifyRig.report("\(number)")) }
        for number in 0..<9 { rig.open(report("worst \(number)", .critical)) }
        // At once, as many as the rate again; the rest is summed up with what is not critical.
        let messages = rig.pass(.seconds(1)).map(\.outline)
        #expect(messages == (0..<4).map { "opened 1 worst \($0)" } + ["summary 6"])
        #expect(rig.pass(.seconds(10)).map(\.outline) == ["opened 1 0", "opened 1 1"])
    }

    @Test("A storm of critical ones does not keep back the summary of the rest")
    func longStorm() {
        var rig = NotifyRig([NotifyRig.hook(digest: .zero) { $0.perMinute = 2 }])
        var outlines: [String] = []
        for number in 0..<170 {
            rig.open(report("\(number)", number % 2 == 0 ? .critical : .error))
            outlines += rig.pass(.seconds(1)).map(\.outline)
        }
        #expect(outlines.filter { $0.hasPrefix("summary") }.count >= 3, "\(outlines)")
        #expect(outlines.count <= 3 * 2 * 2, "\(outlines)")
    }

    @Test("Claims, answers and ends of what is critical are summed up as the rest is")
    func notCalling() throws {
        var rig = NotifyRig([NotifyRig.hook(on: [.ended], digest: .zero) { $0.perMinute = 1 }])
        for number in 0..<3 {
            let id = rig.open(report("\(number)", .critical))
            _ = try rig.act { inbox, now throws(InboxRefusal) in
                inbox.closed(id, .withdrawn, at: now)
            }
        }
        #expect(rig.pass(.seconds(59)).count == 1)
        guard case .summary(let summary) = rig.pass(.seconds(1)).first?.content else {
            Issue.record("no summary")
            return
        }
        #expect(summary.count == 2 && summary.severity == nil)
    }

    @Test("A summary names the highest severity that calls people, and rings by it")
    func summary() throws {
        let writer = NotifyWriter(node: "central", url: "https://console.example")
        var hook = NotifyRig.hook(digest: .zero) { $0.perMinute = 1 }
        hook.body = .ntfy
        let cases: [(Severity, JSONValue)] = [(.debug, 3), (.error, 4), (.critical, 5)]
        for (severity, priority) in cases {
            var rig = NotifyRig([hook])
            for number in 0..<9 { rig.open(report("\(number)", severity)) }
            rig.open(report("a detail", .debug))
            rig.pass(.seconds(59))
            let message = try #require(rig.pass(.seconds(1)).first)
            let sent = writer.json(message, for: hook)
            #expect(message.event == "summary" && sent["priority"] == priority)
            #expect(sent["title"]?.stringValue?.hasSuffix(", the gravest \(severity)") == true)
        }
    }

    @Test("A higher severity in a group that goes on does not wait for the doubled time")
    func graver() {
        var rig = NotifyRig([NotifyRig.hook()])
        func open(_ severity: Severity) {
            var report = self.report("storm", severity)
            report.coalesceKey = "storm"
            rig.open(report)
        }
        for _ in 0..<100 {
            open(.warning)
            rig.pass(.seconds(1))
        }
        // The next one is due 55 s later.
        open(.critical)
        #expect(rig.pass(.seconds(4)).isEmpty)
        guard case .notice(let notice) = rig.pass(.seconds(1)).first?.content else {
            Issue.record("no message")
            return
        }
        #expect(notice.severity == .critical && notice.count == 26)
        // Once for each severity: another one is collected as before.
        open(.critical)
        #expect(rig.pass(.seconds(60)).isEmpty)
    }
}
