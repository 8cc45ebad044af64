/// The bytes that a peer has been sent and may not have read: of reports on their way to a parent,
/// or of answers on their way to a child.
///
/// libzmq bounds the messages that wait for a peer, not their bytes, and does not say which were
/// read. A peer reads in order, so its PONG says that it has read everything before the PING.
struct UnreadBytes: Hashable, Sendable {
    private static let lookEvery: UInt64 = 1_000

    /// The most bytes: nothing more is sent above them.
    let byteCountMax: Int
    /// The time of the PING that waits for its PONG.
    private(set) var pingedAt: MonotonicTime?
    /// The number of that PING.
    private var ping: UInt64 = 0
    /// The number of times that it was repeated.
    private var repetitions = 0
    /// The number of the last PING with a PONG.
    private var ponged: UInt64 = 0
    /// The bytes sent before that PING, and since.
    private var before = 0
    private var since = 0

    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Whether one more message may be sent. The last message may go beyond the limit.
    var haveRoom: Bool { before + since < byteCountMax }

    /// Whether to send PING: a quarter of the limit was sent, and no PING waits for its PONG.
    var needPing: Bool { pingedAt == nil && since >= byteCountMax / 4 }

    /// Whether a PING had to be repeated: the peer reads slowly.
    var isSlow: Bool { pingedAt != nil && repetitions > 0 }

    /// Whether the peer may still have to read what was sent after the PING with this number: a
    /// repetition would only wait behind it.
    func mayBeUnread(after number: UInt64) -> Bool { pingedAt != nil && number >= ponged }

    /// The time to look again at what is held back: for all of it at once, since a thousand times
    /// in a second would keep a processor busy.
    func nextLook(after now: MonotonicTime) -> MonotonicTime {
        guard let pingedAt else { return now + Self.lookEvery }
        return pingedAt + (now.since(pingedAt) / Self.lookEvery + 1) * Self.lookEvery
    }

    mutating func sent(_ byteCount: Int) { since += byteCount }

    /// The time to repeat the PING. Each pause is twice as long as the one before, so that PINGs do
    /// not pile up in front of a peer that reads slowly.
    func repeatedPing(after pause: UInt64) -> MonotonicTime? {
        pingedAt.map { $0 + pause << UInt64(min(repetitions, 3)) }
    }

    mutating func pinged(_ number: UInt64, at now: MonotonicTime) {
        repetitions = pingedAt == nil ? 0 : repetitions + 1
        (ping, pingedAt) = (number, now)
        before += since
        since = 0
    }

    /// A PONG came; a PONG to an earlier PING says less.
    mutating func ponged(_ number: UInt64) {
        guard pingedAt != nil, number >= ping else { return }
        ponged = number
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

    /// The time to send the PING for reports again: a parent that has said other things since may
    /// have dropped it, or the PONG, for want of room. Nil for a silent parent, which gets the PING
    /// of its silence.
    var repeatedPingDue: MonotonicTime? {
        guard case .live(let live) = link, let pingedAt = unread.pingedAt, live.heardAt > pingedAt
        else { return nil }
        return unread.repeatedPing(after: times.pingAfter)
    }

    /// Sends PING if it is needed, or has had no PONG for long.
    mutating func pingForReports(at now: MonotonicTime) -> [UplinkAction] {
        let isLost = repeatedPingDue.map { now >= $0 } ?? false
        guard isLive, unread.needPing || isLost else { return [] }
        pingNumber += 1
        unread.pinged(pingNumber, at: now)
        return [.send(.ping(pingNumber))]
    }
}
