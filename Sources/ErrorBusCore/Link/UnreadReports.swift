/// The bytes of the reports that a parent has been sent and may not have read.
///
/// libzmq bounds the messages that wait for a parent, not their bytes, and does not say which were
/// read. A parent reads in order, so its PONG says that it has read everything before the PING.
struct UnreadReports: Hashable, Sendable {
    /// The most bytes: no report is sent above them.
    let byteCountMax: Int
    /// The time of the PING that waits for its PONG.
    private(set) var pingedAt: MonotonicTime?
    /// The number of that PING.
    private var ping: UInt64 = 0
    /// The bytes sent before that PING, and since.
    private var before = 0
    private var since = 0

    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Whether one more report may be sent. The last report may go beyond the limit.
    var haveRoom: Bool { before + since < byteCountMax }

    /// Whether to send PING: a quarter of the limit was sent, and no PING waits for its PONG.
    var needPing: Bool { pingedAt == nil && since >= byteCountMax / 4 }

    mutating func sent(_ byteCount: Int) { since += byteCount }

    mutating func pinged(_ number: UInt64, at now: MonotonicTime) {
        (ping, pingedAt) = (number, now)
        before += since
        since = 0
    }

    /// A PONG came; a PONG to an earlier PING says less.
    mutating func ponged(_ number: UInt64) {
        guard pingedAt != nil, number >= ping else { return }
        pingedAt = nil
        before = 0
    }
}

extension UplinkMachine {
    /// A report was sent.
    mutating func sentReport(_ byteCount: Int, at now: MonotonicTime) -> [UplinkAction] {
        unread.sent(byteCount)
        return pingForReports(at: now)
    }

    /// PONG: the parent has read everything that was sent before the PING.
    mutating func ponged(_ number: UInt64, at now: MonotonicTime) -> [UplinkAction] {
        unread.ponged(number)
        return pingForReports(at: now)
    }

    /// Sends PING if it is needed, or has had no PONG for long: a parent may drop both for want of
    /// room.
    mutating func pingForReports(at now: MonotonicTime) -> [UplinkAction] {
        let isLost = unread.pingedAt.map { now.since($0) >= times.pingAfter } ?? false
        guard isLive, unread.needPing || isLost else { return [] }
        pingNumber += 1
        unread.pinged(pingNumber, at: now)
        return [.send(.ping(pingNumber))]
    }
}
