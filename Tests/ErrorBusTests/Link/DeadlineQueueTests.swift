import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct DeadlineQueueTests {
    @Test("one time for each key, the last one planned; equal times in the order of planning")
    func order() {
        var queue = DeadlineQueue<Int>()
        queue.plan(1, at: 50)
        queue.plan(2, at: 30)
        queue.plan(3, at: 30)
        queue.plan(1, at: 10)
        queue.plan(2, at: nil)
        #expect(queue.contains(3) && !queue.contains(2))
        #expect(queue.next == 10)
        #expect(queue.pop(at: 9) == nil)
        #expect(queue.pop(at: 40) == 1)
        #expect(queue.next == 30)
        #expect(queue.popFirst() == 3)
        #expect(queue.next == nil)
        #expect(queue.count == 0)
    }

    @Test("plans that change all the time leave no heap of stale items")
    func bounded() {
        var queue = DeadlineQueue<Int>()
        for round in 0..<10_000 as Range<UInt64> {
            queue.plan(Int(round % 10), at: MonotonicTime(milliseconds: 1_000_000 - round))
            queue.plan(7, at: round % 2 == 0 ? 5 : 6)
        }
        #expect(queue.itemCount <= 2 * queue.count + 64)
    }

    @Test("the end of time is no overflow")
    func saturates() {
        #expect(MonotonicTime(milliseconds: .max) + 5 == MonotonicTime(milliseconds: .max))
    }
}
