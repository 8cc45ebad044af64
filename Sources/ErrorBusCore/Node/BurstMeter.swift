/// The meter that finds the end of a burst of presentations, when their memory can go back to the
/// system. Otherwise the C library keeps the memory, and a node's resident memory stays at its
/// highest.
package struct BurstMeter: Sendable {
    /// The least presentations of a burst: a return takes milliseconds to tenths of a second.
    static let least = 1_000
    /// The pause before a return, in milliseconds: presentations that have just ended still hold
    /// memory.
    static let pause: UInt64 = 1_000

    private var most = 0
    private var overSince: MonotonicTime?

    package init() {}

    /// When a burst is over, unless more comes; nil while none ends.
    package var nextDue: MonotonicTime? { overSince.map { $0 + Self.pause } }

    /// Records the number of held presentations; true, once, a moment after half of the most have
    /// ended.
    package mutating func isOver(holding count: Int, at now: MonotonicTime) -> Bool {
        most = max(most, count)
        guard most - count >= Self.least, count <= most / 2 else {
            overSince = nil
            return false
        }
        let since = overSince ?? now
        overSince = since
        guard now.since(since) >= Self.pause else { return false }
        (most, overSince) = (count, nil)
        return true
    }
}
