import HeapModule

/// Due times, at most one for each key.
typealias DeadlineQueue<Key: Hashable & Sendable> = RankedQueue<Key, MonotonicTime>

/// Keys by their ranks, the lowest first, at most one rank for each key. Equal ranks come in the
/// order they were planned, so that equal machines act alike.
///
/// A heap in which a replaced plan stays behind as a stale item. When the stale items outnumber the
/// live ones, the heap is rebuilt.
struct RankedQueue<Key: Hashable & Sendable, Rank: Comparable & Sendable>: Sendable {
    private struct Item: Comparable {
        let rank: Rank
        let ticket: UInt64
        let key: Key

        static func < (left: Item, right: Item) -> Bool {
            (left.rank, left.ticket) < (right.rank, right.ticket)
        }

        static func == (left: Item, right: Item) -> Bool {
            (left.rank, left.ticket) == (right.rank, right.ticket)
        }
    }

    private struct Plan {
        let rank: Rank
        let ticket: UInt64
    }

    private var heap = Heap<Item>()
    private var plans: [Key: Plan] = [:]
    private var tickets: UInt64 = 0

    /// The lowest rank planned.
    var next: Rank? { heap.min?.rank }

    /// The number of keys with a rank.
    var count: Int { plans.count }

    /// The keys with a rank, in no order.
    var keys: [Key] { Array(plans.keys) }

    /// Whether a key has a rank.
    func contains(_ key: Key) -> Bool { plans[key] != nil }

    /// The number of items, stale ones included.
    var itemCount: Int { heap.count }

    /// Plans `key` at `rank`, replacing an earlier plan; nil removes it.
    mutating func plan(_ key: Key, at rank: Rank?) {
        guard let rank else {
            guard plans.removeValue(forKey: key) != nil else { return }
            return clean(after: key)
        }
        guard Self.replace(&plans[key], with: Plan(rank: rank, ticket: tickets + 1)) else { return }
        tickets += 1
        heap.insert(Item(rank: rank, ticket: tickets, key: key))
        clean(after: key)
    }

    /// Takes one look into the table. False if the rank is the same.
    private static func replace(_ plan: inout Plan?, with other: Plan) -> Bool {
        guard plan?.rank != other.rank else { return false }
        plan = other
        return true
    }

    /// Removes and returns the next key, if its rank is `most` or lower.
    mutating func pop(at most: Rank) -> Key? {
        guard let next, next <= most else { return nil }
        return popFirst()
    }

    /// Removes and returns the next key, whatever its rank.
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
        guard heap.count > plans.count else { return }
        while let first = heap.min, !isLive(first) { heap.removeMin() }
    }

    /// The same after a change of one plan: only its own item in front can have become stale.
    private mutating func clean(after key: Key) {
        if heap.count > 2 * plans.count + 64 || heap.min?.key == key { clean() }
    }

    private func isLive(_ item: Item) -> Bool { plans[item.key]?.ticket == item.ticket }
}
