/// The allowances of children and clients for large messages: for each key, without keys for each
/// connection.
///
/// libzmq bounds the messages that it holds for a connection (``SocketOptions``), not their bytes,
/// and does not say whether they were read. So large messages come out of an allowance that grows
/// back with time: a peer that asks and reads nothing takes no more of the node's memory.
package struct LargeMessages: Sendable {
    /// The size up to which a message is not large: as many as libzmq holds for a connection are 16
    /// MiB.
    static let byteCountMin = 4 << 10
    /// The bytes that may be sent at once.
    static let byteCountMax = 16 << 20
    /// The bytes that come back in a second.
    static let byteCountPerSecond = 256 << 10

    private enum Receiver: Hashable {
        case key(NodeName)
        /// A connection, by libzmq's id of it.
        case connection(Frame?, socket: Int)
    }

    private var allowances = Allowances<Receiver>(
        whole: LargeMessages.milliseconds(for: LargeMessages.byteCountMax))

    package init() {}

    /// Whether a message may be sent, which then counts.
    package mutating func mayTake(
        _ byteCount: Int, by peer: PeerID, at now: MonotonicTime
    ) -> Bool {
        guard byteCount > Self.byteCountMin else { return true }
        return allowances.take(
            Self.milliseconds(for: byteCount), of: Self.receiver(peer), at: now)
    }

    /// The time until so many bytes have come back.
    static func milliseconds(for byteCount: Int) -> UInt64 {
        UInt64(byteCount) * 1_000 / UInt64(byteCountPerSecond)
    }

    /// The refusal in place of a message that is not sent.
    ///
    /// - Parameter id: The presentation whose answer it is, which is kept under its id.
    package static func refusal(of id: PresentationID? = nil) -> Message.Reject {
        let pause = milliseconds(for: byteCountMax) / 8
        let most = "sent \(byteCountMax >> 20) MiB in large messages, and no more for now"
        let kept = "; the answer is kept: ask again with this id in \(pause / 1_000) s"
        return Message.Reject(
            .busy, id == nil ? most : most + kept, id: id, retryMilliseconds: pause)
    }

    private static func receiver(_ peer: PeerID) -> Receiver {
        if let holder = peer.holder { return .key(holder.name) }
        return .connection(peer.envelope.frames.first, socket: peer.socket)
    }
}
