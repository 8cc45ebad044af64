import CZMQ

extension PublicKey {
    /// The form of a key, for messages.
    static let allowed = "40 characters of Z85"

    /// Reads a key; nil if the text is not 32 bytes in Z85.
    public init?(_ text: some StringProtocol) {
        guard let bytes = Z85.bytes(String(text), count: 32) else { return nil }
        self.init(bytes: bytes)
    }

    /// The key with these bytes; nil if they are not 32 bytes.
    init?(bytes: [UInt8]) {
        guard bytes.count == 32, let text = Z85.text(bytes) else { return nil }
        self.init(checked: text)
    }
}

/// A CURVE key pair. Its description shows the public half only.
public struct KeyPair: Hashable, Sendable, CustomStringConvertible {
    /// The public half.
    public let publicKey: PublicKey
    /// The secret half in Z85.
    package let secret: String

    public var description: String { "the pair of \(publicKey)" }

    /// The pair of a secret key; nil when the text is not 32 bytes in Z85.
    public init?(secret: some StringProtocol) {
        let secret = String(secret)
        guard Z85.bytes(secret, count: 32) != nil,
            let text = Z85.written(byteCount: 32, by: { zmq_curve_public($0, secret) == 0 }),
            let publicKey = PublicKey(text)
        else { return nil }
        self.publicKey = publicKey
        self.secret = secret
    }

    /// A new pair from the system's entropy; nil when this libzmq was built without CURVE.
    public static func make() -> KeyPair? {
        var made: String?
        _ = Z85.written(byteCount: 32) { publicText in
            made = Z85.written(byteCount: 32) { zmq_curve_keypair(publicText, $0) == 0 }
            return made != nil
        }
        return made.flatMap { KeyPair(secret: $0) }
    }
}

/// The text form of keys and signatures (RFC 32 of ZeroMQ): 5 characters for 4 bytes.
enum Z85 {
    /// The bytes of the text; nil if it is anything but `count` bytes in Z85.
    static func bytes(_ text: String, count: Int) -> [UInt8]? {
        guard text.utf8.count == count / 4 * 5 else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        guard zmq_z85_decode(&bytes, text) != nil, Z85.text(bytes) == text else { return nil }
        return bytes
    }

    /// The text of the bytes; nil if their number is no multiple of 4.
    static func text(_ bytes: [UInt8]) -> String? {
        written(byteCount: bytes.count) { zmq_z85_encode($0, bytes, bytes.count) != nil }
    }

    /// The text that libzmq writes for so many bytes; nil if it fails.
    static func written(
        byteCount: Int, by write: (UnsafeMutablePointer<CChar>) -> Bool
    ) -> String? {
        let count = byteCount / 4 * 5 + 1
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: count) { buffer in
            guard let start = buffer.baseAddress, write(start) else { return nil }
            return String(cString: start)
        }
    }
}
