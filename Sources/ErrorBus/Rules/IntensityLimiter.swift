import DequeModule

/// Counts uses in a sliding window, for each key: it stops a policy from answering "retry" to a
/// permanent failure endlessly (A38). Time is an argument.
struct IntensityLimiter: Hashable, Sendable {
    /// The unit of counting: one rule's answers to one sort of error from one origin.
    struct Key: Hashable, Sendable {
        let rule: Int
        let domain: String
        let code: Int?
        let origin: NodeName?
    }

    /// The most keys in one window; above it a use is refused, since domains come from other
    /// processes.
    static let keyCountMax = 1024

    private struct Uses: Hashable, Sendable {
        var times: Deque<ContinuousClock.Instant> = []
        var window: Duration
    }

    private var uses: [Key: Uses] = [:]

    /// Records a use and returns true, or returns false at the limit.
    mutating func permits(
        _ key: Key, within limit: IntensityLimit, at now: ContinuousClock.Instant
    ) -> Bool {
        if uses[key] == nil, uses.count >= Self.keyCountMax {
            uses = uses.filter { _, uses in
                uses.times.last.map { now - $0 < uses.window } ?? false
            }
            guard uses.count < Self.keyCountMax else { return false }
        }
        var entry = uses[key] ?? Uses(window: limit.window)
        entry.window = limit.window
        while let first = entry.times.first, now - first >= limit.window {
            entry.times.removeFirst()
        }
        let isPermitted = entry.times.count < limit.count
        if isPermitted { entry.times.append(now) }
        uses[key] = entry
        return isPermitted
    }
}

/// A number of times within a window, written `3 per 1m`.
package struct IntensityLimit: Hashable, Sendable, CustomStringConvertible {
    /// The largest count: every use within the window is kept.
    package static let countMax = 1000

    package let count: Int
    package let window: Duration

    package init(_ count: Int, per window: Duration) {
        precondition((1...Self.countMax).contains(count) && window > .zero)
        self.count = count
        self.window = window
    }

    package var description: String { "\(count) per \(window)" }
}
