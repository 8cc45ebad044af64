import CZMQ
import Dispatch

@testable import ErrorBus
@testable import ErrorBusCore

/// A plain libzmq socket with a context of its own: what a client in another language has.
///
/// Unchecked: the socket is used on its queue alone, one block after the other.
final class RawSocket: @unchecked Sendable {
    struct Failed: Error {
        let operation: String
    }

    private let context: UnsafeMutableRawPointer
    private let socket: UnsafeMutableRawPointer
    private let queue = DispatchQueue(label: "raw-socket")

    /// - Parameter options: Beside LINGER 0 and a receive limit of 20 s.
    init(_ type: Int32, _ options: [Int32: Int32] = [:]) throws {
        guard let context = zmq_ctx_new(), let socket = zmq_socket(context, type) else {
            throw Failed(operation: "socket")
        }
        self.context = context
        self.socket = socket
        let all = [ZMQ_LINGER: 0, ZMQ_RCVTIMEO: 20_000].merging(options) { $1 }
        for (option, value) in all {
            var value = value
            guard zmq_setsockopt(socket, option, &value, MemoryLayout<Int32>.size) == 0 else {
                throw Failed(operation: "option \(option)")
            }
        }
    }

    deinit {
        zmq_close(socket)
        zmq_ctx_term(context)
    }

    /// A REQ that may ask again without a reply, and knows late replies from its own.
    static func request(to endpoint: Endpoint, isStrict: Bool = false) throws -> RawSocket {
        let relaxed: [Int32: Int32] = [ZMQ_REQ_RELAXED: 1, ZMQ_REQ_CORRELATE: 1]
        let socket = try RawSocket(ZMQ_REQ, isStrict ? [:] : relaxed)
        try socket.connect(endpoint)
        return socket
    }

    static func dealer(to endpoint: Endpoint) throws -> RawSocket {
        let socket = try RawSocket(ZMQ_DEALER)
        try socket.connect(endpoint)
        return socket
    }

    func connect(_ endpoint: Endpoint) throws {
        guard zmq_connect(socket, endpoint.description) == 0 else {
            throw Failed(operation: "connect")
        }
    }

    func bind(_ endpoint: Endpoint) throws {
        guard zmq_bind(socket, endpoint.description) == 0 else { throw Failed(operation: "bind") }
    }

    func send(_ frames: [Frame]) async throws {
        try await onQueue { socket in
            for (index, frame) in frames.enumerated() {
                let more = index + 1 < frames.count ? ZMQ_SNDMORE : 0
                guard zmq_send(socket, frame, frame.count, more) >= 0 else {
                    throw Failed(operation: "send")
                }
            }
        }
    }

    /// The next message; throws when none comes in time.
    func receive() async throws -> [Frame] {
        try await onQueue { socket in
            var frames: [Frame] = []
            var message = zmq_msg_t()
            zmq_msg_init(&message)
            defer { zmq_msg_close(&message) }
            repeat {
                guard zmq_msg_recv(&message, socket, 0) >= 0 else {
                    throw Failed(operation: "receive")
                }
                let bytes = UnsafeRawBufferPointer(
                    start: zmq_msg_data(&message), count: zmq_msg_size(&message))
                frames.append(Frame(bytes))
            } while zmq_msg_more(&message) != 0
            return frames
        }
    }

    private func onQueue<Value: Sendable>(
        _ body: @escaping @Sendable (UnsafeMutableRawPointer) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body(self.socket) }) }
        }
    }
}

extension RawSocket {
    /// Sends a message as a REQ does, and reads the reply.
    func ask(_ message: Message) async throws -> Message {
        try await send(message.frames)
        return try await hear()
    }

    /// The next message; an empty frame in front, as a DEALER gets it, is taken off.
    func hear() async throws -> Message {
        let frames = try await receive()
        return try Message(frames: frames.first == [] ? frames.dropFirst() : frames[...])
    }

    /// The next message of a verb; pushes before it are passed over.
    func hear(_ verb: Verb) async throws -> Message {
        while true {
            let message = try await hear()
            if message.verb == verb { return message }
        }
    }

    /// Sends a message as a child's DEALER does.
    func tell(_ message: Message) async throws { try await send([[]] + message.frames) }
}
