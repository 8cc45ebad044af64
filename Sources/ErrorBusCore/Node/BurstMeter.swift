/// Finds the end of a burst of presentations, when the memory that they took can go back to the
/// system. The C library keeps it otherwise, and a node's resident memory stays at its highest.
package struct BurstMeter: Sendable {
    /// Fewer are no burst: a return takes milliseconds to tenths of a second.
    static let least = 1_000
    /// In milliseconds. What has just ended still holds memory.
    static let pause: UInt64 = 1_000

    private var most = 0
    private var overSince: MonotonicTime?

    package init() {}

    /// Records how many presentations are held; true, once, a moment after half of the most has
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
