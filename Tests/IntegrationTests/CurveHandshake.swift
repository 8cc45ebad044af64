import CZMQ

/// The client's side of CURVE (RFC 26 of ZeroMQ) as bytes, which a test may break anywhere.
struct CurveHandshake: Sendable {
    /// What did not open.
    struct Failed: Error {
        let command: String
    }

    /// A key pair of crypto_box.
    struct Pair: Sendable {
        var publicKey = [UInt8](repeating: 0, count: 32)
        var secretKey = [UInt8](repeating: 0, count: 32)

        init(publicKey: [UInt8], secretKey: [UInt8]) {
            (self.publicKey, self.secretKey) = (publicKey, secretKey)
        }

        /// A new pair.
        init() { crypto_box_keypair(&publicKey, &secretKey) }
    }

    /// The signature, version 3.1, and the mechanism.
    static let greeting =
        [0xFF] + [UInt8](repeating: 0, count: 8) + [0x7F, 3, 1] + Array("CURVE".utf8)
        + [UInt8](repeating: 0, count: 47)

    /// The server's public key.
    let server: [UInt8]
    /// The pair that proves who the client is.
    var own: Pair
    /// The pair of this connection.
    private let short = Pair()
    /// What WELCOME brought: the server's public key of this connection, and its cookie.
    private(set) var serverShort: [UInt8] = []
    private(set) var cookie: [UInt8] = []
    private var count: UInt64 = 0

    init(server: [UInt8], own: Pair) {
        (self.server, self.own) = (server, own)
    }

    /// A command in its frame.
    static func command(_ name: String, _ body: [UInt8]) -> [UInt8] {
        let content = [UInt8(name.utf8.count)] + Array(name.utf8) + body
        return head(content.count, flags: 4) + content
    }

    /// A message in its frame, without a cipher.
    static func plainMessage(_ content: [UInt8]) -> [UInt8] {
        head(content.count, flags: 0) + content
    }

    private static func head(_ count: Int, flags: UInt8) -> [UInt8] {
        count < 256 ? [flags, UInt8(count)] : [flags | 2] + bigEndian(UInt64(count))
    }

    private static func bigEndian(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    private mutating func next() -> [UInt8] {
        count += 1
        return Self.bigEndian(count)
    }

    private static func box(
        _ text: [UInt8], _ nonce: [UInt8], to receiver: [UInt8], from sender: [UInt8]
    ) -> [UInt8] {
        var box = [UInt8](repeating: 0, count: text.count + Int(crypto_box_macbytes()))
        // Fails for keys of low order alone: then the box is no box.
        _ = crypto_box_easy(&box, text, UInt64(text.count), nonce, receiver, sender)
        return box
    }

    private func open(
        _ box: [UInt8], _ nonce: [UInt8], from sender: [UInt8], of command: String
    ) throws(Failed) -> [UInt8] {
        let count = box.count - Int(crypto_box_macbytes())
        guard count >= 0 else { throw Failed(command: command) }
        var text = [UInt8](repeating: 0, count: count)
        guard
            crypto_box_open_easy(&text, box, UInt64(box.count), nonce, sender, short.secretKey)
                == 0
        else { throw Failed(command: command) }
        return text
    }

    /// HELLO's body: 194 bytes, of which the last 80 are the signature box.
    mutating func hello() -> [UInt8] {
        let nonce = next()
        return [1, 0] + [UInt8](repeating: 0, count: 72) + short.publicKey + nonce
            + Self.box(
                [UInt8](repeating: 0, count: 64), Array("CurveZMQHELLO---".utf8) + nonce,
                to: server, from: short.secretKey)
    }

    /// Takes WELCOME's body.
    mutating func welcomed(_ body: [UInt8]) throws(Failed) {
        let nonce = Array("WELCOME-".utf8) + body.prefix(16)
        let text = try open(Array(body.dropFirst(16)), nonce, from: server, of: "WELCOME")
        (serverShort, cookie) = (Array(text.prefix(32)), Array(text.dropFirst(32)))
    }

    /// The vouch that the holder of `own` has this connection's key, or for another key.
    func vouch(for key: [UInt8]? = nil) -> [UInt8] {
        let nonce = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        return nonce
            + Self.box(
                (key ?? short.publicKey) + server, Array("VOUCH---".utf8) + nonce,
                to: serverShort, from: own.secretKey)
    }

    /// What READY and INITIATE say of the socket.
    static func metadata(identity: [UInt8] = []) -> [UInt8] {
        property("Socket-Type", Array("DEALER".utf8)) + property("Identity", identity)
    }

    static func property(_ name: String, _ value: [UInt8]) -> [UInt8] {
        [UInt8(name.utf8.count)] + Array(name.utf8) + bigEndian(UInt64(value.count)).dropFirst(4)
            + value
    }

    /// INITIATE's body.
    mutating func initiate(vouch: [UInt8]? = nil, metadata: [UInt8] = metadata()) -> [UInt8] {
        let nonce = next()
        return cookie + nonce
            + Self.box(
                own.publicKey + (vouch ?? self.vouch()) + metadata,
                Array("CurveZMQINITIATE".utf8) + nonce, to: serverShort, from: short.secretKey)
    }

    /// Takes READY's body.
    func readied(_ body: [UInt8]) throws(Failed) {
        _ = try open(
            Array(body.dropFirst(8)), Array("CurveZMQREADY---".utf8) + body.prefix(8),
            from: serverShort, of: "READY")
    }

    /// The frames of a message, each in its own cipher.
    mutating func message(_ frames: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, frame) in frames.enumerated() {
            let nonce = next()
            let content =
                [7] + Array("MESSAGE".utf8) + nonce
                + Self.box(
                    [index + 1 < frames.count ? 1 : 0] + frame,
                    Array("CurveZMQMESSAGEC".utf8) + nonce, to: serverShort,
                    from: short.secretKey)
            bytes += Self.plainMessage(content)
        }
        return bytes
    }

    /// A frame of a message from the content of its frame, and whether more follow.
    func received(_ content: [UInt8]) throws(Failed) -> (frame: [UInt8], hasMore: Bool) {
        let name = [7] + Array("MESSAGE".utf8)
        guard content.starts(with: name) else { throw Failed(command: "MESSAGE") }
        let rest = content.dropFirst(name.count)
        let text = try open(
            Array(rest.dropFirst(8)), Array("CurveZMQMESSAGES".utf8) + rest.prefix(8),
            from: serverShort, of: "MESSAGE")
        guard let flags = text.first else { throw Failed(command: "MESSAGE") }
        return (Array(text.dropFirst()), flags & 1 != 0)
    }
}
