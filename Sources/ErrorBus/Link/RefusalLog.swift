import Logging

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
