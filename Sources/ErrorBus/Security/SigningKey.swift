/// The public key that proves a node's signatures: Ed25519 (RFC 8032), written as 40 characters of
/// Z85.
public struct SignerKey: Hashable, Sendable, CustomStringConvertible {
    /// The form of a key, for messages.
    static let allowed = PublicKey.allowed

    /// The key in Z85.
    public let description: String
    private let bytes: [UInt8]

    /// Reads a key; nil when the text is not 32 bytes in Z85.
    public init?(_ text: some StringProtocol) {
        guard let bytes = Z85.bytes(String(text), count: 32) else { return nil }
        (description, self.bytes) = (String(text), bytes)
    }

    /// Whether a signature of `message` was made with the secret half of this key.
    func proves(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        Sodium.isSignature(signature, of: message, publicKey: bytes)
    }
}

/// The secret key with which a node signs. HKDF (RFC 5869) derives it from the secret half of the
/// node's CURVE pair, so a node has one secret file.
package struct SigningKey: Sendable {
    private static let purpose = "ErrorBus answer signature 1"

    private let secretKey: [UInt8]
    /// The public half of the key.
    package let signerKey: SignerKey

    /// The signing key of a pair; nil only if the cryptographic library fails.
    package init?(of pair: KeyPair) {
        guard let secret = Z85.bytes(pair.secret, count: 32),
            let made = Sodium.signingPair(
                seed: Sodium.hkdfSHA256(secret, info: Array(Self.purpose.utf8))),
            let text = Z85.text(made.publicKey), let signerKey = SignerKey(text)
        else { return nil }
        (secretKey, self.signerKey) = (made.secretKey, signerKey)
    }

    /// The signature of a message, 64 bytes.
    func signature(of message: [UInt8]) -> [UInt8]? {
        Sodium.signature(of: message, secretKey: secretKey)
    }
}
