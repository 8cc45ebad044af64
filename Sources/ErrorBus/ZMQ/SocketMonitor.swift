import CZMQ
import Glibc
import Synchronization

/// Watches one socket's connections from a thread of its own. A monitor that nobody reads stops
/// the socket it watches, so this thread does nothing but read and forward.
final class SocketMonitor: Sendable {
    /// Called on the monitor's thread.
    typealias Handler = @Sendable (ConnectionEvent) -> Void

    static let events =
        ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
        | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
        | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_MONITOR_STOPPED

    private let address: String
    private let context: ZMQContext
    private let handler: Handler
    private let thread = Mutex<pthread_t?>(nil)

    /// Starts watching. On the thread that owns `socket`.
    init?(_ socket: ZMQSocket, number: Int, context: ZMQContext, handler: @escaping Handler) {
        address = "inproc://monitor-\(number)"
        self.context = context
        self.handler = handler
        guard zmq_socket_monitor(socket.raw, address, Int32(Self.events)) == 0 else { return nil }
        var handle = pthread_t()
        let status = pthread_create(
            &handle, nil, monitorThread, Unmanaged.passRetained(self).toOpaque())
        guard status == 0 else {
            Unmanaged.passUnretained(self).release()
            zmq_socket_monitor(socket.raw, nil, 0)
            return nil
        }
        thread.withLock { $0 = handle }
    }

    /// Stops watching and waits for the thread, which ends as soon as it has read that it shall.
    /// On the thread that owns `socket`, before that is closed.
    func stop(_ socket: ZMQSocket) {
        zmq_socket_monitor(socket.raw, nil, 0)
        let handle = thread.withLock { handle in
            defer { handle = nil }
            return handle
        }
        if let handle { pthread_join(handle, nil) }
    }

    fileprivate func read() {
        guard let pair = zmq_socket(context.raw, ZMQ_PAIR) else { return }
        defer { zmq_close(pair) }
        var linger: Int32 = 0
        zmq_setsockopt(pair, ZMQ_LINGER, &linger, MemoryLayout<Int32>.size)
        guard zmq_connect(pair, address) == 0 else { return }
        while let event = Self.next(pair) {
            if event == ZMQ_EVENT_MONITOR_STOPPED { return }
            if let change = Self.change(event) { handler(change) }
        }
    }

    /// Reads one event: a frame of number and value, then the address.
    private static func next(_ pair: UnsafeMutableRawPointer) -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 512)
        while true {
            let count = zmq_recv(pair, &buffer, buffer.count, 0)
            if count < 0 {
                if zmq_errno() == EINTR { continue }
                return nil
            }
            guard count >= 2 else { return nil }
            let event = Int32(buffer[0]) | Int32(buffer[1]) << 8
            while zmq_recv(pair, &buffer, buffer.count, 0) < 0 {
                if zmq_errno() != EINTR { return nil }
            }
            return event
        }
    }

    private static func change(_ event: Int32) -> ConnectionEvent? {
        switch event {
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: .connected
        case ZMQ_EVENT_DISCONNECTED: .disconnected
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: .failed("the other side speaks no ZeroMQ")
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: .failed("the other side refuses this key")
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: .failed("the handshake failed")
        default: nil
        }
    }
}

/// A C callback has to be nonisolated: a closure in isolated code traps when C calls it.
private func monitorThread(_ raw: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let raw else { return nil }
    Unmanaged<SocketMonitor>.fromOpaque(raw).takeRetainedValue().read()
    return nil
}
