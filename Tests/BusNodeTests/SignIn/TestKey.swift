import Crypto
import ErrorBus
import Foundation
import JWTKit

@testable import BusNodeKit

/// A key with which a test signs tokens, of one algorithm.
struct TestKey: Sendable {
    let id: String
    /// As in the head of a token.
    let algorithm: String
    private let sign: @Sendable (Data) throws -> Data
    /// The public half, as an identity provider shows it.
    let json: [String: JSONValue]
    /// The public half, as an attacker might take it for a secret.
    let publicBytes: Data

    static func es256(_ id: String = "es") -> TestKey {
        let key = P256.Signing.PrivateKey()
        let point = key.publicKey.rawRepresentation
        return TestKey(
            id: id, algorithm: "ES256", sign: { try key.signature(for: $0).rawRepresentation },
            json: [
                "kty": "EC", "crv": "P-256", "kid": .string(id), "alg": "ES256", "use": "sig",
                "x": .string(point.prefix(32).base64URL), "y": .string(point.suffix(32).base64URL),
            ], publicBytes: Data(key.publicKey.pemRepresentation.utf8))
    }

    static func edDSA(_ id: String = "ed") -> TestKey {
        let key = Curve25519.Signing.PrivateKey()
        return TestKey(
            id: id, algorithm: "EdDSA", sign: { try key.signature(for: $0) },
            json: [
                "kty": "OKP", "crv": "Ed25519", "kid": .string(id),
                "x": .string(key.publicKey.rawRepresentation.base64URL),
            ], publicBytes: key.publicKey.rawRepresentation)
    }

    /// Both algorithms of an RSA key, which openssl makes.
    static func rsa(_ id: String = "rsa") async throws -> [TestKey] {
        let result = try await SubprocessRunner(folder: "/").run(
            ["openssl", "genrsa", "2048"], environment: [:], input: [], timeLimit: .seconds(300))
        let key = try Insecure.RSA.PrivateKey(pem: result.standardOutput)
        let numbers = try key.publicKey.getKeyPrimitives()
        let signers = [
            try await JWTKeyCollection().add(rsa: key, digestAlgorithm: .sha256).getKey(),
            try await JWTKeyCollection().add(pss: key, digestAlgorithm: .sha256).getKey(),
        ]
        return signers.map { signer in
            TestKey(
                id: id, algorithm: signer.name, sign: { Data(try signer.sign($0)) },
                json: [
                    "kty": "RSA", "kid": .string(id), "n": .string(numbers.modulus.base64URL),
                    "e": .string(numbers.publicExponent.base64URL),
                ], publicBytes: Data(key.publicKey.pemRepresentation.utf8))
        }
    }

    /// One that signs with a secret that all know.
    static func hs256(_ secret: Data, id: String) -> TestKey {
        TestKey(
            id: id, algorithm: "HS256",
            sign: { Data(HMAC<SHA256>.authenticationCode(for: $0, using: .init(data: secret))) },
            json: [:], publicBytes: secret)
    }

    static func unsigned(id: String) -> TestKey {
        TestKey(id: id, algorithm: "none", sign: { _ in Data() }, json: [:], publicBytes: Data())
    }

    /// - Parameter head: More fields of its head, or others; null takes one away.
    func token(
        _ claims: [String: JSONValue], head: [String: JSONValue] = [:]
    ) throws -> String {
        let fields: [String: JSONValue] = ["alg": .string(algorithm), "kid": .string(id)]
        let whole = fields.merging(head) { $1 }.filter { !$0.value.isNull }
        let parts = [whole, claims].map { Data(JSONValue.object($0).encoded()).base64URL }
        let text = parts.joined(separator: ".")
        return text + "." + (try sign(Data(text.utf8))).base64URL
    }
}
