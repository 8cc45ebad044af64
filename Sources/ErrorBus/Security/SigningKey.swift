import Crypto

/// The public key that proves a node's signatures: Ed25519 (RFC 8032), written as 40 characters of
/// Z85.
public struct SignerKey: Hashable, Sendable, CustomStringConvertible {
    /// The form of a key, for messages.
    static let allowed = PublicKey.allowed

    /// The key in Z85.
    public let description: String
    private let bytes: [UInt8]

    /// Nil when the text is not 32 bytes in Z85.
    public init?(_ text: some StringProtocol) {
        guard let bytes = Z85.bytes(String(text), count: 32) else { return nil }
        (description, self.bytes) = (String(text), bytes)
    }

    /// Whether a signature of `message` was made with the secret half of this key.
    func proves(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else {
            return false
        }
        return key.isValidSignature(signature, for: message)
    }
}

/// The secret key with which a node signs. It is derived from the secret half of the node's CURVE
/// pair by HKDF (RFC 5869), so a node has one secret file.
package struct SigningKey: Sendable {
    private static let purpose = "ErrorBus answer signature 1"

    private let key: Curve25519.Signing.PrivateKey
    /// Its public half.
    package let signerKey: SignerKey

    /// Nil only if the cryptographic library fails.
    package init?(of pair: KeyPair) {
        guard let secret = Z85.bytes(pair.secret, count: 32) else { return nil }
        let seed = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret), info: Array(Self.purpose.utf8),
            outputByteCount: 32)
        guard
            let key = seed.withUnsafeBytes({
                try? Curve25519.Signing.PrivateKey(rawRepresentation: $0)
            }),
            let text = Z85.text([UInt8](key.publicKey.rawRepresentation)),
            let signerKey = SignerKey(text)
        else { return nil }
        (self.key, self.signerKey) = (key, signerKey)
    }

    /// 64 bytes.
    func signature(of message: [UInt8]) -> [UInt8]? {
        (try? key.signature(for: message)).map { [UInt8]($0) }
    }
}
