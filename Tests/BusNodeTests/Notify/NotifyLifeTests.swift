import ErrorBusTesting
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Hooks at the beginning and at the end of a node's life, and after a loss.
struct NotifyLifeTests {
    @Test("After lost changes each open presentation of a group counts once")
    func openCountAfterLoss() throws {
        var rig = NotifyRig([NotifyRig.hook(on: [.ended], digest: .zero)])
        let id = rig.open()
        rig.open()
        rig.machine.restart(with: rig.openItems, missed: 1)
        #expect(rig.pass(.zero).map(\.outline) == ["summary 1"])
        _ = try rig.act { inbox, now throws(InboxRefusal) in
            inbox.closed(id, .withdrawn, at: now)
        }
        guard case .notice(let notice) = rig.pass(.zero).first?.content else {
            Issue.record("no message of the end")
            return
        }
        #expect(notice.openCount == 1)
    }

    @Test("What was summed up is sent when the node shuts down, above the rate too")
    func summaryAtShutdown() {
        var rig = NotifyRig([NotifyRig.hook(digest: .zero) { $0.perMinute = 1 }])
        for number in 0..<3 { rig.open(NotifyRig.report("\(number)")) }
        #expect(rig.pass(.zero).map(\.outline) == ["opened 1 0"])
        rig.machine.hurry(at: rig.time.now)
        #expect(!rig.machine.isDone)
        #expect(rig.pass(.zero).map(\.outline) == ["summary 2"])
        #expect(rig.machine.isDone)
    }

    @Test("A dead letter that waits to be sent again is one dead letter after the shutdown")
    func resentAtShutdown() throws {
        var rig = NotifyRig([NotifyRig.hook(digest: .zero) { $0.tries = 1 }])
        rig.open()
        rig.pass(.zero) { _ in "refused" }
        #expect(rig.machine.kept.map(\.number) == [1])
        try rig.machine.retry(1)
        rig.machine.hurry(at: rig.time.now)
        rig.machine.abandon(at: rig.time.now)
        #expect(rig.machine.kept.map(\.number) == [2])
    }

    @Test("Letters of the journal above the limit are counted and noted, the oldest are gone")
    func lettersAboveLimit() {
        let hook = NotifyRig.hook(digest: .zero) { $0.tries = 1 }
        var former = NotifyRig([hook])
        for number in 1...3 { former.open(NotifyRig.report("\(number)")) }
        former.pass(.seconds(10)) { _ in "refused" }
        var limits = NotifyLimits()
        limits.deadMax = 2
        var rig = NotifyRig([hook], limits: limits)
        rig.machine.restore(former.machine.dead)
        #expect(rig.machine.dead.map(\.number) == [2, 3])
        #expect(rig.machine.forgottenCount == 1)
        #expect(rig.machine.takeNotes() == [.forgotten(1)])
    }

    @Test("A presentation that comes with the claim of an earlier life is a new one")
    func claimedBefore() {
        var rig = NotifyRig([NotifyRig.hook(on: [.opened, .claimed], digest: .zero)])
        var item = AnswerLinkRig.item()
        item.stage = .claimed(by: "ann", until: rig.time.now + .seconds(60))
        rig.machine.changed(InboxChange(item: item, before: nil), at: rig.time.now)
        #expect(rig.pass(.zero).map(\.outline) == ["opened 1 broken"])
    }
}
