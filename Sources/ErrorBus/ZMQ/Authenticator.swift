import CZMQ
import Glibc

/// The thread that libzmq asks about the key of each new connection (ZAP, RFC 27 of ZeroMQ): it
/// accepts known keys, and refuses others before any message.
final class Authenticator: Sendable {
    private static let endpoint = "inproc://zeromq.zap.01"
    /// The domain that the sockets of one node send; a request with another domain is refused.
    static let domain = "errorbus"

    private let keys: KeyRing
    private let mark: String
    private let refused: @Sendable (RefusedKey) -> Void
    private let socket: Handed

    /// A socket handed to the one thread that uses it; `pthread_create` makes the handover safe.
    private struct Handed: @unchecked Sendable {
        let raw: UnsafeMutableRawPointer
    }

    /// Starts the thread; it ends with the context. Nil if the system has no resources for it.
    ///
    /// - Parameter mark: The beginning of the user id of each accepted connection.
    /// - Parameter refused: A closure that gets each refused key, on the authenticator's thread.
    init?(
        _ keys: KeyRing, mark: String, context: ZMQContext,
        refused: @escaping @Sendable (RefusedKey) -> Void
    ) {
        self.keys = keys
        self.mark = mark
        self.refused = refused
        guard let raw = zmq_socket(context.raw, ZMQ_REP) else { return nil }
        socket = Handed(raw: raw)
        var linger: Int32 = 0
        guard zmq_setsockopt(raw, ZMQ_LINGER, &linger, MemoryLayout<Int32>.size) == 0,
            zmq_bind(raw, Self.endpoint) == 0
        else {
            zmq_close(raw)
            return nil
        }
        var handle = pthread_t()
        let status = pthread_create(
            &handle, nil, authenticatorThread, Unmanaged.passRetained(self).toOpaque())
        guard status == 0 else {
            Unmanaged.passUnretained(self).release()
            zmq_close(raw)
            return nil
        }
        pthread_detach(handle)
    }

    /// Answers until the context ends.
    fileprivate func serve() {
        czmq_name_thread("errorbus-keys")
        defer { zmq_close(socket.raw) }
        while let request = next() {
            let key = request.count == 7 ? judge(request) : nil
            reply(to: request.count > 1 ? request[1] : [], key)
        }
    }

    /// The public key of the peer, as the user id of its messages; nil for a refusal.
    private func judge(_ request: [Frame]) -> PublicKey? {
        let isOurs =
            request[0].elementsEqual("1.0".utf8) && request[2].elementsEqual(Self.domain.utf8)
            && request[5].elementsEqual("CURVE".utf8)
        let key = isOurs ? PublicKey(bytes: Array(request[6])) : nil
        if let key, keys.holder(of: key) != nil { return key }
        let address = PeerConnection.plain(String(decoding: request[3], as: UTF8.self))
        refused(RefusedKey(key: key, address: address))
        return nil
    }

    private func reply(to number: Frame, _ key: PublicKey?) {
        let frames: [Frame] = [
            Frame("1.0".utf8), number, Frame((key == nil ? "400" : "200").utf8),
            Frame((key == nil ? "unknown key" : "OK").utf8),
            Frame((key.map { mark + $0.description } ?? "").utf8),
            [],
        ]
        for (index, frame) in frames.enumerated() {
            let more = index + 1 < frames.count ? ZMQ_SNDMORE : 0
            while zmq_send(socket.raw, frame, frame.count, more) < 0 {
                if zmq_errno() != EINTR { return }
            }
        }
    }

    /// The next request: version, number, domain, address, identity, mechanism, credentials. Nil
    /// when the context ends.
    private func next() -> [Frame]? {
        var frames: [Frame] = []
        var message = zmq_msg_t()
        zmq_msg_init(&message)
        defer { zmq_msg_close(&message) }
        repeat {
            while zmq_msg_recv(&message, socket.raw, 0) < 0 {
                if zmq_errno() != EINTR { return nil }
            }
            let size = zmq_msg_size(&message)
            if let data = zmq_msg_data(&message), size > 0 {
                frames.append(Frame(UnsafeRawBufferPointer(start: data, count: size)))
            } else {
                frames.append([])
            }
        } while zmq_msg_more(&message) != 0
        return frames
    }
}

/// The entry of the thread. Nonisolated, as a C callback has to be: a closure in isolated code
/// traps when C calls it.
private func authenticatorThread(_ raw: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let raw else { return nil }
    Unmanaged<Authenticator>.fromOpaque(raw).takeRetainedValue().serve()
    return nil
}
