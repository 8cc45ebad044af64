import CZMQ

/// Every option of every socket, with its reason.
enum SocketOptions {
    enum Value {
        case int(Int32)
        case long(Int64)
    }

    /// Messages queued to or from one peer. Above it sending says so and the machines send again.
    static let highWaterMark: Int32 = 4_096

    static func options(of kind: ZMQSocket.Kind) -> [(Int32, Value)] {
        let limits = WireLimits.standard
        let common: [(Int32, Value)] = [
            // Drained before, by BYE; nothing may hold up the end of the process.
            (ZMQ_LINGER, .int(0)),
            (ZMQ_SNDHWM, .int(highWaterMark)),
            (ZMQ_RCVHWM, .int(highWaterMark)),
            // The transport's own heartbeat: finds dead hosts and cut cables within 8 s, not hung
            // applications. The TTL must stay below 65 535 ms.
            (ZMQ_HEARTBEAT_IVL, .int(2_000)),
            (ZMQ_HEARTBEAT_TIMEOUT, .int(6_000)),
            (ZMQ_HEARTBEAT_TTL, .int(10_000)),
            // Frees what connects and then says nothing. A handshake is two round trips, on slow
            // links too.
            (ZMQ_HANDSHAKE_IVL, .int(40_000)),
            (ZMQ_TCP_MAXRT, .int(15_000)),
            (ZMQ_IPV6, .int(1)),
        ]
        switch kind {
        case .router:
            return common + [
                // A reply to a peer that is gone is told, not swallowed.
                (ZMQ_ROUTER_MANDATORY, .int(1)),
                // One peer never takes over another's replies.
                (ZMQ_ROUTER_HANDOVER, .int(0)),
                // Hit, it ends the connection without a word: above what is allowed, so that the
                // refusal (413) can say so.
                (ZMQ_MAXMSGSIZE, .long(Int64(limits.payloadByteCountMax) * 4)),
                (ZMQ_BACKLOG, .int(1_024)),
            ]
        case .dealer:
            return common + [
                // With 1 a connection that is lost while a message is being read ends the process
                // (libzmq's issue 3663). Nothing is sent before the connection is up, and a lost
                // one's socket is closed, so nothing queues for a parent that is not there.
                (ZMQ_IMMEDIATE, .int(0)),
                // Hit on this side it would end the session for ever: far above what is allowed.
                (ZMQ_MAXMSGSIZE, .long(Int64(limits.payloadByteCountMax) * 4)),
                (ZMQ_RECONNECT_IVL, .int(100)),
                (ZMQ_RECONNECT_IVL_MAX, .int(10_000)),
            ]
        }
    }
}
