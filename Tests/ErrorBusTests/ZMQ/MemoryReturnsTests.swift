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

    @Test("After a return for which threads wait long, a node in a flood does not return for long")
    func rest() {
        var returns = MemoryReturns()
        func time(_ milliseconds: UInt64) -> MonotonicTime {
            MonotonicTime(milliseconds: milliseconds)
        }
        #expect(returns.isRested(at: time(1_000)))
        returns.begins(at: time(1_000))
        #expect(!returns.isRested(at: time(1_005)))
        returns.ended(from: time(1_000), to: time(1_010))
        #expect(!returns.isRested(at: time(6_009)) && returns.isRested(at: time(6_010)))
        // At rest, memory is given back as ever.
        #expect(returns.pause(at: time(1_500)) == 500)
        returns.begins(at: time(2_000))
        returns.ended(from: time(2_000), to: time(2_300))
        #expect(!returns.isRested(at: time(12_299)) && returns.isRested(at: time(12_300)))
    }
}
