import CZMQ
import Glibc

/// What libzmq holds of each tcp connection that a peer made: bytes that arrived and were not read
/// yet, as messages or as parts of a message without an end.
///
/// libzmq bounds neither (``SocketOptions``), and cannot stop reading from one peer. So while the
/// process is large, it compares what the kernel received of each connection with what was read of
/// it, and has the kernel drop the packets of those that are ahead until the rest is read: their
/// senders then wait, as at a full receive window. A connection whose message has no end gets
/// nowhere that way, and is ended. Connections over ipc have no such count.
struct ConnectionBacklog {
    /// The shortest time from one look to the next.
    private static let pause: UInt64 = 25
    /// A look at many connections takes at most this share of the time.
    private static let pausePerDuration: UInt64 = 10
    private static let pauseMax: UInt64 = 250
    /// The memory of a frame beside its bytes, in libzmq.
    private static let frameOverhead = 96
    /// The memory of a byte on the wire. At most: an empty frame has two there. At least: what
    /// waits may differ from what was read.
    private static let memoryPerByte = 4...32
    /// A connection with less is not stopped, unless there are so many that all of them count.
    private static let stoppedByteCountMin = 1 << 20
    /// What may be one message that is still on its way, on the wire: more than the largest report
    /// with its header.
    private static let messageByteCountMax = 320 << 10

    /// The resident memory above which connections are watched.
    let watchByteCount: Int
    /// The memory that all of them may have in libzmq, since they are watched.
    let byteCountMax: Int
    /// How long a connection is stopped without a whole message before it is ended.
    let stoppedMax: UInt64

    private struct Connection {
        /// Nil until it is found.
        var inode: UInt64?
        /// What the kernel had received when the watch began.
        var receivedBefore = 0
        var readCount = 0
        /// Of those read since the last look.
        var frameCount = 0
        var isStopped = false
        /// Whether it waits for libzmq to close it.
        var isEnded = false
        /// Since when a stopped connection has had no whole message.
        var stalledSince = MonotonicTime(milliseconds: 0)
        var readAtLastLook = 0
        var memoryAtLastLook = 0

        /// Whether a whole message was read since the last look.
        var hasProgress: Bool { readCount != readAtLastLook }

        mutating func looked(_ memory: Int) {
            (readAtLastLook, frameCount, memoryAtLastLook) = (readCount, 0, memory)
        }

        /// The bytes on the wire that were received and not read.
        mutating func waiting(received: Int) -> Int {
            let waiting = received - receivedBefore - readCount
            // What was received before the watch, and read in it, is no credit.
            if waiting < 0 { receivedBefore += waiting }
            return max(0, waiting)
        }

        /// The memory of a byte that waits, judged by what was read since the last look.
        var memoryPerByte: Int {
            let read = readCount - readAtLastLook
            let range = ConnectionBacklog.memoryPerByte
            guard read > 0 else { return range.upperBound }
            let perByte = 1 + (read + frameCount * frameOverhead - 1) / read
            return min(range.upperBound, max(range.lowerBound, perByte))
        }
    }

    /// By file descriptor; nil while the process is small.
    private var connections: [Int32: Connection]?
    /// The memory of what peers left behind that have gone, until all is read.
    private var left = 0
    private var nextLook = MonotonicTime(milliseconds: 0)

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
    /// Whether so much waits that the next look has to come soon.
    private(set) var isUrgent = false

    /// Counts a message.
    mutating func read(_ source: ZMQSocket.Source) {
        connections?[source.descriptor, default: Connection()].readCount += source.byteCount
        connections?[source.descriptor]?.frameCount += source.frameCount
    }

