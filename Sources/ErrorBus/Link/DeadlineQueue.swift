import HeapModule

/// Due times, at most one for each key. Equal times come in the order they were planned, so that
/// equal machines act alike.
///
/// A heap in which a replaced plan stays behind as a stale item. When the stale items outnumber the
/// live ones, the heap is rebuilt.
struct DeadlineQueue<Key: Hashable & Sendable>: Sendable {
    private struct Item: Comparable {
        let time: MonotonicTime
        let ticket: UInt64
        let key: Key

        static func < (left: Item, right: Item) -> Bool {
            (left.time, left.ticket) < (right.time, right.ticket)
        }

        static func == (left: Item, right: Item) -> Bool {
            (left.time, left.ticket) == (right.time, right.ticket)
        }
    }

    private struct Plan {
        let time: MonotonicTime
        let ticket: UInt64
    }

    private var heap = Heap<Item>()
    private var plans: [Key: Plan] = [:]
    private var tickets: UInt64 = 0

    /// The earliest time planned.
    var next: MonotonicTime? { heap.min?.time }

    /// The number of keys with a time.
    var count: Int { plans.count }

    /// The number of items, stale ones included.
    var itemCount: Int { heap.count }

    /// Plans `key` for `time`, replacing an earlier plan; nil removes it.
    mutating func plan(_ key: Key, at time: MonotonicTime?) {
        guard let time else {
            guard plans.removeValue(forKey: key) != nil else { return }
            return clean()
        }
        guard plans[key]?.time != time else { return }
        tickets += 1
        plans[key] = Plan(time: time, ticket: tickets)
        heap.insert(Item(time: time, ticket: tickets, key: key))
        clean()
    }

    /// Removes and returns the next key due at `now` or before.
    mutating func pop(at now: MonotonicTime) -> Key? {
        guard let next, next <= now else { return nil }
        return popFirst()
    }

    /// Removes and returns the next key, whenever it is due.
    mutating func popFirst() -> Key? {
        guard let item = heap.popMin() else { return nil }
        plans[item.key] = nil
        clean()
        return item.key
    }

    /// Keeps a live item in front, and the number of stale ones low.
    private mutating func clean() {
        if heap.count > 2 * plans.count + 64 {
            heap = Heap(heap.unordered.filter(isLive))
        }
        while let first = heap.min, !isLive(first) { heap.removeMin() }
    }

    private func isLive(_ item: Item) -> Bool { plans[item.key]?.ticket == item.ticket }
}
