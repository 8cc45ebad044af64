import CZMQ

/// The functions of libsodium that signed answers need, over byte arrays. libzmq uses the same
/// library, so a node links no further library for them.
enum Sodium {
    static let seedCount = 32
    static let keyCount = 32
    static let signatureCount = 64
    private static let digestCount = 32

    /// Whether the library is ready: false only if it finds no source of entropy.
    private static let isReady = sodium_init() >= 0

    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: digestCount)
        crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
        return digest
    }

    static func hmacSHA256(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var state = crypto_auth_hmacsha256_state()
        var code = [UInt8](repeating: 0, count: digestCount)
        crypto_auth_hmacsha256_init(&state, key, key.count)
        crypto_auth_hmacsha256_update(&state, bytes, UInt64(bytes.count))
        crypto_auth_hmacsha256_final(&state, &code)
        return code
    }

    /// The first block of HKDF-SHA-256 (RFC 5869) without a salt: 32 bytes.
    static func hkdfSHA256(_ secret: [UInt8], info: [UInt8]) -> [UInt8] {
        let extracted = hmacSHA256(secret, key: [UInt8](repeating: 0, count: digestCount))
        return hmacSHA256(info + [1], key: extracted)
    }

    /// An Ed25519 pair (RFC 8032) of a seed; nil when the library is not ready.
    static func signingPair(seed: [UInt8]) -> (publicKey: [UInt8], secretKey: [UInt8])? {
        guard isReady, seed.count == seedCount else { return nil }
        var publicKey = [UInt8](repeating: 0, count: keyCount)
        var secretKey = [UInt8](repeating: 0, count: seedCount + keyCount)
        guard crypto_sign_seed_keypair(&publicKey, &secretKey, seed) == 0 else { return nil }
        return (publicKey, secretKey)
    }

    static func signature(of message: [UInt8], secretKey: [UInt8]) -> [UInt8]? {
        guard isReady, secretKey.count == seedCount + keyCount else { return nil }
        var signature = [UInt8](repeating: 0, count: signatureCount)
        let result = crypto_sign_detached(
            &signature, nil, message, UInt64(message.count), secretKey)
        return result == 0 ? signature : nil
    }

    static func isSignature(
        _ signature: [UInt8], of message: [UInt8], publicKey: [UInt8]
    ) -> Bool {
        guard isReady, signature.count == signatureCount, publicKey.count == keyCount else {
            return false
        }
        return crypto_sign_verify_detached(
            signature, message, UInt64(message.count), publicKey) == 0
    }
}
