import HeapModule

/// Virtual time: a heap of what happens when. Nothing waits, nothing runs at once.
final class Scheduler {
    private struct Event: Comparable {
        let time: UInt64
        /// Events of one moment happen in the order they were planned in.
        let order: UInt64
        let action: () -> Void

        static func < (left: Event, right: Event) -> Bool {
            (left.time, left.order) < (right.time, right.order)
        }
        static func == (left: Event, right: Event) -> Bool { left.order == right.order }
    }

    private var heap = Heap<Event>()
    private var planned: UInt64 = 0
    /// Milliseconds since the simulation began.
    private(set) var now: UInt64 = 0
    private(set) var doneCount = 0
    /// Looks at the world after each event.
    var afterEach: () -> Void = {}

    /// Far more happened than any bus of this size has to do.
    var isRunaway: Bool { doneCount > 500_000 }

    func after(_ delay: UInt64, _ action: @escaping () -> Void) {
        planned += 1
        heap.insert(Event(time: now + delay, order: planned, action: action))
    }

    func run(until end: UInt64) {
        while let event = heap.min, event.time <= end, !isRunaway {
            heap.removeMin()
            doneCount += 1
            now = event.time
            event.action()
            afterEach()
        }
        now = end
    }
}
