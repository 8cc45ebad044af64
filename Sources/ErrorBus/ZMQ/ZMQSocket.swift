import CZMQ
import Dispatch
import Glibc

/// One libzmq socket. Not Sendable: it belongs to the thread of the reactor that holds it.
final class ZMQSocket {
    enum Kind: Hashable {
        /// A parent's side.
        case router
        /// A child's side.
        case dealer
    }

    /// The most frames kept of one message; the rest of a longer message is read and dropped.
    private static let frameCountMax = 16
    /// The most frames read at a time; a longer message takes several calls.
    private static let framesPerCall = 4_096

    /// The keys of a tcp socket (CURVE).
    enum Keys {
        /// The own pair, and the beginning of the user id of each accepted connection.
        case listening(own: KeyPair, mark: String)
        case connecting(own: KeyPair, parent: PublicKey)
    }

    let raw: UnsafeMutableRawPointer
    let kind: Kind
    let endpoint: Endpoint
    /// The keys of the socket; nil: a socket without keys.
    let keys: Keys?
    /// The file of an ipc endpoint that the socket listens on.
    private var file: ListeningFile?
    /// The kept frames of the message whose rest is still to be read.
    private var begun: [Frame]?
    /// Whether the rest of that message is dropped.
    private var isThrownAway = false

    /// Opens and configures a socket; every option is set, none left at libzmq's default.
    init(
        _ kind: Kind, endpoint: Endpoint, keys: Keys? = nil, context: ZMQContext
    ) throws(TransportError) {
        let type = kind == .router ? ZMQ_ROUTER : ZMQ_DEALER
        // A listening socket takes its peers' ids from rand(), unseeded and thus predictable: a
        // peer that knows the next id could take it first (4.3.4).
        let socket =
            kind == .router
            ? RandomSequence.withEntropy { zmq_socket(context.raw, type) }
            : zmq_socket(context.raw, type)
        guard let raw = socket else {
            throw TransportError(
                endpoint: endpoint, operation: "open a socket for",
                reason: ZMQError.text(zmq_errno()), isInUse: false)
        }
        self.raw = raw
        self.kind = kind
        self.endpoint = endpoint
        self.keys = keys
        for (option, value) in SocketOptions.options(of: kind) where !set(option, value) {
            let problem = failure("set option \(option) for", zmq_errno())
            close()
            throw problem
        }
        if let keys, !set(keys) {
            let problem = failure("set the keys of", zmq_errno())
            close()
            throw problem
        }
    }

    /// False when this libzmq was built without CURVE.
    ///
    /// Should libzmq not reach the ``Authenticator`` it lets every key pass (to enforce the answer
    /// is a draft, 4.3.4), with the user id that the peer itself gives: such messages come without
    /// the mark, and are dropped.
    private func set(_ keys: Keys) -> Bool {
        func set(_ option: Int32, _ text: String) -> Bool {
            zmq_setsockopt(raw, option, text, text.utf8.count) == 0
        }
        switch keys {
        case .listening(let own, _):
            return self.set(ZMQ_CURVE_SERVER, .int(1)) && set(ZMQ_CURVE_SECRETKEY, own.secret)
                && set(ZMQ_ZAP_DOMAIN, Authenticator.domain)
        case .connecting(let own, let parent):
            return set(ZMQ_CURVE_SERVERKEY, parent.description)
                && set(ZMQ_CURVE_PUBLICKEY, own.publicKey.description)
                && set(ZMQ_CURVE_SECRETKEY, own.secret)
        }
    }

    /// Whether messages of the socket come with the key of their sender.
    var isKeyed: Bool { if case .listening = keys { true } else { false } }

    /// The endpoint as libzmq expects it. libzmq binds to addresses and interfaces only, and for a
    /// connecting side `localhost` depends on the machine's IPv6: so it becomes 127.0.0.1.
    private var address: String {
        guard case .tcp("localhost", let port) = endpoint.address else {
            return endpoint.description
        }
        return "tcp://127.0.0.1:\(port == 0 ? "*" : String(port))"
    }

    private func set(_ option: Int32, _ value: SocketOptions.Value) -> Bool {
        switch value {
        case .int(var number):
            zmq_setsockopt(raw, option, &number, MemoryLayout<Int32>.size) == 0
        case .long(var number):
            zmq_setsockopt(raw, option, &number, MemoryLayout<Int64>.size) == 0
        }
    }

