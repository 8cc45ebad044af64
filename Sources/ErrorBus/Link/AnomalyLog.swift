import Logging

/// Something a peer sent that changes nothing: late, doubled, alien or malformed.
struct Anomaly: Hashable, Sendable {
    enum Kind: String, Sendable, CaseIterable {
        case wrongDirection, unknownID, notTheAsker, supersededLink, lostLink, duplicate, late
        case malformed
        case whileClosed
        /// More came than could be dealt with.
        case overflow

        /// The operator of the node should know: no race explains it.
        var isFault: Bool {
            switch self {
            case .wrongDirection, .notTheAsker, .malformed, .overflow: true
            case .unknownID, .supersededLink, .lostLink, .duplicate, .late, .whileClosed: false
            }
        }
    }

    let kind: Kind
    let detail: String
}

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

/// Says which links a node refuses: a peer can cause as many refusals as it likes, so each kind is
/// said once in ten seconds, with how many there were.
struct RefusalLog: Sendable {
    private static let pause: UInt64 = 10_000

    private struct Count {
        var untold = 0
        var saidAt: MonotonicTime?
    }

    private var counts: [RejectCode: Count] = [:]

    /// - Parameter child: The child whose link it is, where it has one.
    mutating func note(
        _ reject: Message.Reject, of child: NodeName?, at now: MonotonicTime, _ logger: Logger
    ) {
        // What concerns one presentation is its origin's matter; malformed frames are logged as
        // dropped.
        guard reject.id == nil, [.notYours, .busy].contains(reject.code) else { return }
        var count = counts[reject.code] ?? Count()
        count.untold += 1
        defer { counts[reject.code] = count }
        guard count.saidAt.map({ now.since($0) >= Self.pause }) ?? true else { return }
        var details: Logger.Metadata = [
            "code": "\(reject.code.rawValue)", "reason": "\(reject.reason)",
            "times": "\(count.untold)",
        ]
        if let child { details["child"] = "\(child)" }
        logger.warning("link refused", metadata: details)
        count = Count(saidAt: now)
    }
}
