import CZMQ

/// A CURVE public key: 32 bytes, written as 40 characters of Z85 (RFC 26 and 32 of ZeroMQ).
public struct PublicKey: Hashable, Sendable, CustomStringConvertible {
    /// The form of a key, for messages.
    static let allowed = "40 characters of Z85"

    /// The key in Z85.
    public let description: String

    /// Nil when the text is not 32 bytes in Z85.
    public init?(_ text: some StringProtocol) {
        guard let bytes = Z85.bytes(String(text)) else { return nil }
        self.init(bytes: bytes)
    }

    /// Nil when they are not 32 bytes.
    init?(bytes: [UInt8]) {
        guard let text = Z85.text(bytes) else { return nil }
        description = text
    }
}

/// A CURVE key pair. Its description shows the public half only.
public struct KeyPair: Hashable, Sendable, CustomStringConvertible {
    public let publicKey: PublicKey
    /// The secret half in Z85.
    package let secret: String

    public var description: String { "the pair of \(publicKey)" }

    /// The pair of a secret key; nil when the text is not 32 bytes in Z85.
    public init?(secret: some StringProtocol) {
        let secret = String(secret)
        guard Z85.bytes(secret) != nil,
            let text = Z85.written(by: { zmq_curve_public($0, secret) == 0 }),
            let publicKey = PublicKey(text)
        else { return nil }
        self.publicKey = publicKey
        self.secret = secret
    }

    /// A new pair from the system's entropy; nil when this libzmq was built without CURVE.
    public static func make() -> KeyPair? {
        var made: String?
        _ = Z85.written { publicText in
            made = Z85.written { zmq_curve_keypair(publicText, $0) == 0 }
            return made != nil
        }
        return made.flatMap { KeyPair(secret: $0) }
    }
}

/// The text form of 32 bytes (RFC 32 of ZeroMQ).
private enum Z85 {
    static let byteCount = 32
    static let characterCount = 40

    /// Nil when the text is anything but 32 bytes in Z85.
    static func bytes(_ text: String) -> [UInt8]? {
        guard text.utf8.count == characterCount else { return nil }
        var bytes = [UInt8](repeating: 0, count: byteCount)
        guard zmq_z85_decode(&bytes, text) != nil, Z85.text(bytes) == text else { return nil }
        return bytes
    }

    static func text(_ bytes: [UInt8]) -> String? {
        guard bytes.count == byteCount else { return nil }
        return written { zmq_z85_encode($0, bytes, byteCount) != nil }
    }

    /// The text that libzmq writes; nil when it fails.
    static func written(by write: (UnsafeMutablePointer<CChar>) -> Bool) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: characterCount + 1) { buffer in
            guard let start = buffer.baseAddress, write(start) else { return nil }
            return String(cString: start)
        }
    }
}