    func bind() throws(TransportError) {
        if case .ipc(let path) = endpoint.address {
            if let danger = SocketFile.danger(at: path) {
                throw failure("listen on", EACCES, danger)
            }
            try makeFile(at: path)
        }
        guard zmq_bind(raw, address) != 0 else { return }
        let number = zmq_errno()
        let reason =
            number == ENODEV
            ? "this machine has no such address; give an address, not a host name" : nil
        throw failure("listen on", number, reason)
    }

    private func makeFile(at path: String) throws(TransportError) {
        guard let file = ListeningFile.taking(path, backlog: SocketOptions.backlog) else {
            let number = errno
            if number == EADDRINUSE, let stranger = SocketFile.stranger(at: path) {
                throw failure("listen on", EACCES, stranger)
            }
            let reason = number == EEXIST ? "the path is a file, not a socket" : nil
            throw failure("listen on", number, reason)
        }
        self.file = file
        guard set(ZMQ_USE_FD, .int(file.descriptor)) else {
            throw failure("listen on", zmq_errno())
        }
    }

    func connect() throws(TransportError) {
        guard zmq_connect(raw, address) == 0 else { throw failure("connect to", zmq_errno()) }
    }

    private func failure(
        _ operation: String, _ number: Int32, _ reason: String? = nil
    ) -> TransportError {
        TransportError(
            endpoint: endpoint, operation: operation, reason: reason ?? ZMQError.text(number),
            isInUse: number == EADDRINUSE)
    }

    /// The endpoint, with the port that the system chose in place of 0.
    var boundEndpoint: Endpoint {
        guard case .tcp(let host, 0) = endpoint.address else { return endpoint }
        var buffer = [UInt8](repeating: 0, count: 256)
        var size = buffer.count
        guard zmq_getsockopt(raw, ZMQ_LAST_ENDPOINT, &buffer, &size) == 0 else { return endpoint }
        let text = String(decoding: buffer.prefix(max(0, size - 1)), as: UTF8.self)
        guard let bound = try? Endpoint(text), case .tcp(_, let port) = bound.address else {
            return endpoint
        }
        return (try? Endpoint("tcp://\(host.contains(":") ? "[\(host)]" : host):\(port)")) ?? bound
    }

    var isTCP: Bool { if case .tcp = endpoint.address { true } else { false } }

    /// The part of a message that was read.
    struct Received {
        /// The first frames of the message.
        let frames: [Frame]
        /// Whether the message was read to its end; if not, the next call goes on with it.
        let isWhole: Bool
        /// Whether the message is wanted; false if it was read and dropped.
        let isWanted: Bool
        /// The key of the sender, if the socket has keys.
        let key: PublicKey?
        /// The source of the message; nil unless it was asked for.
        let source: Source?
    }

    /// The connection that a message came over, and the amount that was read of it.
    struct Source {
        let descriptor: Int32
        let byteCount: Int
        let frameCount: Int
    }

