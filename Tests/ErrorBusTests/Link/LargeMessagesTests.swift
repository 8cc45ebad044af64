import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What a peer may be sent in large messages.
@Suite struct LargeMessagesTests {
    private let now: MonotonicTime = 1_000_000
    private let size = 128 << 10

    private func peer(_ holder: NodeName, _ number: UInt8) throws -> PeerID {
        let key = try #require(PublicKey(String(repeating: "0", count: 40)))
        var peer = PeerID(number)
        peer.holder = KeyHolder(key: key, name: holder, reserved: [], isRelay: false)
        return peer
    }

    /// How many of `count` messages may be sent.
    private func taken(
        _ count: Int, _ large: inout LargeMessages, by peer: PeerID, at time: MonotonicTime
    ) -> Int {
        (0..<count).count { _ in large.mayTake(size, by: peer, at: time) }
    }

    @Test("so much at once, and as much again as time goes by; small ones always")
    func bounded() {
        var large = LargeMessages()
        let most = LargeMessages.byteCountMax / size
        #expect(taken(1_000, &large, by: PeerID(1), at: now) == most)
        for _ in 0..<10_000 {
            #expect(large.mayTake(LargeMessages.byteCountMin, by: PeerID(1), at: now) == true)
        }
        let perSecond = LargeMessages.byteCountPerSecond / size
        #expect(taken(1_000, &large, by: PeerID(1), at: now + 10_000) == 10 * perSecond)
        #expect(taken(1_000, &large, by: PeerID(1), at: now + 1_000_000) == most)
    }

    @Test("one key counts once, whatever its connections; others have their own")
    func keyed() throws {
        var large = LargeMessages()
        let most = LargeMessages.byteCountMax / size
        let (one, two, other) = (try peer("w", 1), try peer("w", 2), try peer("x", 1))
        #expect(taken(most - 1, &large, by: one, at: now) == most - 1)
        #expect(taken(most, &large, by: two, at: now) == 1)
        #expect(taken(1_000, &large, by: other, at: now) == most)
        // Without keys each connection, whatever the request.
        #expect(taken(1_000, &large, by: PeerID(1, request: 1), at: now) == most)
        #expect(taken(1_000, &large, by: PeerID(1, request: 2), at: now) == 0)
        #expect(taken(1_000, &large, by: PeerID(2), at: now) == most)
    }
}
