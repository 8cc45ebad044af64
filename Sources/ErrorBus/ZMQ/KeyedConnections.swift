/// The tcp connections to a node with keys, by the key that the messages of each came with, and
/// those that end once the keys were replaced. Pure: messages, the kernel's list and the time come
/// in, connections to end go out; ``PeerConnection`` ends them.
///
/// libzmq has the key of a connection only with its messages. So a connection without a message
/// ends some time after a replacement: a peer whose key is still known has lost nothing by it, and
/// connects again.
struct KeyedConnections {
    private struct Sender {
        let inode: UInt64
        let key: PublicKey
    }

    private struct Silent {
        let inode: UInt64
        let end: MonotonicTime
    }

    /// A connection to end, and its key if that is known.
    struct Ending: Hashable {
        let descriptor: Int32
        /// The inode of the socket: another connection on the same descriptor has another inode.
        let inode: UInt64
        let key: PublicKey?
    }

    /// The time after a replacement in which a connection without a message has to send one.
    let silenceMax: UInt64
    /// The senders of the last messages by descriptor: as many as there are descriptors.
    private var senders: [Int32: Sender] = [:]
    /// The connections without a message at a replacement, by descriptor.
    private var silent: [Int32: Silent] = [:]
    /// The earliest end among them, or an earlier time.
    private var nextEnd: MonotonicTime?

    /// - Parameter silenceMax: In milliseconds; as long as a connection may be silent before its
    ///   handshake is complete.
    init(silenceMax: UInt64 = UInt64(SocketOptions.handshakeMilliseconds)) {
        self.silenceMax = silenceMax
    }

    /// Notes the connection that a message with an accepted key came over.
    mutating func received(_ key: PublicKey, over descriptor: Int32, _ inode: UInt64) {
        senders[descriptor] = Sender(inode: inode, key: key)
        if !silent.isEmpty { silent[descriptor] = nil }
    }

    /// Takes the connections that are open after the keys were replaced.
    ///
    /// - Returns: The connections whose key is no longer accepted.
    mutating func replaced(
        _ open: [ConnectionBacklog.Found], at now: MonotonicTime, _ accepts: (PublicKey) -> Bool
    ) -> [Ending] {
        var endings: [Ending] = []
        for one in open {
            if let sender = senders[one.descriptor], sender.inode == one.inode {
                guard !accepts(sender.key) else { continue }
                endings.append(
                    Ending(descriptor: one.descriptor, inode: one.inode, key: sender.key))
            } else if silent[one.descriptor]?.inode != one.inode {
                // A later replacement gives it no more time.
                let end = now + silenceMax
                silent[one.descriptor] = Silent(inode: one.inode, end: end)
                nextEnd = min(nextEnd ?? end, end)
            }
        }
        return endings
    }

    /// The connections that sent no message in time after the keys were replaced.
    mutating func overdue(at now: MonotonicTime) -> [Ending] {
        guard let end = nextEnd, end <= now else { return [] }
        let overdue = silent.filter { $0.value.end <= now }
        for descriptor in overdue.keys { silent[descriptor] = nil }
        nextEnd = silent.values.lazy.map(\.end).min()
        return overdue.map { Ending(descriptor: $0.key, inode: $0.value.inode, key: nil) }
    }
}