    /// Reads one message, or a part of a message with many frames, which takes no more of a turn
    /// than others.
    ///
    /// - Parameters:
    ///   - withSource: Whether to look up the connection that it came over.
    ///   - isWanted: Whether to copy the message of the peer with this first frame and key. Called
    ///     at a listening socket once for a message of two frames or more; at a connecting socket,
    ///     with neither, for each message.
    /// - Returns: Nil when no message is waiting.
    func receive(
        withSource: Bool = false, isWanted: (Frame?, PublicKey?) -> Bool = { _, _ in true }
    ) -> Received? {
        var message = zmq_msg_t()
        zmq_msg_init(&message)
        defer { zmq_msg_close(&message) }
        guard receivePart(&message, flags: ZMQ_DONTWAIT) else { return nil }
        // The first frame of a listening socket is libzmq's own.
        var byteCount = kind == .router && begun == nil ? 0 : wireByteCount(of: &message)
        var frames = begun ?? []
        let isFirst = begun == nil
        begun = nil
        // Of a message that is not wanted nothing is kept, in any of its parts.
        var frameCountMax = isThrownAway ? 0 : Self.frameCountMax
        if isFirst, kind == .dealer, !isWanted(nil, nil) { frameCountMax = 0 }
        if frames.count < frameCountMax { frames.append(Self.frame(&message)) }
        var frameCount = 1
        while zmq_msg_more(&message) != 0 {
            if frameCount == Self.framesPerCall {
                begun = frames
                break
            }
            // The rest of a message is there with its first part: libzmq delivers it whole.
            guard receivePart(&message, flags: 0) else { break }
            byteCount += wireByteCount(of: &message)
            frameCount += 1
            if frameCount == 2, isFirst, kind == .router,
                !isWanted(frames[0], key(of: &message))
            {
                (frames, frameCountMax) = ([], 0)
            }
            if frames.count < frameCountMax { frames.append(Self.frame(&message)) }
        }
        isThrownAway = begun != nil && frameCountMax == 0
        let source =
            withSource
            ? Source(
                descriptor: zmq_msg_get(&message, ZMQ_SRCFD), byteCount: byteCount,
                frameCount: frameCount) : nil
        return Received(
            frames: frames, isWhole: begun == nil, isWanted: frameCountMax > 0,
            key: key(of: &message), source: source)
    }

    /// The key of the sender, if the socket has keys.
    private func key(of message: inout zmq_msg_t) -> PublicKey? {
        guard case .listening(_, let mark) = keys else { return nil }
        // Missing from the first frame after a poll: read from the last (4.3.4).
        let user = zmq_msg_gets(&message, "User-Id").map { String(cString: $0) } ?? ""
        return user.hasPrefix(mark) ? PublicKey(user.dropFirst(mark.count)) : nil
    }

    /// The bytes of a frame on the wire (RFC 37 of ZeroMQ): flags and size before it, and with keys
    /// the name, nonce and code of the message that carries it.
    private func wireByteCount(of message: inout zmq_msg_t) -> Int {
        let size = zmq_msg_size(&message) + (keys == nil ? 0 : 33)
        return size + (size > 255 ? 9 : 2)
    }

    private func receivePart(_ message: inout zmq_msg_t, flags: Int32) -> Bool {
        while zmq_msg_recv(&message, raw, flags) < 0 {
            if zmq_errno() != EINTR { return false }
        }
        return true
    }

    private static func frame(_ message: inout zmq_msg_t) -> Frame {
        let size = zmq_msg_size(&message)
        guard size > 0, let data = zmq_msg_data(&message) else { return [] }
        return Frame(UnsafeRawBufferPointer(start: data, count: size))
    }

    /// Sends a whole message or nothing of it.
    func send(_ frames: [Frame]) -> SendResult {
        var result = SendResult.sent
        for (index, frame) in frames.enumerated() {
            let more = index + 1 < frames.count ? ZMQ_SNDMORE : 0
            while zmq_send(raw, frame, frame.count, ZMQ_DONTWAIT | more) < 0 {
                let number = zmq_errno()
                if number == EINTR { continue }
                result = number == EHOSTUNREACH ? .unroutable : .full
                break
            }
            // Refused at its first part, nothing of it was sent. A later part is refused when the
            // connection was lost meanwhile: libzmq then drops all parts up to the last, which must
            // be handed over, or libzmq would drop the next message instead.
            if result != .sent, index == 0 { return result }
        }
        return result
    }

    /// Sets how long sent messages may take to leave after ``close()``.
    func setLinger(milliseconds: Int32) { _ = set(ZMQ_LINGER, .int(milliseconds)) }

    func close() {
        file?.delete()
        zmq_close(raw)
    }
}

/// libc's random numbers for libzmq, without a change to the host's sequence.
enum RandomSequence {
    /// The state size of glibc's default generator.
    private static let stateByteCount = 128
    private static let turn = DispatchSemaphore(value: 1)

    /// Runs `body` with `rand()` seeded from the system's entropy. Afterwards the host's sequence
    /// goes on where it was: a program that called `srand(42)` gets the numbers it expects.
    static func withEntropy<Value>(_ body: () -> Value) -> Value {
        turn.wait()
        defer { turn.signal() }
        var state = [CChar](repeating: 0, count: stateByteCount)
        return state.withUnsafeMutableBufferPointer { buffer in
            let seed = UInt32.random(in: 0...UInt32.max)
            // Nil only when the buffer is too small.
            let former = buffer.baseAddress.flatMap { initstate(seed, $0, buffer.count) }
            defer { _ = former.map { setstate($0) } }
            return body()
        }
    }
}

