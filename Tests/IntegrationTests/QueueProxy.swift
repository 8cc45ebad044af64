import CZMQ
import Foundation

@testable import ErrorBus
@testable import ErrorBusCore

/// A plain `zmq_proxy` between clients and a node, on a thread of its own.
///
/// Unchecked: the sockets are made here, used by that thread alone, and closed once it is gone.
final class QueueProxy: @unchecked Sendable {
    private let context: UnsafeMutableRawPointer
    private let front: UnsafeMutableRawPointer
    private let back: UnsafeMutableRawPointer
    private let ended = DispatchSemaphore(value: 0)

    init(from endpoint: Endpoint, to node: Endpoint) throws {
        guard let context = zmq_ctx_new(), let front = zmq_socket(context, ZMQ_ROUTER),
            let back = zmq_socket(context, ZMQ_DEALER)
        else { throw RawSocket.Failed(operation: "proxy") }
        self.context = context
        self.front = front
        self.back = back
        var linger: Int32 = 0
        for socket in [front, back] {
            zmq_setsockopt(socket, ZMQ_LINGER, &linger, MemoryLayout<Int32>.size)
        }
        guard zmq_bind(front, endpoint.description) == 0,
            zmq_connect(back, node.description) == 0
        else { throw RawSocket.Failed(operation: "proxy") }
        Thread.detachNewThread { [self] in
            // Returns when the context is shut down.
            zmq_proxy(self.front, self.back, nil)
            ended.signal()
        }
    }

    func stop() {
        zmq_ctx_shutdown(context)
        ended.wait()
        zmq_close(front)
        zmq_close(back)
        zmq_ctx_term(context)
    }
}
