import Logging
import Synchronization
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What peers can cause as often as they like is in the log once in ten seconds, with how often.
@Suite struct LinkLogsTests {
    private let lines = Lines()
    private var logger: Logger { Logger(label: "node") { _ in LinesHandler(lines: lines) } }

    private func at(_ milliseconds: UInt64) -> MonotonicTime {
        MonotonicTime(milliseconds: 5_000) + milliseconds
    }

    @Test("links refused for one reason: the first, and after 10 s how many since; others apart")
    func refusals() {
        var log = RefusalLog()
        let held = Message.Reject(.notYours, "held")
        for time in [0, 1, 9_999, 10_000] as [UInt64] {
            log.note(held, of: "a", at: at(time), logger)
        }
        log.note(Message.Reject(.busy, "full"), of: nil, at: at(10_000), logger)
        #expect(
            lines.all == [
                "warning link refused child=a code=403 reason=held times=1",
                "warning link refused child=a code=403 reason=held times=3",
                "warning link refused code=429 reason=full times=1",
            ])
    }

    @Test("the refusal of one presentation concerns its origin, and is no line about the link")
    func refusalOfOne() {
        var log = RefusalLog()
        for code in [RejectCode.notYours, .busy] {
            let refusal = Message.Reject(code, "no", id: PresentationID(1))
            log.note(refusal, of: "a", at: at(0), logger)
        }
        #expect(lines.all.isEmpty)
    }

    @Test("what makes no sense is a warning once in 10 s for each kind, and counted each time")
    func anomalies() {
        var log = AnomalyLog()
        let bad = Anomaly(kind: .malformed, detail: "x")
        for time in [0, 9_999, 10_000] as [UInt64] { log.note(bad, at: at(time), logger) }
        log.note(Anomaly(kind: .overflow, detail: "y"), count: 7, at: at(10_000), logger)
        log.note(Anomaly(kind: .late, detail: "z"), at: at(60_000), logger)
        #expect(
            lines.all == [
                "warning dropped count=1 detail=x kind=malformed",
                "debug dropped count=2 detail=x kind=malformed",
                "warning dropped count=3 detail=x kind=malformed",
                "warning dropped count=7 detail=y kind=overflow",
                "debug dropped count=1 detail=z kind=late",
            ])
        #expect(log.totals == ["malformed": 3, "overflow": 7, "late": 1])
    }

    @Test("F29 each refused key is a warning, once in 10 s, and no peer hides another's")
    func refusedKeys() {
        var log = AnomalyLog()
        func note(_ detail: String, _ time: UInt64) {
            log.note(Anomaly(kind: .unknownKey, detail: detail), count: 3, at: at(time), logger)
        }
        for time in 0..<20 { note("a", UInt64(time)) }
        note("b", 20)
        note("b", 21)
        #expect(lines.all.filter { $0.hasPrefix("warning") }.count == 2)
        for number in 0..<20 { note("\(number)", 22) }
        #expect(lines.all.filter { $0.hasPrefix("warning") }.count == AnomalyLog.namedMax)
        note("a", 10_000)
        #expect(lines.all.filter { $0.hasPrefix("warning") }.count == AnomalyLog.namedMax + 1)
        #expect(log.totals == ["unknownKey": 129])
    }

    @Test("children that come and go: 60 lines in 10 s, then how many were left out")
    func children() {
        var log = ChildLog()
        for number in 0..<50 {
            log.note(.up("a"), at: at(UInt64(number)), logger)
            log.note(.down("a", reason: "left"), at: at(UInt64(number)), logger)
        }
        #expect(lines.all.count == ChildLog.lineMax)
        #expect(log.nextDue == at(10_000))
        #expect(
            lines.all.prefix(2) == [
                "info child is up child=a", "info child is down child=a reason=left",
            ])
        log.ticked(at: at(9_999), logger)
        #expect(lines.all.count == ChildLog.lineMax)
        log.ticked(at: at(10_000), logger)
        #expect(log.nextDue == nil)
        log.ticked(at: at(20_000), logger)
        log.note(.up("b"), at: at(20_001), logger)
        #expect(
            lines.all.dropFirst(ChildLog.lineMax) == [
                "warning children come and go too often to log each times=40",
                "info child is up child=b",
            ])
    }

    private final class Lines: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }

        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    private struct LinesHandler: LogHandler {
        let lines: Lines
        var logLevel = Logger.Level.debug
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let details = (event.metadata ?? [:]).sorted { $0.key < $1.key }
                .map { " \($0.key)=\($0.value)" }
            lines.add("\(event.level) \(event.message)" + details.joined())
        }
    }
}
