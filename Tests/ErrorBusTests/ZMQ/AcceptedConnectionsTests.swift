import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What a listening socket's events say of the connections that failed.
@Suite struct AcceptedConnectionsTests {
    private let start = MonotonicTime(milliseconds: 5_000)

    /// The causes and the peers of the connections that failed, of one socket's events; each
    /// descriptor's peer is named after it. The last events come later.
    private func failed(
        _ events: [SocketEvent], isKeyed: Bool = true, last count: Int = 2,
        after milliseconds: UInt64 = 0
    ) -> [FailedConnections] {
        var connections = AcceptedConnections(isKeyed: isKeyed)
        return events.enumerated().compactMap { index, event in
            let isLater = index + count >= events.count
            return connections.take(event, at: start + (isLater ? milliseconds : 0)) {
                "host-\($0)"
            }
        }
    }

    @Test(
        "A failure has the cause that its kind of port gives it",
        arguments: [
            (.otherMechanism, true, .noKeys), (.otherMechanism, false, .unexpectedKeys),
            (.otherKey, true, .wrongServerKey), (.malformed, true, .notZMTP),
            (.ended, false, .leftEarly),
        ] as [(SocketEvent.Failure, Bool, FailedConnections.Cause)])
    func causes(_ failure: SocketEvent.Failure, isKeyed: Bool, cause: FailedConnections.Cause) {
        let events: [SocketEvent] = [.accepted(7), .caughtUp, .failed(failure), .disconnected(7)]
        #expect(
            failed(events, isKeyed: isKeyed) == [FailedConnections(cause, from: "host-7")])
    }

    @Test("A handshake that ends with its time was not completed in it; before, it was left")
    func silent() {
        let events: [SocketEvent] = [.accepted(7), .caughtUp, .failed(.ended), .disconnected(7)]
        #expect(failed(events, after: 40_000).map(\.cause) == [.silent])
        #expect(failed(events, after: 38_000).map(\.cause) == [.leftEarly])
    }

    @Test("A peer is named only when its descriptor was surely still its own")
    func certain() {
        // Both were queued before the look: the descriptor may have been another's.
        let late: [SocketEvent] = [
            .accepted(7), .failed(.malformed), .disconnected(7), .caughtUp,
        ]
        #expect(failed(late) == [FailedConnections(.notZMTP, from: nil)])
        // The descriptor is the next connection's, which is named.
        let next: [SocketEvent] = [
            .accepted(7), .caughtUp, .failed(.malformed), .disconnected(7), .accepted(7),
            .failed(.ended), .disconnected(7),
        ]
        #expect(
            failed(next) == [
                FailedConnections(.notZMTP, from: "host-7"),
                FailedConnections(.leftEarly, from: nil),
            ])
    }

    @Test("An end without a failure is one of another protocol, unless it may have had its link")
    func withoutFailure() {
        #expect(failed([.accepted(7), .caughtUp, .disconnected(7)]).map(\.cause) == [.notZMTP])
        #expect(failed([.accepted(7), .succeeded, .disconnected(7)]) == [])
        // The authenticator has reported it.
        #expect(failed([.accepted(7), .refused, .disconnected(7)]) == [])
        // Which of both has its link is not known.
        #expect(failed([.accepted(7), .accepted(8), .succeeded, .disconnected(7)]) == [])
        let later: [SocketEvent] = [
            .accepted(7), .succeeded, .accepted(8), .caughtUp, .disconnected(8), .disconnected(7),
        ]
        #expect(failed(later) == [FailedConnections(.notZMTP, from: "host-8")])
    }

    @Test("A failure that its connection outlives is no other connection's")
    func outlived() {
        let events: [SocketEvent] = [
            .accepted(7), .succeeded, .accepted(8), .succeeded, .failed(.malformed),
            .disconnected(8),
        ]
        #expect(failed(events, last: 1, after: 1_001) == [])
        #expect(failed(events, last: 1, after: 1_000).map(\.cause) == [.notZMTP])
    }

    @Test("The end of a connection that was not seen to begin is none that failed")
    func unknown() {
        #expect(failed([.failed(.ended), .disconnected(7)]) == [])
    }
}