/// The options of every socket, each with its reason.
enum SocketOptions {
    enum Value {
        case int(Int32)
        case long(Int64)
    }

    /// Messages queued to one peer. Above it sending fails and the machines retry. Large messages
    /// have another limit: ``LargeMessages``.
    static let sendHighWaterMark: Int32 = 4_096
    /// The most connections that wait to be accepted.
    static let backlog: Int32 = 1_024
    /// The time for a handshake.
    static let handshakeMilliseconds: Int32 = 40_000

    static func options(of kind: ZMQSocket.Kind) -> [(Int32, Value)] {
        let limits = WireLimits.standard
        let common: [(Int32, Value)] = [
            // The last messages are sent before, by BYE; no socket may delay the end of the
            // process.
            (ZMQ_LINGER, .int(0)),
            (ZMQ_SNDHWM, .int(sendHighWaterMark)),
            // No limit, and no heartbeat: libzmq would end the process. A full receive queue stops
            // a connection's input; if the peer goes then, the connection stays without its
            // descriptor until the queue has room, and any send meanwhile fails an assertion
            // (`!_io_error`, 4.3.4 and 4.3.5): a send by its own heartbeat's timer, or of the PONG
            // to a PING that is read when the input resumes. The second cannot be turned off, so a
            // receive queue must never be full.
            (ZMQ_RCVHWM, .int(0)),
            (ZMQ_HEARTBEAT_IVL, .int(0)),
            // Without heartbeats the kernel detects dead hosts and cut cables, even under silent
            // connections (a request that waits). With TCP_MAXRT, a limit on unacknowledged data,
            // it is that limit that ends the connection: after 15 s.
            (ZMQ_TCP_KEEPALIVE, .int(1)),
            (ZMQ_TCP_KEEPALIVE_IDLE, .int(5)),
            (ZMQ_TCP_KEEPALIVE_INTVL, .int(3)),
            (ZMQ_TCP_KEEPALIVE_CNT, .int(3)),
            // Frees connections that stay silent. A handshake takes two round trips, even on slow
            // links.
            (ZMQ_HANDSHAKE_IVL, .int(handshakeMilliseconds)),
            (ZMQ_TCP_MAXRT, .int(15_000)),
            (ZMQ_IPV6, .int(1)),
        ]
        switch kind {
        case .router:
            return common + [
                // Reports a reply to a peer that is gone instead of dropping it.
                (ZMQ_ROUTER_MANDATORY, .int(1)),
                // A peer must never receive another's replies.
                (ZMQ_ROUTER_HANDOVER, .int(0)),
                // At this limit libzmq ends the connection silently, so it is above the bus's own
                // limit, whose refusal (413) names the reason.
                (ZMQ_MAXMSGSIZE, .long(Int64(limits.payloadByteCountMax) * 4)),
                (ZMQ_BACKLOG, .int(backlog)),
            ]
        case .dealer:
            return common + [
                // With 1 a connection that is lost while a message is being read ends the process
                // (libzmq's issue 3663). Nothing is sent before the connection is up, and a lost
                // connection's socket is closed, so no message queues for a missing parent.
                (ZMQ_IMMEDIATE, .int(0)),
                // At this limit the session would end for good on this side: far above the bus's
                // own.
                (ZMQ_MAXMSGSIZE, .long(Int64(limits.payloadByteCountMax) * 4)),
                // As for the links themselves (``LinkTimes``): a parent is found within 5 s.
                (ZMQ_RECONNECT_IVL, .int(100)),
                (ZMQ_RECONNECT_IVL_MAX, .int(3_500)),
                // The same where packets were dropped: the kernel pauses up to 16 s between tries.
                (ZMQ_CONNECT_TIMEOUT, .int(3_500)),
            ]
        }
    }
}

/// libzmq's error messages.
enum ZMQError {
    static func text(_ number: Int32) -> String {
        zmq_strerror(number).map { String(cString: $0) } ?? "error \(number)"
    }
}
