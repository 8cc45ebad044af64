/// The backlog of each tcp connection that a peer made, in libzmq: bytes that arrived and were not
/// read yet, as messages or as parts of a message without an end. Decides which connections wait,
/// and which end; ``PeerConnection`` reads their state and carries the decisions out.
///
/// libzmq bounds neither (``SocketOptions``), and cannot stop reading from one peer. So while the
/// process is large, the bytes that the kernel received of each connection are compared with the
/// bytes that were read, and connections that are ahead are stopped until the rest is read: their
/// senders then wait, as at a full receive window. A connection whose message has no end makes no
/// progress that way, and is ended. Connections over ipc have no such count.
struct ConnectionBacklog {
    /// The shortest time from one look to the next.
    private static let pause: UInt64 = 25
    /// A look at many connections takes at most this share of the time.
    private static let pausePerDuration: UInt64 = 10
    private static let pauseMax: UInt64 = 250
    /// The memory of a frame beside its bytes, in libzmq.
    private static let frameOverhead = 96
    /// The memory of a byte on the wire, at least and at most. An empty frame has two bytes there;
    /// waiting bytes may differ from read ones.
    private static let memoryPerByte = 4...32
    /// The backlog below which a connection is not stopped, unless so many connections are open
    /// that all of them count.
    private static let stoppedByteCountMin = 1 << 20
    /// The bytes on the wire that may be one message still on its way: more than the largest report
    /// with its header.
    static let messageByteCountMax = 320 << 10

    /// The resident memory above which connections are stopped; counting begins at half of it.
    let watchByteCount: Int
    /// The memory that all connections together may have in libzmq, while they are watched.
    let byteCountMax: Int
    /// The longest time that a connection is stopped without a whole message before it is ended.
    let stoppedMax: UInt64

    /// A connection as the kernel has it.
    struct Found: Hashable {
        let descriptor: Int32
        /// The inode of the socket: another connection on the same descriptor has another inode.
        let inode: UInt64
        /// The bytes on the wire that the kernel received.
        let receivedCount: Int
    }

    /// A decision about a connection.
    enum Order: Hashable {
        /// The kernel drops all bytes that arrive, so that the sender waits.
        case stop(Int32)
        case goOn(Int32)
        case end(Int32, receivedCount: Int)
    }

    private struct Connection {
        /// The inode of the socket; nil until the connection is found.
        var inode: UInt64?
        /// The bytes that the kernel had received when the watch began.
        var receivedBefore = 0
        var readCount = 0
        /// The number of frames that were read since the last look.
        var frameCount = 0
        var isStopped = false
        /// Whether the connection waits for libzmq to close it.
        var isEnded = false
        /// The time since when the connection has been stopped without a whole message.
        var stalledSince = MonotonicTime(milliseconds: 0)
        var readAtLastLook = 0
        var memoryAtLastLook = 0

        /// The number of bytes on the wire that were received and not read.
        mutating func waiting(received: Int) -> Int {
            let waiting = received - receivedBefore - readCount
            // What was received before the watch, and read in it, is no credit.
            if waiting < 0 { receivedBefore += waiting }
            return max(0, waiting)
        }

        /// The memory of a waiting byte, judged by the frames read since the last look.
        var memoryPerByte: Int {
            let read = readCount - readAtLastLook
            let range = ConnectionBacklog.memoryPerByte
            guard read > 0 else { return range.upperBound }
            let perByte = 1 + (read + frameCount * frameOverhead - 1) / read
            return min(range.upperBound, max(range.lowerBound, perByte))
        }

        mutating func looked(at now: MonotonicTime, _ memory: Int) {
            if !isStopped || readCount != readAtLastLook { stalledSince = now }
            (readAtLastLook, frameCount, memoryAtLastLook) = (readCount, 0, memory)
        }
    }

    /// The connections by file descriptor; nil while the process is small.
    private var connections: [Int32: Connection]?
    /// The memory of the bytes that ended connections left behind, until all is read.
    private var left = 0
    private var nextLook = MonotonicTime(milliseconds: 0)
    /// Whether so many bytes wait that the next look has to come soon.
    private(set) var isUrgent = false

    init(
        watchByteCount: Int = 256 << 20, byteCountMax: Int = 128 << 20,
        stoppedMax: UInt64 = 10_000
    ) {
        self.watchByteCount = watchByteCount
        self.byteCountMax = byteCountMax
        self.stoppedMax = stoppedMax
    }

    /// Whether each message has to be counted with ``read(_:)``.
    var isWatching: Bool { connections != nil }

    /// Counts a message.
    mutating func read(_ source: ZMQSocket.Source) {
        connections?[source.descriptor, default: Connection()].readCount += source.byteCount
        connections?[source.descriptor]?.frameCount += source.frameCount
    }

    /// Whether the time has come for a look.
    func isDue(at now: MonotonicTime) -> Bool { now >= nextLook }

