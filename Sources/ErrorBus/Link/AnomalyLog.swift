import Logging

/// Counts what is dropped, and says so: each at debug level, and faults of a peer as a warning,
/// but not more than one in ten seconds for each kind, since a peer can send as many as it likes.
struct AnomalyLog: Sendable {
    private static let pause: UInt64 = 10_000

    private struct Count {
        var total = 0
        var warnedAt: MonotonicTime?
    }

    private var counts: [Anomaly.Kind: Count] = [:]

    /// How many of each kind so far.
    var totals: [String: Int] {
        Dictionary(counts.map { ($0.key.rawValue, $0.value.total) }) { first, _ in first }
    }

    mutating func note(
        _ anomaly: Anomaly, count more: Int = 1, at now: MonotonicTime, _ logger: Logger
    ) {
        var count = counts[anomaly.kind] ?? Count()
        count.total += more
        let isDue = count.warnedAt.map { now.since($0) >= Self.pause } ?? true
        let warns = anomaly.kind.isFault && isDue
        if warns { count.warnedAt = now }
        counts[anomaly.kind] = count
        logger.log(
            level: warns ? .warning : .debug, "dropped",
            metadata: [
                "kind": "\(anomaly.kind)", "detail": "\(anomaly.detail)",
                "count": "\(count.total)",
            ])
    }
}
