import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Messages about a presentation that is presented again while it waits.
struct NotifyReturnTests {
    @Test("With another report of its group, as over another relay, no message is sent")
    func sameGroup() throws {
        var rig = NotifyRig([NotifyRig.hook(on: [.opened, .ended], digest: .zero)])
        var report = NotifyRig.report()
        let id = rig.open(report)
        #expect(rig.sent() == ["opened 1 broken, 1 open"])
        report.userInfo = ["relay": "other"]
        try rig.present(id, report)
        #expect(rig.sent().isEmpty)
    }

    @Test("With a report of another group it leaves its group for that one")
    func otherReport() throws {
        var rig = NotifyRig([NotifyRig.hook(on: [.opened, .ended, .aging], digest: .zero)])
        let report = NotifyRig.report("before")
        let id = rig.open(report)
        #expect(rig.sent() == ["opened 1 before, 1 open"])
        try rig.present(id, report)
        #expect(rig.sent().isEmpty)
        rig.pass(.seconds(200))
        try rig.present(id, NotifyRig.report("after"))
        #expect(rig.sent() == ["ended 1 before, 0 open", "opened 1 after, 1 open"])
        #expect(rig.pass(.seconds(298)).isEmpty)
        #expect(rig.pass(.seconds(2)).map(\.outline) == ["aging 1 after"])
        _ = try rig.act { inbox, now throws(InboxRefusal) in
            inbox.closed(id, .withdrawn, at: now)
        }
        #expect(rig.sent() == ["ended 1 after, 0 open"])
        // Another one of the former group is alone in it.
        rig.open(report)
        #expect(rig.sent() == ["opened 1 before, 1 open"])
    }

    @Test("With a report that the hook does not get it ends for the hook, until it has another one")
    func noMatch() throws {
        let match = try RuleMatch(json: ["domain": "d"])
        var rig = NotifyRig([
            NotifyRig.hook(on: [.opened, .ended, .aging], digest: .zero) { $0.match = match }
        ])
        let id = rig.open()
        #expect(rig.sent() == ["opened 1 broken, 1 open"])
        var other = NotifyRig.report()
        other.domain = "e"
        try rig.present(id, other)
        #expect(rig.sent() == ["ended 1 broken, 0 open"])
        #expect(rig.pass(.seconds(3_600)).isEmpty)
        try rig.present(id, NotifyRig.report())
        #expect(rig.sent() == ["opened 1 broken, 1 open"])
        #expect(rig.pass(.seconds(300)).map(\.outline) == ["aging 1 broken"])
    }
}

extension NotifyRig {
    fileprivate mutating func present(
        _ id: PresentationID, _ report: ErrorReport
    ) throws(InboxRefusal) {
        _ = try act { inbox, now throws(InboxRefusal) in
            inbox.opened(
                InboxPresentation(id: id, report: report, origin: "worker"), at: now)
        }
    }

    /// The messages of a second, each with the number of open presentations in its group.
    fileprivate mutating func sent() -> [String] {
        pass(.seconds(1)).map { message in
            guard case .notice(let notice) = message.content else { return message.outline }
            return "\(message.outline), \(notice.openCount) open"
        }.sorted()
    }
}
