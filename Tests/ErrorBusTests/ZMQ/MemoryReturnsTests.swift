import Testing

@testable import ErrorBus
@testable import ErrorBusCore

struct MemoryReturnsTests {
    @Test("Memory that many bursts free is given back once a second, the last burst's as well")
    func bursts() {
        var returns = MemoryReturns()
        var due: UInt64?
        var begun: [UInt64] = []
        for time in UInt64(5_000)...9_000 {
            let now = MonotonicTime(milliseconds: time)
            if time <= 6_500, let pause = returns.pause(at: now) { due = time + pause }
            guard due == time else { continue }
            due = nil
            returns.begins(at: now)
            begun.append(time)
        }
        #expect(begun == [5_000, 6_000, 7_000])
    }
}
