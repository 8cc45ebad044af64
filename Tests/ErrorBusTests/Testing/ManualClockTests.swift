import ErrorBusTesting
import Testing

@Suite("A clock that tests move by hand")
struct ManualClockTests {
    @Test("It stands still until it is moved, and wakes the sleepers that are due")
    func advancing() async throws {
        let clock = ManualClock()
        let woken = Recorder<Int>()
        for seconds in [3, 1, 2] {
            Task {
                try await clock.sleep(for: .seconds(seconds))
                woken.record(seconds)
            }
        }
        var asked: [Duration] = []
        for _ in 0..<3 { asked.append(try await clock.nextSleep()) }
        #expect(Set(asked) == [.seconds(1), .seconds(2), .seconds(3)])
        clock.advance(by: .milliseconds(999))
        #expect(clock.sleeperCount == 3)
        clock.advance(by: .milliseconds(1))
        #expect(try await woken.next() == 1)
        clock.advance(by: .seconds(60))
        #expect(Set([try await woken.next(), try await woken.next()]) == [2, 3])
        #expect(clock.sleeperCount == 0)
        #expect(clock.now.offset == .seconds(61))
    }

    @Test("A sleep that is over at once does not wait")
    func past() async throws {
        let clock = ManualClock()
        try await clock.sleep(for: .zero)
        try await clock.sleep(for: .seconds(-1))
        #expect(clock.sleeperCount == 0)
    }

    @Test("A cancelled sleep ends, before and after it began")
    func cancelled() async throws {
        let clock = ManualClock()
        let asleep = Task { try await clock.sleep(for: .seconds(1)) }
        _ = try await clock.nextSleep()
        asleep.cancel()
        await #expect(throws: CancellationError.self) { try await asleep.value }
        let before = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await before.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test("A recorder hands out each element once, in order, and releases a cancelled waiter")
    func recorder() async throws {
        let recorder = Recorder<Int>()
        recorder.record(1)
        recorder.record(2)
        #expect(try await recorder.next() == 1)
        #expect(try await recorder.next() == 2)
        let waiting = Task { try await recorder.next() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        recorder.record(3)
        #expect(try await recorder.next() == 3)
        #expect(recorder.elements == [1, 2, 3])
    }
}
