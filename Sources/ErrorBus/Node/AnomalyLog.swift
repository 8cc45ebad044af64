import Logging

/// The log and the counts of dropped messages: each at debug level, and faults of a peer as
/// warnings, at most one in ten seconds for each kind, since a peer can cause any number of them.
/// Of refused keys each has a warning of its own, up to a number, so that one peer does not hide
/// the key of another.
struct AnomalyLog: Sendable {
    private static let pause: UInt64 = 10_000
    /// The most warnings of a kind in that time, where each has to name its peer.
    static let namedMax = 8

    private struct Count {
        var total = 0
        var warnedAt: MonotonicTime?
        /// The details of the warnings since then, where each has to name its peer.
        var named: Set<String> = []
    }

    private var counts: [Anomaly.Kind: Count] = [:]

    /// The count of each kind so far.
    var totals: [String: Int] {
        Dictionary(counts.map { ($0.key.rawValue, $0.value.total) }) { first, _ in first }
    }

    mutating func note(
        _ anomaly: Anomaly, count more: Int = 1, at now: MonotonicTime, _ logger: Logger
    ) {
        var count = counts[anomaly.kind] ?? Count()
        count.total += more
        let isDue = count.warnedAt.map { now.since($0) >= Self.pause } ?? true
        if isDue { count.named = [] }
        let isNew =
            anomaly.kind.namesPeer && count.named.count < Self.namedMax
            && count.named.insert(anomaly.detail).inserted
        let warns = anomaly.kind.isFault && (isDue || isNew)
        if warns, isDue { count.warnedAt = now }
        counts[anomaly.kind] = count
        logger.log(
            level: warns ? .warning : .debug, "dropped",
            metadata: [
                "kind": "\(anomaly.kind)", "detail": "\(anomaly.detail)",
                "count": "\(count.total)",
            ])
    }
}

/// The log of the links that a node refuses: each kind once in ten seconds, with its count, since a
/// peer can cause any number of refusals.
struct RefusalLog: Sendable {
    private static let pause: UInt64 = 10_000

    private struct Count {
        var unlogged = 0
        var saidAt: MonotonicTime?
    }

    private var counts: [RejectCode: Count] = [:]

    /// - Parameter child: The child of the link, if known.
    mutating func note(
        _ reject: Message.Reject, of child: NodeName?, at now: MonotonicTime, _ logger: Logger
    ) {
        // A refusal of one presentation concerns its origin; malformed frames are logged as
        // dropped.
        guard reject.id == nil, [.notYours, .busy].contains(reject.code) else { return }
        var count = counts[reject.code] ?? Count()
        count.unlogged += 1
        defer { counts[reject.code] = count }
        guard count.saidAt.map({ now.since($0) >= Self.pause }) ?? true else { return }
        var details: Logger.Metadata = [
            "code": "\(reject.code.rawValue)", "reason": "\(reject.reason)",
            "times": "\(count.unlogged)",
        ]
        if let child { details["child"] = "\(child)" }
        logger.warning("link refused", metadata: details)
        count = Count(saidAt: now)
    }
}

/// The log of children that come and go: at most 60 lines in ten seconds, since a peer can come and
/// go any number of times, and without keys under any number of names. Then one line has the number
/// of lines left out.
struct ChildLog: Sendable {
    static let lineMax = 60
    private static let pause: UInt64 = 10_000

    private var began: MonotonicTime?
    private var count = 0

    /// The time of the line about the lines left out.
    var nextDue: MonotonicTime? {
        count > Self.lineMax ? began.map { $0 + Self.pause } : nil
    }

    mutating func note(_ line: ChildLine, at now: MonotonicTime, _ logger: Logger) {
        guard isLogged(at: now, logger) else { return }
        var details: Logger.Metadata = ["child": "\(line.child)"]
        details["reason"] = line.reason.map { "\($0)" }
        logger.info("\(line.message)", metadata: details)
    }

    /// Logs the number of lines left out, once their ten seconds are over.
    mutating func ticked(at now: MonotonicTime, _ logger: Logger) {
        guard let began, now.since(began) >= Self.pause else { return }
        let leftOut = count - Self.lineMax
        (self.began, count) = (nil, 0)
        guard leftOut > 0 else { return }
        logger.warning(
            "children come and go too often to log each", metadata: ["times": "\(leftOut)"])
    }

    private mutating func isLogged(at now: MonotonicTime, _ logger: Logger) -> Bool {
        ticked(at: now, logger)
        began = began ?? now
        count += 1
        return count <= Self.lineMax
    }
}
