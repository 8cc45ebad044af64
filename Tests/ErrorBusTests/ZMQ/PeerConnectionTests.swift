import Glibc
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

struct PeerConnectionTests {
    /// Two ends of a connection of this process to itself.
    private func ends() throws -> [Int32] {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        return ends
    }

    @Test("Over ipc the kernel knows the user of the other side, of other descriptors it does not")
    func users() throws {
        let ends = try ends()
        #expect(ends.map { PeerConnection(descriptor: $0).user } == [geteuid(), geteuid()])
        // A parent of the same user is not refused.
        #expect(ConnectionEvent(.made(ends[0])) == nil)
        for descriptor in ends { close(descriptor) }
        let open = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #expect(PeerConnection(descriptor: open).user == nil)
        #expect(ConnectionEvent(.made(open)) == nil)
        close(open)
        #expect(PeerConnection(descriptor: -1).user == nil)
    }

    @Test(
        "Of two users that are not root each is a stranger to the other",
        arguments: [
            (1_000, 1_000, false), (1_001, 1_000, true), (65_534, 1_000, true),
            (0, 1_000, false), (1_000, 0, false), (0, 0, false),
        ] as [(UInt32, UInt32, Bool)])
    func stranger(other: UInt32, own: UInt32, isStranger: Bool) {
        #expect(PeerConnection.isStranger(other, to: own) == isStranger)
    }
}
