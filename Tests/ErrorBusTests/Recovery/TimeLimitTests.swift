import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("Limits of time and first values")
struct TimeLimitTests {
    @Test("Within its limit the operation's value counts, and no timer is left")
    func inTime() async throws {
        let clock = ManualClock()
        let gate = Gate()
        async let value = withTimeLimit(.seconds(1), clock: clock) {
            await gate.wait()
            return 7
        }
        _ = try await clock.nextSleep()
        gate.open()
        #expect(await value == 7)
        while clock.sleeperCount > 0 { await Task.yield() }
    }

    @Test("Cancelling the caller cancels the operation, whose own end is waited for")
    func cancelled() async throws {
        let begun = Recorder<Void>()
        let task = Task {
            await withTimeLimit(.seconds(1), clock: ManualClock()) {
                begun.record(())
                _ = try? await Recorder<Never>().next()
                return "ended in its own way"
            }
        }
        try await begun.next()
        task.cancel()
        #expect(await task.value == "ended in its own way")
    }

    @Test("A caller cancelled before it begins gets an end too")
    func cancelledBefore() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await withTimeLimit(.seconds(1), clock: ManualClock()) { Task.isCancelled }
        }
        #expect(await task.value == true)
    }

    @Test("The limit ends the wait although the operation ignores it")
    func tooLate() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let task = Task { await withTimeLimit(.seconds(1), clock: clock) { await gate.wait() } }
        _ = try await clock.nextSleep()
        clock.advance(by: .milliseconds(999))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .milliseconds(1))
        #expect(await task.value == nil)
        gate.open()
    }

    @Test("One task waits for many limits, calls those that have passed, and ends with the last")
    func manyLimits() async throws {
        let clock = ManualClock()
        let limits = TimeLimits(clock)
        let passed = Recorder<Int>()
        let numbers = [600, 7, 9].map { seconds in
            limits.begin(.seconds(seconds)) { passed.record(seconds) }
        }
        #expect(try await clock.nextSleep() == .seconds(5))
        clock.advance(by: .seconds(5))
        #expect(try await clock.nextSleep() == .seconds(2))
        limits.withdraw(numbers[0])
        clock.advance(by: .seconds(2))
        #expect(try await passed.next() == 7)
        #expect(try await clock.nextSleep() == .seconds(2))
        clock.advance(by: .seconds(2))
        #expect(try await passed.next() == 9)
        #expect(limits.count == 0)
        // Another begins anew.
        _ = limits.begin(.seconds(5)) { passed.record(5) }
        #expect(try await clock.nextSleep() == .seconds(5))
        clock.advance(by: .seconds(5))
        #expect(try await passed.next() == 5)
    }

    /// An operation with a limit of ten minutes returns a token at once.
    private func returnInTime(_ freed: Recorder<Void>) async {
        // Its limit does not pass: no test waits for this clock.
        let clock: ContinuousClock = .continuous
        _ = await withTimeLimit(.seconds(600), clock: clock) { LifeToken(freed) }
    }

    @Test("A limit that is kept leaves nothing of its operation", .timeLimit(.minutes(10)))
    func kept() async throws {
        let freed = Recorder<Void>()
        await returnInTime(freed)
        // A limit that was left would keep the value until its ten minutes are over.
        try await freed.next()
    }

    @Test("Of many offers exactly one is first, and the waiter gets it")
    func firstOfMany() async {
        for _ in 0..<50 {
            let first = FirstValue<Int>()
            let winners = Recorder<Int>()
            async let value = first.value
            await withTaskGroup { group in
                for number in 0..<8 {
                    group.addTask { if first.offer(number) { winners.record(number) } }
                }
            }
            #expect(winners.elements == [await value])
        }
    }
}
