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
}
