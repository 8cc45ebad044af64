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
        var text = [CChar](repeating: 0, count: Z85.characterCount + 1)
        guard Z85.bytes(String(secret)) != nil,
            zmq_curve_public(&text, String(secret)) == 0,
            let publicKey = PublicKey(String(cString: text))
        else { return nil }
        self.publicKey = publicKey
        self.secret = String(secret)
    }

    /// A new pair from the system's entropy; nil when this libzmq was built without CURVE.
    public static func make() -> KeyPair? {
        var publicText = [CChar](repeating: 0, count: Z85.characterCount + 1)
        var secret = publicText
        guard zmq_curve_keypair(&publicText, &secret) == 0 else { return nil }
        return KeyPair(secret: String(cString: secret))
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
        var text = [CChar](repeating: 0, count: characterCount + 1)
        guard zmq_z85_encode(&text, bytes, byteCount) != nil else { return nil }
        return String(cString: text)
    }
}
