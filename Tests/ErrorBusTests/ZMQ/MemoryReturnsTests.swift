import Testing

@testable import ErrorBus
@testable import ErrorBusCore

struct MemoryReturnsTests {
    /// The times at which returns begin that take so long each, for bursts until 16.5 s.
    private func begun(taking duration: UInt64) -> [UInt64] {
        var returns = MemoryReturns()
        var (due, end): (UInt64?, UInt64?)
        var begun: [UInt64] = []
        for time in UInt64(15_000)...40_000 {
            let now = MonotonicTime(milliseconds: time)
            if time == end, let begin = begun.last {
                due = returns.ended(from: MonotonicTime(milliseconds: begin), to: now)
                    .map { time + $0 }
                end = nil
            }
            if time <= 16_500, let pause = returns.asked(at: now) { due = time + pause }
            guard due == time else { continue }
            returns.begins()
            begun.append(time)
            (due, end) = (nil, time + duration)
        }
        return begun
    }

    @Test("Memory that many bursts free is given back once a second, the last burst's as well")
    func bursts() {
        #expect(begun(taking: 1) == [15_000, 16_001, 17_002])
    }

    @Test("A return for which all threads wait long comes again after a long pause")
    func long() {
        #expect(begun(taking: 10) == [15_000, 20_010])
    }
}
