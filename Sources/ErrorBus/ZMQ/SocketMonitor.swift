import CZMQ
import Glibc
import Synchronization

/// The monitor of one socket's connections, with a thread of its own. An unread monitor stops the
/// socket it watches, so this thread only reads and forwards.
final class SocketMonitor: Sendable {
    /// A closure that gets each event, on the monitor's thread.
    typealias Handler = @Sendable (SocketEvent) -> Void

    static let events =
        ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_CONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED
        | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
        | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_MONITOR_STOPPED

    private let handler: Handler
    /// The reading end. The monitor's thread owns it once it runs.
    private let pair: Pair
    private let thread = Mutex<pthread_t?>(nil)

    /// A socket handed to the one thread that uses it; `pthread_create` makes the handover safe.
    private struct Pair: @unchecked Sendable {
        let raw: UnsafeMutableRawPointer
    }

    /// Starts watching. Called on the thread that owns `socket`, before it connects or
    /// binds.
    ///
    /// The reading end is connected here, not by the thread: an event without a reader would block
    /// libzmq's I/O thread, and ``stop(_:)`` as well.
    init?(_ socket: ZMQSocket, number: Int, context: ZMQContext, handler: @escaping Handler) {
        let address = "inproc://monitor-\(number)"
        self.handler = handler
        guard zmq_socket_monitor(socket.raw, address, Int32(Self.events)) == 0 else { return nil }
        guard let raw = Self.connect(to: address, context) else {
            zmq_socket_monitor(socket.raw, nil, 0)
            return nil
        }
        pair = Pair(raw: raw)
        var handle = pthread_t()
        let status = pthread_create(
            &handle, nil, monitorThread, Unmanaged.passRetained(self).toOpaque())
        guard status == 0 else {
            Unmanaged.passUnretained(self).release()
            zmq_socket_monitor(socket.raw, nil, 0)
            zmq_close(raw)
            return nil
        }
        thread.withLock { $0 = handle }
    }

    private static func connect(
        to address: String, _ context: ZMQContext
    ) -> UnsafeMutableRawPointer? {
        guard let pair = zmq_socket(context.raw, ZMQ_PAIR) else { return nil }
        var linger: Int32 = 0
        guard zmq_setsockopt(pair, ZMQ_LINGER, &linger, MemoryLayout<Int32>.size) == 0,
            zmq_connect(pair, address) == 0
        else {
            zmq_close(pair)
            return nil
        }
        return pair
    }

    /// Stops watching and waits for the thread, which ends when it has read the last event. Called
    /// on the thread that owns `socket`, before that is closed.
    func stop(_ socket: ZMQSocket) {
        zmq_socket_monitor(socket.raw, nil, 0)
        let handle = thread.withLock { handle in
            defer { handle = nil }
            return handle
        }
        if let handle { pthread_join(handle, nil) }
    }

    fileprivate func read() {
        czmq_name_thread("errorbus-watch")
        defer { zmq_close(pair.raw) }
        var isCaughtUp = false
        while let event = Self.next(pair.raw, mayWait: isCaughtUp) {
            handler(event)
            isCaughtUp = event == .caughtUp
        }
    }

    /// Reads one event: a frame of number and value, then the address. Nil if it is the last event,
    /// or the context ends.
    ///
    /// - Parameter mayWait: Whether to wait for an event.
    private static func next(_ pair: UnsafeMutableRawPointer, mayWait: Bool) -> SocketEvent? {
        var buffer = [UInt8](repeating: 0, count: 512)
        while zmq_recv(pair, &buffer, buffer.count, mayWait ? 0 : ZMQ_DONTWAIT) < 0 {
            switch zmq_errno() {
            case EINTR: continue
            case EAGAIN: return .caughtUp
            default: return nil
            }
        }
        let number = Int32(buffer[0]) | Int32(buffer[1]) << 8
        let value = buffer[2..<6].reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        while zmq_recv(pair, &buffer, buffer.count, 0) < 0 {
            if zmq_errno() != EINTR { return nil }
        }
        return SocketEvent(number: number, value: Int32(bitPattern: value))
    }
}

/// The entry of the thread. Nonisolated, as a C callback has to be: a closure in isolated code
/// traps when C calls it.
private func monitorThread(_ raw: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let raw else { return nil }
    Unmanaged<SocketMonitor>.fromOpaque(raw).takeRetainedValue().read()
    return nil
}