    /// Stops connections that are ahead, lets others go on, and ends those that get nowhere. Takes
    /// some microseconds while the process is small, else some for each descriptor.
    ///
    /// - Parameters:
    ///   - isDrained: Whether all whole messages were read.
    ///   - endpoints: Where this process listens.
    /// - Returns: The connections that were ended.
    mutating func look(
        _ clock: () -> MonotonicTime, isDrained: Bool,
        at endpoints: @autoclosure () -> [Endpoint]
    ) -> [EndedFlood] {
        let now = clock()
        guard now >= nextLook else { return [] }
        defer {
            let end = clock()
            let pause = max(Self.pause, end.since(now) * Self.pausePerDuration)
            nextLook = end + min(Self.pauseMax, pause)
        }
        let resident = ProcessMemory.residentByteCount
        // Counting begins before anything is stopped, so that what came first counts too.
        guard resident >= watchByteCount / 2 else {
            for (descriptor, one) in connections ?? [:] where one.isStopped {
                TCPDescriptor.setStopped(descriptor, false)
            }
            connections = nil
            (left, isUrgent) = (0, false)
            return []
        }
        let found = TCPDescriptor.all(at: endpoints())
        var known = merged(found)
        left = isDrained ? 0 : left + leftBehind(by: known)
        // What waits may be worse than what was read: where memory is short, that is assumed.
        let isShort = resident > watchByteCount + 2 * byteCountMax
        let waiting = found.map { known[$0.descriptor]?.waiting(received: $0.receivedCount) ?? 0 }
        let memory = zip(found, waiting).map { one, waiting in
            let perByte = isShort ? nil : known[one.descriptor]?.memoryPerByte
            return waiting * (perByte ?? Self.memoryPerByte.upperBound)
        }
        let total = memory.reduce(left, +)
        isUrgent = total > Self.stoppedByteCountMin
        let isTooMuch = resident >= watchByteCount && total > byteCountMax
        let threshold = min(Self.stoppedByteCountMin, byteCountMax / max(1, found.count))
        var ended: [EndedFlood] = []
        for (one, (waiting, memory)) in zip(found, zip(waiting, memory)) {
            guard var connection = known[one.descriptor] else { continue }
            let mayBeAMessage = waiting <= Self.messageByteCountMax
            if isTooMuch, memory > threshold, isShort || !mayBeAMessage {
                stop(&connection, one.descriptor, at: now)
            } else if memory < threshold / 2 || mayBeAMessage || total < byteCountMax / 2 {
                release(&connection, one.descriptor)
            }
            connection.looked(memory)
            if connection.isStopped, !mayBeAMessage,
                now.since(connection.stalledSince) > stoppedMax
            {
                if !connection.isEnded {
                    ended.append(EndedFlood(peer: one.peer, byteCount: one.receivedCount))
                }
                connection.isEnded = true
                one.end()
            }
            known[one.descriptor] = connection
        }
        connections = known
        return ended
    }

    /// The connections that are there, with what is known of them.
    private func merged(_ found: [TCPDescriptor]) -> [Int32: Connection] {
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

    /// What those had waiting that are gone.
    private func leftBehind(by known: [Int32: Connection]) -> Int {
        (connections ?? [:]).reduce(0) { sum, one in
            known[one.key]?.inode == one.value.inode ? sum : sum + one.value.memoryAtLastLook
        }
    }

    private func stop(
        _ connection: inout Connection, _ descriptor: Int32, at now: MonotonicTime
    ) {
        if !connection.isStopped || connection.hasProgress { connection.stalledSince = now }
        guard !connection.isStopped else { return }
        TCPDescriptor.setStopped(descriptor, true)
        connection.isStopped = true
    }

    private func release(_ connection: inout Connection, _ descriptor: Int32) {
        guard connection.isStopped else { return }
        TCPDescriptor.setStopped(descriptor, false)
        connection.isStopped = false
    }
}

/// A tcp connection of this process.
private struct TCPDescriptor {
    let descriptor: Int32
    /// Of the socket: another connection on the same descriptor has another.
    let inode: UInt64
    /// The bytes that the kernel received.
    let receivedCount: Int

    /// Those that peers made to these endpoints.
    static func all(at endpoints: [Endpoint]) -> [TCPDescriptor] {
        let ports = Set(
            endpoints.compactMap { endpoint in
                if case .tcp(_, let port) = endpoint.address { port } else { nil }
            })
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        var found: [TCPDescriptor] = []
        while let entry = readdir(folder) {
            // "." and ".." become 0, which is no connection.
            let descriptor = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { atoi($0) }
            }
            let received = czmq_received_byte_count(descriptor)
            guard received >= 0, let port = localPort(of: descriptor), ports.contains(port) else {
                continue
            }
            var facts = stat()
            guard fstat(descriptor, &facts) == 0 else { continue }
            found.append(
                TCPDescriptor(
                    descriptor: descriptor, inode: UInt64(facts.st_ino),
                    receivedCount: Int(clamping: received)))
        }
        return found
    }

    /// Has the kernel drop what comes over a connection, or not; its sender tries again until then.
    static func setStopped(_ descriptor: Int32, _ isStopped: Bool) {
        _ = czmq_set_stopped(descriptor, isStopped ? 1 : 0)
    }

    /// Ends the connection: libzmq finds its end and closes the descriptor.
    func end() {
        Self.setStopped(descriptor, false)
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private static func localPort(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        // The port of an IPv4 address is in the same place.
        return status == 0 ? UInt16(bigEndian: address.sin6_port) : nil
    }

    /// Address and port of the other side, for people.
    var peer: String {
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getpeername(descriptor, address, &size) == 0
                    ? getnameinfo(
                        address, size, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST)
                    : EAI_FAIL
            }
        }
        guard status == 0 else { return "an address that is gone" }
        let text = host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return
            "\(String(decoding: text, as: UTF8.self)), port \(UInt16(bigEndian: address.sin6_port))"
    }
}
