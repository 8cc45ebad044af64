import HeapModule

/// What is due when. An entry whose plans change is pushed again; whoever pops it compares the
/// time with the entry's own and lets a stale one go.
struct DeadlineQueue: Sendable {
    private struct Due: Comparable {
        let time: MonotonicTime
        let id: PresentationID

        static func < (left: Due, right: Due) -> Bool { left.time < right.time }
    }

    private var heap = Heap<Due>()

    var next: MonotonicTime? { heap.min?.time }

    mutating func push(_ id: PresentationID, at time: MonotonicTime) {
        heap.insert(Due(time: time, id: id))
    }

    /// The next one due at `now` or before.
    mutating func pop(at now: MonotonicTime) -> (id: PresentationID, time: MonotonicTime)? {
        guard let due = heap.min, due.time <= now else { return nil }
        heap.removeMin()
        return (due.id, due.time)
    }
}
