import Logging

/// The log lines about a node's parents: up, lost, refusing, or missing for a minute. Pure: time
/// comes in, lines go out.
///
/// Events that resolve themselves are `info`, events that may need a person `warning`. The keys are
/// those of docs/operations.md.
struct ParentLog: Sendable {
    struct Line: Hashable, Sendable {
        let level: Logger.Level
        let text: String
        let details: [String: String]

        func write(to logger: Logger) {
            logger.log(
                level: level, "\(text)",
                metadata: details.mapValues { Logger.MetadataValue.string($0) })
        }
    }

    /// The interval of repetitions of the same line.
    static let refusalPause: UInt64 = 60_000

    private struct Refusal {
        let reject: Message.Reject
        let at: MonotonicTime
        var unlogged = 0
    }

    private let times: LinkTimes
    private var parent: NodeName?
    /// The time since when there has been no parent; nil while there is one.
    private var missingSince: MonotonicTime?
    /// The time of the next warning.
    private var warningDue: MonotonicTime?
    private var refusal: Refusal?
    /// The times of the latest log line for each failure: parents, and the two keys of one, fail by
    /// turns.
    private var failures: [String: MonotonicTime] = [:]
    private var crowdedAt: MonotonicTime?

    init(times: LinkTimes) { self.times = times }

    /// The next due time.
    var nextDue: MonotonicTime? { warningDue }

    mutating func started(at now: MonotonicTime) { miss(since: now) }

    mutating func up(_ parent: NodeName) -> Line {
        self.parent = parent
        missingSince = nil
        warningDue = nil
        refusal = nil
        failures = [:]
        return Line(
            level: .info, text: "parent is up", details: ["parent": parent.description])
    }

    mutating func down(_ reason: String, at now: MonotonicTime) -> Line {
        miss(since: now)
        return Line(
            level: .info, text: "parent is lost",
            details: ["parent": parent?.description ?? "unknown", "reason": reason])
    }

    /// The line for a refusal of the link by the parent. Nil if the same refusal was logged
    /// recently.
    mutating func refused(_ reject: Message.Reject, at now: MonotonicTime) -> Line? {
        var unlogged = 0
        if var last = refusal, last.reject.code == reject.code, last.reject.reason == reject.reason
        {
            guard now.since(last.at) >= Self.refusalPause else {
                last.unlogged += 1
                refusal = last
                return nil
            }
            unlogged = last.unlogged
        }
        refusal = Refusal(reject: reject, at: now)
        return Line(
            level: .warning, text: "parent refuses this node",
            details: [
                "code": "\(reject.code.rawValue)", "reason": reject.reason,
                "times": "\(unlogged + 1)",
            ])
    }

    /// The line for a connection that failed before any message, as for a key. A notice: a client
    /// that gives up names the reason itself. Nil if the same failure was logged recently.
    mutating func failed(_ reason: String, at now: MonotonicTime) -> Line? {
        failures = failures.filter { now.since($0.value) < Self.refusalPause }
        guard failures[reason] == nil else { return nil }
        failures[reason] = now
        return Line(
            level: .notice, text: "no link to the parent", details: ["reason": reason])
    }

    /// The line for a parent without room for more presentations. Nil if that was logged recently.
    mutating func crowded(_ waitingCount: Int, at now: MonotonicTime) -> Line? {
        if let crowdedAt, now.since(crowdedAt) < Self.refusalPause { return nil }
        crowdedAt = now
        return Line(
            level: .warning, text: "parent has no room",
            details: [
                "parent": parent?.description ?? "unknown", "waiting": "\(waitingCount)",
            ])
    }

    /// Time passed.
    ///
    /// - Parameter tried: The endpoints tried, with the failures.
    mutating func ticked(at now: MonotonicTime, tried: @autoclosure () -> String) -> Line? {
        guard let due = warningDue, let since = missingSince, now >= due else { return nil }
        warningDue = now + times.parentMissingAgain
        return Line(
            level: .warning, text: "no parent for \(now.since(since) / 1_000) s",
            details: ["reason": tried()])
    }

    /// No more lines follow.
    mutating func stopped() {
        missingSince = nil
        warningDue = nil
    }

    private mutating func miss(since now: MonotonicTime) {
        missingSince = now
        warningDue = now + times.parentMissing
    }
}
