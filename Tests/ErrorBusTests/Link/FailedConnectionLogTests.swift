import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Peers can fail to connect as often as they like: a line in ten seconds says how often, and from
/// where.
@Suite struct FailedConnectionLogTests {
    private func at(_ milliseconds: UInt64) -> MonotonicTime {
        MonotonicTime(milliseconds: 5_000) + milliseconds
    }

    private func lines(_ found: [FailedConnections]) -> [String] {
        found.map { "\($0.cause.rawValue) \($0.count) \($0.detail.prefix { $0 != ":" })" }
    }

    @Test("The first at once, and after 10 s all that came since; each cause apart")
    func pauses() {
        var log = FailedConnectionLog()
        log.note(FailedConnections(.noKeys, from: "a"))
        #expect(lines(log.ticked(at: at(0))) == ["noKeys 1 from a"])
        for peer in ["b", "a", "b"] {
            log.note(FailedConnections(.noKeys, from: peer))
            #expect(log.ticked(at: at(9_999)).isEmpty)
        }
        #expect(log.nextDue == at(10_000))
        log.note(FailedConnections(.silent, from: "c"))
        #expect(
            lines(log.ticked(at: at(10_000))) == ["noKeys 3 from b, a", "silent 1 from c"])
        #expect(log.nextDue == nil)
        #expect(log.ticked(at: at(60_000)).isEmpty)
        #expect(log.totals == ["noKeys": 4, "silent": 1])
    }

    @Test("What leaves early, as a health check does, has a line in ten minutes")
    func leftEarly() {
        var log = FailedConnectionLog()
        for time in 0..<600 {
            log.note(FailedConnections(.leftEarly, from: "a"))
            #expect(log.ticked(at: at(UInt64(time) * 1_000)).count == (time == 0 ? 1 : 0))
        }
        #expect(lines(log.ticked(at: at(600_000))) == ["leftEarly 599 from a"])
    }

    @Test("Four peers are named, and whether there are more, or some are not known")
    func peers() {
        var log = FailedConnectionLog()
        for number in 1...10_000 {
            log.note(FailedConnections(.notZMTP, from: number == 2 ? nil : "\(number)"))
        }
        #expect(
            lines(log.ticked(at: at(0))) == [
                "notZMTP 10000 some of them from 1, 3, 4, 5 and others"
            ])
        log.note(FailedConnections(.notZMTP, from: nil))
        #expect(
            lines(log.ticked(at: at(10_000))) == [
                "notZMTP 1 from addresses that could not be read in time"
            ])
    }

    @Test("Each cause says what to do")
    func remedies() {
        for cause in FailedConnections.Cause.allCases {
            let detail = FailedConnections(cause, from: "a").detail
            #expect(detail.contains("; ") && detail.count < NodeStatus.textScalarMax)
        }
    }
}
