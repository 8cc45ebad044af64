import Dispatch
import Glibc

@testable import ErrorBus
@testable import ErrorBusCore

/// A client of a node with keys that stands on neither libzmq nor a `Node`: it may stop, break and
/// repeat each step of the handshake, and with a key that is known say what it likes.
///
/// Unchecked: the connection is used on its queue alone, one block after the other.
final class CurvePeer: @unchecked Sendable {
    private let queue = DispatchQueue(label: "curve-peer")
    private var connection: CurveConnection

    /// Connects; nothing is sent yet.
    ///
    /// - Parameter own: Nil: a new pair, which no node knows.
    init(to endpoint: Endpoint, holdingKeyOf server: PublicKey, own: KeyPair? = nil) throws {
        guard let key = Z85.bytes(server.description, count: 32) else {
            throw CurveConnection.Failed(step: "keys")
        }
        var pair = CurveHandshake.Pair()
        if let own, let publicKey = Z85.bytes(own.publicKey.description, count: 32),
            let secretKey = Z85.bytes(own.secret, count: 32)
        {
            pair = CurveHandshake.Pair(publicKey: publicKey, secretKey: secretKey)
        }
        let descriptor = try PlainConnection.open(endpoint)
        // A node that lets nothing happen fails a test, and does not hang it.
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        connection = CurveConnection(
            descriptor: descriptor, handshake: CurveHandshake(server: key, own: pair))
    }

    deinit { close(connection.descriptor) }

    /// Runs what may block, after what was asked before.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (inout CurveConnection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body(&self.connection) }) }
        }
    }

    /// Sends a message as a child does.
    func tell(_ message: Message) async throws {
        try await run { try $0.send([[]] + message.frames) }
    }

    /// The next message of a verb; others before it are passed over.
    func hear(_ verb: Verb) async throws -> Message {
        while true {
            let frames = try await run { try $0.receive() }
            let message = try Message(frames: frames.dropFirst())
            if message.verb == verb { return message }
        }
    }

    /// Waits until the other side ends the connection, whatever it sends before.
    func ended() async throws { try await run { try $0.readToEnd() } }
}

/// The connection of a ``CurvePeer``, whose calls block.
struct CurveConnection {
    struct Failed: Error {
        let step: String
        let number = errno
    }

    let descriptor: Int32
    var handshake: CurveHandshake

    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failed(step: "write") }
            rest = rest.dropFirst(count)
        }
    }

    private func read(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count else {
            throw Failed(step: "read")
        }
        return bytes
    }

    /// The flags of the next frame, and its content.
    private func frame() throws -> (flags: UInt8, content: [UInt8]) {
        let flags = try read(1)[0]
        let size = try read(flags & 2 == 0 ? 1 : 8).reduce(0) { $0 << 8 | Int($1) }
        return (flags, try read(size))
    }

    /// The body of the next command, which has to be this one.
    func command(_ name: String) throws -> [UInt8] {
        let (flags, content) = try frame()
        let head = [UInt8(name.utf8.count)] + Array(name.utf8)
        guard flags & 4 != 0, content.starts(with: head) else { throw Failed(step: name) }
        return Array(content.dropFirst(head.count))
    }

    /// Sends the greeting and reads the other side's.
    func greet() throws {
        try write(CurveHandshake.greeting)
        _ = try read(CurveHandshake.greeting.count)
    }

    /// Greets, says HELLO, and takes WELCOME.
    mutating func sayHello() throws {
        try greet()
        try write(CurveHandshake.command("HELLO", handshake.hello()))
        try handshake.welcomed(try command("WELCOME"))
    }

    /// The whole handshake.
    ///
    /// - Returns: The INITIATE, as it was sent.
    @discardableResult mutating func shakeHands(identity: [UInt8] = []) throws -> [UInt8] {
        try sayHello()
        let initiate = CurveHandshake.command(
            "INITIATE",
            handshake.initiate(metadata: CurveHandshake.metadata(identity: identity)))
        try write(initiate)
        try handshake.readied(try command("READY"))
        return initiate
    }

    mutating func send(_ frames: [Frame]) throws { try write(handshake.message(frames)) }

    func receive() throws -> [Frame] {
        var frames: [Frame] = []
        while true {
            let (frame, hasMore) = try handshake.received(try frame().content)
            frames.append(frame)
            if !hasMore { return frames }
        }
    }

    /// Whether nothing is there to be read.
    var isSilent: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) < 0
            && errno == EAGAIN
    }

    /// Whether nothing is there to be read, or the other side has ended the connection.
    var hasNothing: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) <= 0
    }

    /// Reads until the other side ends the connection, in order or not.
    func readToEnd() throws {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        var count = 0
        repeat { count = recv(descriptor, &bytes, bytes.count, 0) } while count > 0
        guard count == 0 || errno == ECONNRESET else { throw Failed(step: "end") }
    }
}
