import Testing

@testable import ErrorBus

struct SocketEventTests {
    @Test(
        "A failed handshake has one text, whichever side ends the connection first",
        arguments: [
            SocketEvent.Failure.otherMechanism, .otherKey, .malformed, .ended,
        ])
    func handshake(failure: SocketEvent.Failure) {
        guard case .failed(let reason)? = ConnectionEvent(.failed(failure)) else {
            Issue.record("no failure")
            return
        }
        #expect(
            reason
                == "the handshake failed: the other side does not speak ZeroMQ, only one of the "
                + "two sides has keys, or a key is another one than expected")
    }

    @Test("F29 a failure names the public keys of its socket, and no secret one")
    func keys() throws {
        let (own, other) = (try #require(KeyPair.make()), try #require(KeyPair.make()))
        let keys = ZMQSocket.Keys.connecting(own: own, parent: other.publicKey)
        guard case .failed(let reason) = ConnectionEvent.failed("refused").naming(keys) else {
            Issue.record("no failure")
            return
        }
        #expect(reason.hasPrefix("refused (this node's key: \(own.publicKey), "))
        #expect(reason.hasSuffix(": \(other.publicKey))") && !reason.contains(own.secret))
        #expect(ConnectionEvent.failed("refused").naming(nil) == .failed("refused"))
        #expect(ConnectionEvent.connected.naming(keys) == .connected)
    }
}
