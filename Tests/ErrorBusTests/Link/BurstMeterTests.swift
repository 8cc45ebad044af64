import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct BurstMeterTests {
    private let start: MonotonicTime = 5_000

    /// Whether it says that a burst is over, for counts at times in milliseconds.
    private func ends(_ steps: [(count: Int, time: UInt64)]) -> [Bool] {
        var meter = BurstMeter()
        return steps.map { meter.isOver(holding: $0.count, at: start + $0.time) }
    }

    @Test("A burst is over once, a second after half of it has ended")
    func over() {
        let ends = ends([
            (9_000, 0), (6_000, 1), (4_000, 2), (3_900, 1_001), (3_800, 1_002), (3_800, 9_000),
        ])
        #expect(ends == [false, false, false, false, true, false])
    }

    @Test("What comes again meanwhile is no end, and a few are no burst")
    func again() {
        let ends = ends([
            (9_000, 0), (10, 1), (8_000, 500), (10, 1_100), (10, 2_100), (999, 3_000), (0, 3_001),
            (0, 5_000),
        ])
        #expect(ends == [false, false, false, false, true, false, false, false])
    }

    @Test("It says when to look again")
    func due() {
        var meter = BurstMeter()
        let steps: [(Int, UInt64, UInt64?)] = [
            (9_000, 0, nil), (10, 1, 1_001), (10, 2, 1_001), (10, 1_001, nil),
        ]
        for (count, time, due) in steps {
            _ = meter.isOver(holding: count, at: start + time)
            #expect(meter.nextDue == due.map { start + $0 })
        }
    }

    @Test("A table that was large gives its room back, and loses nothing")
    func shrinks() {
        var table = Dictionary(uniqueKeysWithValues: (0..<20_000).map { ($0, $0) })
        for key in 100..<20_000 { table.removeAndShrink(key) }
        #expect(table.capacity < 4_096 * 2)
        #expect(table.count == 100 && (0..<100).allSatisfy { table[$0] == $0 })
    }
}
