import DequeModule

/// The counts of uses in a sliding window, for each key: they stop a policy from answering "retry"
/// to a permanent failure endlessly (A38). Time is an argument.
package struct IntensityLimiter: Hashable, Sendable {
    /// The unit of counting: one rule's answers to one sort of error from one origin.
    struct Key: Hashable, Sendable {
        let rule: Int
        let domain: String
        let code: Int?
        let origin: NodeName?
    }

    /// Whether a use is permitted.
    package enum Use: Hashable, Sendable {
        case permitted, limitReached, tooManyCounted
    }

    /// The most keys in one window: as many as a node has open presentations. Above it the limiter
    /// refuses a use, since domains and origins come from other processes.
    static let keyCountMax = 16_384
    /// The most uses of all keys in their windows.
    static let useCountMax = 1 << 20

    private struct Uses: Hashable, Sendable {
        var times: Deque<ContinuousClock.Instant> = []
        var window: Duration
    }

    private var uses: [Key: Uses] = [:]
    private var useCount = 0
    private var cleanedAt: ContinuousClock.Instant?

    package init() {}

    /// Records an answer of a rule to a report, if the rule's limit permits it.
    package mutating func use(
        _ rule: Rule, on report: ErrorReport, from origin: NodeName, within limit: IntensityLimit,
        at now: ContinuousClock.Instant
    ) -> Use {
        use(key(rule, report, origin), within: limit, at: now)
    }

    /// Drops a use recorded at `time`: the rule did not give the answer.
    package mutating func takeBack(
        _ rule: Rule, on report: ErrorReport, from origin: NodeName,
        at time: ContinuousClock.Instant
    ) {
        takeBack(key(rule, report, origin), at: time)
    }

    private func key(_ rule: Rule, _ report: ErrorReport, _ origin: NodeName) -> Key {
        Key(rule: rule.position, domain: report.domain, code: report.code, origin: origin)
    }

    mutating func takeBack(_ key: Key, at time: ContinuousClock.Instant) {
        guard let index = uses[key]?.times.lastIndex(of: time) else { return }
        uses[key]?.times.remove(at: index)
        useCount -= 1
    }

    /// Records a use that is permitted.
    mutating func use(
        _ key: Key, within limit: IntensityLimit, at now: ContinuousClock.Instant
    ) -> Use {
        var isFull: Bool {
            useCount >= Self.useCountMax || uses[key] == nil && uses.count >= Self.keyCountMax
        }
        if isFull { clean(at: now) }
        guard !isFull else { return .tooManyCounted }
        var entry = uses[key] ?? Uses(window: limit.window)
        entry.window = limit.window
        while let first = entry.times.first, now - first >= limit.window {
            entry.times.removeFirst()
            useCount -= 1
        }
        let isPermitted = entry.times.count < limit.count
        if isPermitted {
            entry.times.append(now)
            useCount += 1
        }
        uses[key] = entry
        return isPermitted ? .permitted : .limitReached
    }

    /// Drops keys whose window has passed, once a second at most, since it looks at all keys.
    private mutating func clean(at now: ContinuousClock.Instant) {
        if let cleanedAt, now - cleanedAt < .seconds(1) { return }
        cleanedAt = now
        uses = uses.filter { _, uses in
            uses.times.last.map { now - $0 < uses.window } ?? false
        }
        useCount = uses.values.reduce(0) { $0 + $1.times.count }
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
