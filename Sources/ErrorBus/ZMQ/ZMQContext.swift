import CZMQ
import Glibc

/// libzmq's context: its I/O thread and limits. One for each reactor, closed by it.
///
/// Safe to hand between threads, says libzmq; everything else of libzmq belongs to one.
final class ZMQContext: @unchecked Sendable {
    let raw: UnsafeMutableRawPointer

    init(socketsMax: Int32 = 1_024) {
        // Routing ids come from rand(), which is unseeded and thus predictable (ZeroMQ 4.3.4).
        srand(UInt32.random(in: 0...UInt32.max))
        guard let context = zmq_ctx_new() else {
            preconditionFailure("libzmq gives no context: \(ZMQError.text(zmq_errno()))")
        }
        raw = context
        zmq_ctx_set(raw, ZMQ_MAX_SOCKETS, socketsMax)
        zmq_ctx_set(raw, ZMQ_BLOCKY, 0)
    }

    /// Returns once every socket is closed.
    func terminate() {
        while zmq_ctx_term(raw) != 0, zmq_errno() == EINTR {}
    }
}
