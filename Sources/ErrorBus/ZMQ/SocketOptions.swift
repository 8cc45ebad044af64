import CZMQ

/// Every option of every socket, with its reason.
enum SocketOptions {
    enum Value {
        case int(Int32)
        case long(Int64)
    }

    /// Messages queued to one peer. Above it sending says so and the machines send again.
    static let sendHighWaterMark: Int32 = 4_096

    static func options(of kind: ZMQSocket.Kind) -> [(Int32, Value)] {
        let limits = WireLimits.standard
        let common: [(Int32, Value)] = [
            // Drained before, by BYE; nothing may hold up the end of the process.
            (ZMQ_LINGER, .int(0)),
            (ZMQ_SNDHWM, .int(sendHighWaterMark)),
            // None, and no heartbeat: libzmq would end the process. A full receive queue stops a
            // connection's input; if the peer goes then, the connection is kept without its
            // descriptor until the queue has room, and whatever makes it send meanwhile fails an
            // assertion (`!_io_error`, 4.3.4 and 4.3.5): its own heartbeat's timer, and the PONG
            // to a PING of the peer's that is found when the input goes on. The second cannot be
            // turned off, so a receive queue must never be full.
            (ZMQ_RCVHWM, .int(0)),
            (ZMQ_HEARTBEAT_IVL, .int(0)),
            // Without heartbeats the kernel finds dead hosts and cut cables, also under those
            // that say nothing by nature (a request that waits). With a limit on what stays
            // unacknowledged, TCP_MAXRT, it is that limit that ends the connection: after 15 s.
            (ZMQ_TCP_KEEPALIVE, .int(1)),
            (ZMQ_TCP_KEEPALIVE_IDLE, .int(5)),
            (ZMQ_TCP_KEEPALIVE_INTVL, .int(3)),
            (ZMQ_TCP_KEEPALIVE_CNT, .int(3)),
            // Frees what connects and then says nothing. A handshake is two round trips, on slow
            // links too.
            (ZMQ_HANDSHAKE_IVL, .int(40_000)),
            (ZMQ_TCP_MAXRT, .int(15_000)),
            (ZMQ_IPV6, .int(1)),
        ]
        switch kind {
        case .router:
            return common + [
                // A reply to a peer that is gone is reported, not swallowed.
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
