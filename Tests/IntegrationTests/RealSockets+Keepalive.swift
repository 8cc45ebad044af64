import CZMQ
import Glibc
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    /// What the kernel does with a tcp connection whose other end is no more, by its own account.
    @Suite struct KeepaliveTests {
        @Test("A connection to a dead host is closed after 15 s, even without a HELLO")
        func closedByKernel() async throws {
            let bus = Bus()
            let central = try bus.tcpRoot("central", presenters: [FixedPresenter(option: "retry")])
            try await bus.run(central) {
                let endpoint = try #require(await central.boundEndpoints.first)
                guard case .tcp(_, let port) = endpoint.address else { return }
                let worker = try bus.node("worker", parents: [endpoint], listens: false)
                try await bus.run(worker) {
                    #expect(await worker.uplink.presentError(Attempts().saveFailed()).didRecover)
                    let silent = try RawSocket.dealer(to: endpoint)
                    await Resources.wait { Connection.all { $0.local == port }.count == 2 }
                    let taken = Connection.all { $0.local == port }
                    // The worker's, and that of the silent one, which sets nothing itself.
                    let made = Connection.all { $0.peer == port && $0.option(SO_KEEPALIVE) == 1 }
                    #expect(made.count == 1)
                    for connection in taken + made { connection.expectEnd(afterSeconds: 15) }
                    withExtendedLifetime(silent) {}
                }
            }
        }

        /// Without acknowledgements the kernel would end it after 15 s, without a word to its peer.
        @Test("A connection that is held back acknowledges what comes back, and loses nothing")
        func heldBack() async throws {
            let (peer, held) = try PlainConnection.pair()
            defer { for descriptor in [peer, held] { close(descriptor) } }
            let inode = try #require(PeerConnection(descriptor: held).inode)
            // Not another connection, which the descriptor was before.
            _ = PeerConnection.carryOut(.stop(held), [held: inode + 1])
            #expect(write(peer, [7], 1) == 1)
            var first: UInt8 = 0
            #expect(recv(held, &first, 1, 0) == 1 && first == 7)
            _ = PeerConnection.carryOut(.stop(held), [held: inode])
            let content = [UInt8](repeating: 1, count: 1_000)
            #expect(write(peer, content, content.count) == content.count)
            let reply = [UInt8](repeating: 2, count: 5_000)
            #expect(write(held, reply, reply.count) == reply.count)
            var buffer = reply
            #expect(recv(peer, &buffer, reply.count, Int32(MSG_WAITALL)) == reply.count)
            await Resources.wait {
                var unacknowledged: CInt = -1
                return ioctl(held, UInt(TIOCOUTQ), &unacknowledged) == 0 && unacknowledged == 0
            }
            #expect(recv(held, &buffer, buffer.count, Int32(MSG_DONTWAIT)) == -1)
            // The end of what was sent does not overtake it.
            shutdown(peer, Int32(SHUT_WR))
            _ = PeerConnection.carryOut(.goOn(held), [:])
            #expect(recv(held, &buffer, buffer.count, Int32(MSG_WAITALL)) == content.count)
            #expect(buffer.starts(with: content))
        }
    }
}

/// A tcp connection of this process.
private struct Connection {
    let descriptor: CInt
    let local: UInt16
    let peer: UInt16

    private typealias Name = (
        CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>
    ) -> CInt

    private init?(_ descriptor: CInt) {
        guard let local = Self.port(descriptor, { getsockname($0, $1, $2) }),
            let peer = Self.port(descriptor, { getpeername($0, $1, $2) })
        else { return nil }
        (self.descriptor, self.local, self.peer) = (descriptor, local, peer)
    }

    static func all(where condition: (Connection) -> Bool) -> [Connection] {
        (0..<CInt(4_096)).compactMap(Connection.init).filter(condition)
    }

    private static func port(_ descriptor: CInt, _ name: Name) -> UInt16? {
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(descriptor, $0, &size) }
        }
        let isInternet = [AF_INET, AF_INET6].contains(CInt(address.sin6_family))
        // The port is at the same place in both.
        return status == 0 && isInternet ? UInt16(bigEndian: address.sin6_port) : nil
    }

    func option(_ name: CInt, of level: CInt = SOL_SOCKET) -> CInt? {
        var value: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(descriptor, level, name, &value, &size) == 0 ? value : nil
    }

    /// Whether nothing is said for so long, or what is said stays without an acknowledgement.
    func expectEnd(afterSeconds limit: CInt) {
        let tcp = CInt(IPPROTO_TCP)
        #expect(option(SO_KEEPALIVE) == 1)
        #expect(option(TCP_USER_TIMEOUT, of: tcp) == limit * 1_000)
        let probes = (option(TCP_KEEPINTVL, of: tcp) ?? limit) * (option(TCP_KEEPCNT, of: tcp) ?? 1)
        #expect((option(TCP_KEEPIDLE, of: tcp) ?? limit) + probes <= limit)
    }
}
