import Logging
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct ParentLogTests {
    private let start = MonotonicTime(milliseconds: 5_000)

    private func at(_ seconds: UInt64) -> MonotonicTime { start + seconds * 1_000 }

    @Test("a node without a parent says so after 60 s with the reason, and every 10 min")
    func missing() {
        var log = ParentLog(times: LinkTimes())
        log.started(at: start)
        #expect(log.nextDue == at(60))
        #expect(log.ticked(at: start + 59_999, tried: "x") == nil)
        let line = log.ticked(at: at(60), tried: "tried tcp://h:1: no connection")
        #expect(line?.level == .warning)
        #expect(line?.text == "no parent for 60 s")
        #expect(line?.details == ["reason": "tried tcp://h:1: no connection"])
        #expect(log.ticked(at: at(659), tried: "x") == nil)
        #expect(log.ticked(at: at(660), tried: "x")?.text == "no parent for 660 s")
        #expect(log.up("central").level == .info)
        #expect(log.nextDue == nil)
        #expect(log.ticked(at: at(9_000), tried: "x") == nil)
    }

    @Test("a parent that is lost is named with the reason; the minute begins with the loss")
    func lost() {
        var log = ParentLog(times: LinkTimes())
        log.started(at: start)
        #expect(log.up("central").details == ["parent": "central"])
        let line = log.down("silent for 12000 ms", at: at(500))
        #expect(line.level == .info)
        #expect(line.text == "parent is lost")
        #expect(line.details == ["parent": "central", "reason": "silent for 12000 ms"])
        #expect(log.ticked(at: at(559), tried: "x") == nil)
        #expect(log.ticked(at: at(560), tried: "x")?.text == "no parent for 60 s")
    }

    @Test("a refusal is said with code and reason; the same again a minute later, with how often")
    func refused() {
        var log = ParentLog(times: LinkTimes())
        let held = Message.Reject(.notYours, "relay is held by another live link")
        log.started(at: start)
        let line = log.refused(held, at: start)
        #expect(line?.level == .warning)
        #expect(
            line?.details == [
                "code": "403", "reason": "relay is held by another live link", "times": "1",
            ])
        for second in stride(from: UInt64(5), to: 60, by: 5) {
            #expect(log.refused(held, at: at(second)) == nil)
        }
        // Another one is said at once.
        #expect(log.refused(Message.Reject(.version, "EB2"), at: at(58)) != nil)
        #expect(log.refused(held, at: at(59))?.details["times"] == "1")
        #expect(log.refused(held, at: at(60)) == nil)
        #expect(log.refused(held, at: at(119))?.details["times"] == "2")
    }

    @Test("F29 a failed connection is said with its reason, the same again a minute later")
    func failed() {
        var log = ParentLog(times: LinkTimes())
        log.started(at: start)
        let line = log.failed("its key", at: start)
        #expect(line?.level == .notice && line?.text == "no link to the parent")
        #expect(line?.details == ["reason": "its key"])
        #expect(log.failed("its key", at: at(59)) == nil)
        #expect(log.failed("its host", at: at(59)) != nil)
        // The keys of two parents are tried by turns.
        #expect(log.failed("its key", at: at(59)) == nil)
        #expect(log.failed("its key", at: at(60)) != nil)
        _ = log.up("central")
        #expect(log.failed("its key", at: at(61)) != nil)
    }

    @Test("a node that was taken once is refused again")
    func refusedAgain() {
        var log = ParentLog(times: LinkTimes())
        let held = Message.Reject(.notYours, "held")
        #expect(log.refused(held, at: start) != nil)
        _ = log.up("central")
        #expect(log.refused(held, at: at(1)) != nil)
    }

    @Test("a parent without room is named once a minute, with the number of what waits")
    func crowded() {
        var log = ParentLog(times: LinkTimes())
        _ = log.up("central")
        #expect(log.crowded(1, at: start)?.details == ["parent": "central", "waiting": "1"])
        #expect(log.crowded(2, at: at(59)) == nil)
        #expect(log.crowded(3, at: at(60))?.details["waiting"] == "3")
    }

    @Test("a node that goes down says nothing more")
    func stopped() {
        var log = ParentLog(times: LinkTimes())
        log.started(at: start)
        log.stopped()
        #expect(log.nextDue == nil)
        #expect(log.ticked(at: at(60), tried: "x") == nil)
    }
}
