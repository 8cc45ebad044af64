import CZMQ
import Dispatch
import Glibc
import Synchronization

/// A connection of this process to a peer, as the kernel knows it and, over tcp, can stop it,
/// beside libzmq, which owns the descriptor.
struct PeerConnection {
    let descriptor: Int32

    /// The tcp connections to these endpoints; nil if the kernel does not say. Takes some calls of
    /// the kernel for each descriptor.
    static func all(at endpoints: [Endpoint]) -> [ConnectionBacklog.Found]? {
        let ports = Self.ports(of: endpoints)
        guard let descriptors = ProcessFiles.descriptors() else { return nil }
        var found: [ConnectionBacklog.Found] = []
        for descriptor in descriptors {
            let received = czmq_received_byte_count(descriptor)
            guard received >= 0,
                let port = PeerConnection(descriptor: descriptor).localPort, ports.contains(port)
            else { continue }
            guard let inode = PeerConnection(descriptor: descriptor).inode else { continue }
            found.append(
                .init(
                    descriptor: descriptor, inode: inode, receivedCount: Int(clamping: received)))
        }
        return found
    }

    /// - Parameter inodes: The inodes that were found, by descriptor: another connection may have
    ///   taken the descriptor since. An order to go on harms no connection.
    /// - Returns: The connection that was ended.
    static func carryOut(
        _ order: ConnectionBacklog.Order, _ inodes: [Int32: UInt64]
    ) -> EndedFlood? {
        func isSame(_ descriptor: Int32) -> Bool {
            inodes[descriptor].map { PeerConnection(descriptor: descriptor).inode == $0 } == true
        }
        switch order {
        case .stop(let descriptor):
            if isSame(descriptor) { _ = czmq_set_stopped(descriptor, 1) }
        case .goOn(let descriptor): _ = czmq_set_stopped(descriptor, 0)
        case .end(let descriptor, let receivedCount):
            guard isSame(descriptor) else { return nil }
            let ended = EndedFlood(
                peer: PeerConnection(descriptor: descriptor).peer, byteCount: receivedCount)
            _ = czmq_set_stopped(descriptor, 0)
            // libzmq finds the end of the connection, and closes the descriptor.
            shutdown(descriptor, Int32(SHUT_RDWR))
            return ended
        }
        return nil
    }

    /// Ends a connection to one of these endpoints, for the key that its peer has. The descriptor
    /// may be that of a later connection by now, whose peer then makes another one.
    ///
    /// - Returns: The address of the peer; nil if there is no such connection.
    func end(at endpoints: [Endpoint]) -> String? {
        guard let localPort, Self.ports(of: endpoints).contains(localPort), let address
        else { return nil }
        _ = czmq_set_stopped(descriptor, 0)
        // libzmq finds the end of the connection, and closes the descriptor.
        shutdown(descriptor, Int32(SHUT_RDWR))
        return address.host
    }

    private static func ports(of endpoints: [Endpoint]) -> Set<UInt16> {
        Set(
            endpoints.compactMap { endpoint in
                if case .tcp(_, let port) = endpoint.address { port } else { nil }
            })
    }

    /// The inode of the socket; nil if the descriptor is closed.
    var inode: UInt64? {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 ? UInt64(facts.st_ino) : nil
    }

    private var localPort: UInt16? {
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

    /// The address and port of the other side, for people.
    private var peer: String {
        address.map { "\($0.host), port \($0.port)" } ?? "an address that is gone"
    }

    /// The other side, for people: its address, or over ipc its process. Nil if the connection is
    /// gone.
    var origin: String? {
        if let address { return address.host }
        var user: UInt32 = 0
        let process = czmq_peer_process(descriptor, &user)
        return process > 0 ? "process \(process) of user \(user)" : nil
    }

    /// The user of the process at the other side of a connection over ipc; nil for any other
    /// descriptor.
    var user: UInt32? {
        var user = UInt32.max
        _ = czmq_peer_process(descriptor, &user)
        return user == .max ? nil : user
    }

    /// Whether a process of user `other` that listens at a path of ipc is no parent for a process
    /// of user `own`. The socket of a node belongs to its own user or root: any other socket has
    /// been put in its place.
    static func isStranger(_ other: UInt32, to own: UInt32) -> Bool {
        own != 0 && other != 0 && other != own
    }

    /// The address and port of the other side of a tcp connection; nil if that side is gone.
    private var address: (host: String, port: UInt16)? {
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
        let families = [AF_INET, AF_INET6].map { sa_family_t($0) }
        guard status == 0, families.contains(address.sin6_family) else { return nil }
        let bytes = host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let text = String(decoding: bytes, as: UTF8.self)
        return (Self.plain(text), UInt16(bigEndian: address.sin6_port))
    }

    /// An address as people write it: the sockets are of IPv6, also for IPv4.
    static func plain(_ address: String) -> String {
        let isMapped = address.hasPrefix("::ffff:") && address.contains(".")
        return isMapped ? String(address.dropFirst(7)) : address
    }
}

/// The memory of this process.
package enum ProcessMemory {
    /// The resident size of the process; the last known size if the kernel does not say, 0 at
    /// first.
    static var residentByteCount: Int { ProcessFiles.residentByteCount() }

    private static let returns = Mutex(MemoryReturns())
    private static let returnQueue = DispatchQueue(label: "errorbus.memory", qos: .background)

    /// Returns freed memory that the C library still holds, in pieces, to the system, once a second
    /// at most, on another thread: otherwise the resident size stays as large as in the last burst.
    /// Takes milliseconds to tenths of a second, in which threads that allocate wait.
    package static func giveBack() {
        let now = MonotonicTime(milliseconds: Reactor.nanoseconds / 1_000_000)
        guard let pause = returns.withLock({ $0.pause(at: now) }) else { return }
        returnQueue.asyncAfter(deadline: .now() + .milliseconds(Int(pause))) {
            let now = MonotonicTime(milliseconds: Reactor.nanoseconds / 1_000_000)
            returns.withLock { $0.begins(at: now) }
            malloc_trim(0)
        }
    }
}

/// The times at which memory is given back: once a second at most, for any number of requests.
struct MemoryReturns {
    /// The time from one return to the next, in milliseconds.
    static let pause: UInt64 = 1_000

    private var next = MonotonicTime(milliseconds: 0)
    private var isPlanned = false

    /// The milliseconds until the requested return; nil if a planned return gives back the same
    /// memory.
    mutating func pause(at now: MonotonicTime) -> UInt64? {
        guard !isPlanned else { return nil }
        isPlanned = true
        return next.since(now)
    }

    /// Notes that a return begins: memory that is freed from now on needs another return.
    mutating func begins(at now: MonotonicTime) {
        isPlanned = false
        next = now + Self.pause
    }
}
