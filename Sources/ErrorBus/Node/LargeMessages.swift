/// What children and clients may be sent in large messages, for each key, without keys for each
/// connection.
///
/// libzmq bounds the messages that it holds for a connection (``SocketOptions``), not their bytes,
/// and does not say whether they were read. So what is large comes out of an allowance that grows
/// back with time, and a peer that asks for more than it may read takes no more of the node's
/// memory.
struct LargeMessages: Sendable {
    /// Up to here a message is not large: as many as libzmq holds for a connection are 16 MiB.
    static let byteCountMin = 4 << 10
    /// The bytes that may be sent at once.
    static let byteCountMax = 16 << 20
    /// The bytes of them that come back in a second.
    static let byteCountPerSecond = 256 << 10
    /// The most keys and connections with less than the whole allowance.
    static let receiversMax = 4_096

    private enum Receiver: Hashable {
        case key(NodeName)
        /// By libzmq's id of it.
        case connection(Frame?, socket: Int)
    }

    /// When each has its whole allowance back.
    private var wholeAt: [Receiver: MonotonicTime] = [:]

    /// The number of keys and connections with less than the whole allowance, as far as noticed.
    var receiverCount: Int { wholeAt.count }

    /// Whether a message may be sent, which then counts.
    mutating func mayTake(
        _ byteCount: Int, by peer: PeerID, at now: MonotonicTime
    ) -> Bool {
        guard byteCount > Self.byteCountMin else { return true }
        let receiver = Self.receiver(peer)
        if wholeAt[receiver] == nil, wholeAt.count >= Self.receiversMax {
            wholeAt = wholeAt.filter { $0.value > now }
            guard wholeAt.count < Self.receiversMax else { return false }
        }
        let whole = max(wholeAt[receiver] ?? now, now) + Self.milliseconds(for: byteCount)
        guard whole.since(now) <= Self.milliseconds(for: Self.byteCountMax) else { return false }
        wholeAt[receiver] = whole
        return true
    }

    /// How long it takes until so many bytes have come back.
    static func milliseconds(for byteCount: Int) -> UInt64 {
        UInt64(byteCount) * 1_000 / UInt64(byteCountPerSecond)
    }

    private static func receiver(_ peer: PeerID) -> Receiver {
        if let holder = peer.holder { return .key(holder.name) }
        return .connection(peer.envelope.frames.first, socket: peer.socket)
    }
}
