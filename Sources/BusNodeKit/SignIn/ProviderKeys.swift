import ErrorBus
import JWTKit

/// The public keys with which an identity provider signs its tokens (a JWKS).
struct ProviderKeys: Sendable {
    static let byteCountMax = 128 * 1024
    static let countMax = 100
    private static let limits = JSONLimits(byteCount: byteCountMax, depth: 8, valueCount: 10_000)
    /// The most bytes of the modulus of an RSA key: 8192 bits.
    private static let modulusByteMax = 1_400

    /// The algorithm of a token's signature: with a key that only the provider has.
    enum Algorithm: String, CaseIterable, Sendable {
        case rs256 = "RS256"
        case ps256 = "PS256"
        case es256 = "ES256"
        case edDSA = "EdDSA"

        /// The type of its keys.
        fileprivate var keyType: String {
            switch self {
            case .rs256, .ps256: "RSA"
            case .es256: "EC"
            case .edDSA: "OKP"
            }
        }
    }

    private struct Key: Sendable {
        let id: String?
        let type: String
        /// The algorithm of the key; nil if the key does not name it.
        let algorithm: String?
        let numbers: [String: String]
    }

    /// The keys for signatures that have a known type.
    private let keys: [Key]

    init(_ bytes: [UInt8]) throws(SignInRefusal) {
        let json: JSONValue
        do throws(JSONError) { json = try JSONValue.parse(bytes, limits: Self.limits) } catch {
            throw .provider("its keys cannot be read: \(error)")
        }
        guard let list = json["keys"]?.arrayValue, list.count <= Self.countMax else {
            throw .provider("its keys are not a list of at most \(Self.countMax)")
        }
        let types = Set(Algorithm.allCases.map(\.keyType))
        keys = list.compactMap { key in
            guard let type = key["kty"]?.stringValue, types.contains(type),
                [nil, "sig"].contains(key["use"]?.stringValue)
            else { return nil }
            let numbers = key.objectValue?.compactMapValues(\.stringValue) ?? [:]
            guard numbers["n"].map({ $0.utf8.count <= Self.modulusByteMax }) ?? true else {
                return nil
            }
            return Key(
                id: key["kid"]?.stringValue, type: type, algorithm: key["alg"]?.stringValue,
                numbers: numbers)
        }
    }

    /// The key for a token; nil if there is none, or if a token without a key's name has more than
    /// one.
    func key(_ id: String?, for algorithm: Algorithm) -> JWK? {
        let fitting = keys.filter { key in
            key.type == algorithm.keyType && [nil, algorithm.rawValue].contains(key.algorithm)
                && (id == nil || key.id == id)
        }
        guard let key = fitting.first, id != nil || fitting.count == 1 else { return nil }
        // The key decides the algorithm, never the token.
        let (name, numbers) = (JWKIdentifier(string: "provider"), key.numbers)
        switch algorithm {
        case .rs256, .ps256:
            return .rsa(
                algorithm == .rs256 ? .rs256 : .ps256, identifier: name, modulus: numbers["n"],
                exponent: numbers["e"])
        case .es256:
            guard numbers["crv"] == "P-256" else { return nil }
            return .ecdsa(
                .es256, identifier: name, x: numbers["x"], y: numbers["y"], curve: .p256)
        case .edDSA:
            guard numbers["crv"] == "Ed25519" else { return nil }
            return .octetKeyPair(
                .eddsa, identifier: name, x: numbers["x"], y: nil, curve: .ed25519)
        }
    }
}
