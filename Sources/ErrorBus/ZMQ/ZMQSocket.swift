import CZMQ
import Glibc

/// One libzmq socket. Not Sendable: it belongs to the thread of the reactor that holds it.
final class ZMQSocket {
    enum Kind: Hashable {
        /// A parent's side.
        case router
        /// A child's side.
        case dealer
    }

    /// Frames of one message that are kept; the rest of a longer one is read and thrown away.
    private static let frameCountMax = 16

    let raw: UnsafeMutableRawPointer
    let endpoint: Endpoint

    /// Opens and configures a socket; every option is set, none left to libzmq's default.
    init(_ kind: Kind, endpoint: Endpoint, context: ZMQContext) throws(TransportError) {
        let type = kind == .router ? ZMQ_ROUTER : ZMQ_DEALER
        guard let raw = zmq_socket(context.raw, type) else {
            throw TransportError(
                endpoint: endpoint, operation: "open a socket for",
                reason: ZMQError.text(zmq_errno()), isInUse: false)
        }
        self.raw = raw
        self.endpoint = endpoint
        for (option, value) in SocketOptions.options(of: kind) { set(option, value) }
    }

    private func set(_ option: Int32, _ value: SocketOptions.Value) {
        let status =
            switch value {
            case .int(var number): zmq_setsockopt(raw, option, &number, MemoryLayout<Int32>.size)
            case .long(var number): zmq_setsockopt(raw, option, &number, MemoryLayout<Int64>.size)
            }
        precondition(status == 0, "option \(option): \(ZMQError.text(zmq_errno()))")
    }

    func bind() throws(TransportError) {
        guard zmq_bind(raw, endpoint.description) == 0 else {
            throw failure("listen on")
        }
    }

    func connect() throws(TransportError) {
        guard zmq_connect(raw, endpoint.description) == 0 else {
            throw failure("connect to")
        }
    }

    private func failure(_ operation: String) -> TransportError {
        let number = zmq_errno()
        return TransportError(
            endpoint: endpoint, operation: operation, reason: ZMQError.text(number),
            isInUse: number == EADDRINUSE)
    }

    /// The endpoint with the port that the system chose, where 0 was asked for.
    var boundEndpoint: String {
        var buffer = [CChar](repeating: 0, count: 256)
        var size = buffer.count
        guard zmq_getsockopt(raw, ZMQ_LAST_ENDPOINT, &buffer, &size) == 0 else {
            return endpoint.description
        }
        return String(decoding: buffer.prefix(max(0, size - 1)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Takes one whole message; nil when none is waiting.
    func receive() -> [Frame]? {
        guard let first = receivePart(flags: ZMQ_DONTWAIT) else { return nil }
        var frames = [first]
        while hasMore {
            // The rest of a message is there once its first part is: libzmq delivers it whole.
            guard let part = receivePart(flags: 0) else { break }
            if frames.count < Self.frameCountMax { frames.append(part) }
        }
        return frames
    }

    private var hasMore: Bool {
        var more: Int32 = 0
        var size = MemoryLayout<Int32>.size
        return zmq_getsockopt(raw, ZMQ_RCVMORE, &more, &size) == 0 && more != 0
    }

    private func receivePart(flags: Int32) -> Frame? {
        var message = zmq_msg_t()
        zmq_msg_init(&message)
        defer { zmq_msg_close(&message) }
        while zmq_msg_recv(&message, raw, flags) < 0 {
            if zmq_errno() != EINTR { return nil }
        }
        let size = zmq_msg_size(&message)
        guard size > 0, let data = zmq_msg_data(&message) else { return [] }
        return Frame(UnsafeRawBufferPointer(start: data, count: size))
    }

    /// Hands over a whole message or nothing of it.
    func send(_ frames: [Frame]) -> SendResult {
        for (index, frame) in frames.enumerated() {
            let more = index + 1 < frames.count ? ZMQ_SNDMORE : 0
            while zmq_send(raw, frame, frame.count, ZMQ_DONTWAIT | more) < 0 {
                switch zmq_errno() {
                case EINTR: continue
                case EHOSTUNREACH: return .unroutable
                default:
                    // Only the first part can find the queue full: a message is accepted whole.
                    return .full
                }
            }
        }
        return .sent
    }

    /// How long what was sent may still take to leave after ``close()``.
    func setLinger(milliseconds: Int32) { set(ZMQ_LINGER, .int(milliseconds)) }

    func close() {
        zmq_close(raw)
    }
}