    /// Sets the time of the next look by the duration of this one.
    mutating func looked(from begin: MonotonicTime, to end: MonotonicTime) {
        let pause = max(Self.pause, end.since(begin) * Self.pausePerDuration)
        nextLook = end + min(Self.pauseMax, pause)
    }

    /// Stops connections that are ahead, lets others go on, and ends connections without progress.
    ///
    /// - Parameters:
    ///   - resident: The memory of this process.
    ///   - isDrained: Whether all whole messages were read.
    ///   - found: The connections; read only while the process is large. Nil if the system does not
    ///     say: then nothing changes.
    mutating func orders(
        at now: MonotonicTime, resident: Int, isDrained: Bool, _ found: () -> [Found]?
    ) -> [Order] {
        // Counting begins before anything is stopped, so that what came first counts too.
        guard resident >= watchByteCount / 2 else {
            let stopped = (connections ?? [:]).filter(\.value.isStopped).keys.sorted()
            connections = nil
            (left, isUrgent) = (0, false)
            return stopped.map { .goOn($0) }
        }
        guard let found = found() else { return [] }
        var known = merged(found)
        left = isDrained ? 0 : left + leftBehind(by: known)
        // What waits may be worse than what was read: where memory is short, that is assumed.
        let isShort = resident > watchByteCount + 2 * byteCountMax
        let waiting = found.map { known[$0.descriptor]?.waiting(received: $0.receivedCount) ?? 0 }
        let memory = zip(found, waiting).map { one, waiting in
            guard let connection = known[one.descriptor], !connection.isEnded else { return 0 }
            return waiting
                * (isShort ? Self.memoryPerByte.upperBound : connection.memoryPerByte)
        }
        let total = memory.reduce(left, +)
        isUrgent = total > Self.stoppedByteCountMin
        let isTooMuch = resident >= watchByteCount && total > byteCountMax
        let threshold = min(Self.stoppedByteCountMin, byteCountMax / max(1, found.count))
        // The stop may have come when the descriptor was the next connection's already.
        var orders = found.compactMap { one in
            connections?[one.descriptor].flatMap {
                $0.isStopped && $0.inode != one.inode ? Order.goOn(one.descriptor) : nil
            }
        }
        for (one, (waiting, memory)) in zip(found, zip(waiting, memory)) {
            guard var connection = known[one.descriptor], !connection.isEnded else { continue }
            let mayBeAMessage = waiting <= Self.messageByteCountMax
            if isTooMuch, memory > threshold, isShort || !mayBeAMessage {
                if !connection.isStopped {
                    orders.append(.stop(one.descriptor))
                    connection.stalledSince = now
                }
                connection.isStopped = true
            } else if connection.isStopped,
                memory < threshold / 2 || mayBeAMessage || total < byteCountMax / 2
            {
                orders.append(.goOn(one.descriptor))
                connection.isStopped = false
            }
            connection.looked(at: now, memory)
            if !mayBeAMessage, now.since(connection.stalledSince) > stoppedMax {
                orders.append(.end(one.descriptor, receivedCount: one.receivedCount))
                connection.isEnded = true
            }
            known[one.descriptor] = connection
        }
        connections = known
        return orders + (isTooMuch && isShort ? ends(found, memory, total, at: now) : [])
    }

    /// The connections to end. If memory is short, connections with possibly one message are
    /// stopped too, and cannot complete it. So connections without progress for the limit end, the
    /// largest first, until the others can go on.
    private mutating func ends(
        _ found: [Found], _ memory: [Int], _ total: Int, at now: MonotonicTime
    ) -> [Order] {
        var rest = total
        var orders: [Order] = []
        for (one, memory) in zip(found, memory).sorted(by: { $0.1 > $1.1 }) {
            guard rest >= byteCountMax / 2, let connection = connections?[one.descriptor] else {
                break
            }
            if !connection.isEnded {
                guard connection.isStopped, now.since(connection.stalledSince) > stoppedMax else {
                    continue
                }
                connections?[one.descriptor]?.isEnded = true
                orders.append(.end(one.descriptor, receivedCount: one.receivedCount))
            }
            rest -= memory
        }
        return orders
    }

    /// The open connections, with the facts known about them.
    private func merged(_ found: [Found]) -> [Int32: Connection] {
        var merged: [Int32: Connection] = [:]
        for one in found {
            // Of a connection that is new since the last look, all was counted.
            var connection = connections?[one.descriptor] ?? Connection()
            if connections == nil {
                connection = Connection(receivedBefore: one.receivedCount)
            } else if connection.inode.map({ $0 != one.inode }) == true {
                connection = Connection()
            }
            connection.inode = one.inode
            merged[one.descriptor] = connection
        }
        return merged
    }

    /// The memory of waiting bytes of connections that are gone.
    private func leftBehind(by known: [Int32: Connection]) -> Int {
        (connections ?? [:]).reduce(0) { sum, one in
            known[one.key]?.inode == one.value.inode ? sum : sum + one.value.memoryAtLastLook
        }
    }
}
