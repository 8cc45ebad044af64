import ErrorBusTesting
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// What one message says of several presentations.
struct NoticeTests {
    /// An item whose report is changed.
    private func item(_ change: (inout ErrorReport) -> Void) -> InboxItem {
        var report = NotifyRig.report()
        change(&report)
        return AnswerLinkRig.item(report)
    }

    private func notice(
        _ severities: [Severity], of event: HookSettings.Event = .opened
    ) throws -> Notice {
        let items = severities.map { severity in item { $0.severity = severity } }
        var notice = Notice(event, try #require(items.first))
        for item in items.dropFirst() { notice.add(item) }
        return notice
    }

    @Test("The severity of several is the highest of them, wherever it comes")
    func severity() throws {
        #expect(try notice([.error, .critical, .info]).severity == .critical)
        #expect(try notice([.critical, .info]).severity == .critical)
        #expect(try notice([.info, .error]).severity == .error)
    }

    @Test("ntfy rings for what waits for people, by its severity, and not for the rest")
    func priority() throws {
        let writer = NotifyWriter(node: "central", url: "https://console.example")
        var hook = HookSettings(
            name: "phone", url: HookURL(host: "h", port: 80, path: "/hooks/topic"))
        hook.body = .ntfy
        func priority(_ event: HookSettings.Event, _ severity: Severity) throws -> JSONValue? {
            let message = NotifyMessage(
                id: "1", content: .notice(try notice([severity], of: event)),
                madeAt: ManualTime().now)
            return writer.json(message, for: hook)["priority"]
        }
        for event in [HookSettings.Event.opened, .aging, .proposed] {
            #expect(try priority(event, .critical) == 5)
            #expect(try priority(event, .error) == 4)
            #expect(try priority(event, .warning) == 3)
        }
        #expect(try priority(.answered, .critical) == 2)
    }

    @Test("So many different texts have counts, the others only their number")
    func texts() {
        var notice = Notice(.opened, item { $0.description = "text 1" })
        for number in 2...Notice.textMax + 2 {
            notice.add(item { $0.description = "text \(number)" })
        }
        notice.add(item { $0.description = "text 1" })
        #expect(notice.texts.counts.count == Notice.textMax)
        #expect(notice.texts.counts["text 1"] == 2)
        #expect(notice.texts.others == 2)
    }

    @Test("Of the reason of a failure the last lines are sent")
    func reason() throws {
        let lines = (1...40).map { "line \($0) of a long output" }
        let notice = Notice(.opened, item { $0.failureReason = lines.joined(separator: "\n") })
        let reason = try #require(notice.reasons.counts.keys.first)
        #expect(reason.hasSuffix("\n" + lines[39]))
        #expect(!reason.contains(lines[0]))
    }
}
