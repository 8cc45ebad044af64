import ErrorBus
import Foundation
import JWTKit

/// An identity provider's statement about a person, as it came: its head names the key that signed
/// it.
struct IDToken: Sendable {
    static let byteCountMax = 64 * 1024

    let text: String
    private let keyID: String?
    private let algorithm: ProviderKeys.Algorithm

    /// The claims for jwt-kit, which reads none: it checks the signature alone.
    private struct Unread: JWTPayload {
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    init(_ text: String) throws(SignInRefusal) {
        guard text.utf8.count <= Self.byteCountMax,
            let parts = try? DefaultJWTParser().parse(Array(text.utf8), as: Unread.self)
        else { throw .token(.malformed) }
        let header = parts.header
        guard let algorithm = header.alg.flatMap({ ProviderKeys.Algorithm(rawValue: $0) }) else {
            throw .token(.algorithm(header.alg ?? "none"))
        }
        // What must be understood, and is not known here.
        guard header.crit == nil else { throw .token(.malformed) }
        self.text = text
        self.algorithm = algorithm
        keyID = header.kid
    }

    /// The claims, after a check of the signature.
    func claims(signedBy keys: ProviderKeys) async throws(SignInRefusal) -> IDTokenClaims {
        guard let key = keys.key(keyID, for: algorithm) else { throw .token(.unknownKey(keyID)) }
        do {
            // One key, so that no other can be meant.
            _ = try await JWTKeyCollection().add(jwk: key).verify(text, as: Unread.self)
        } catch {
            throw .token(.signature)
        }
        guard let claims = IDTokenClaims(Self.payload(of: text)) else { throw .token(.malformed) }
        return claims
    }

    private static func payload(of text: String) -> [UInt8] {
        let part = text.split(separator: ".", omittingEmptySubsequences: false)[1]
        return Data(base64URL: part).map { Array($0) } ?? []
    }
}

/// The reason why an ID token is refused.
enum IDTokenFault: Error, Hashable, CustomStringConvertible {
    case malformed
    case algorithm(String)
    case unknownKey(String?)
    case signature
    case issuer(String)
    case audience([String])
    case party(String?)
    case nonce
    case expired(Date)
    case early
    case noSubject

    /// Whether another key of the provider may have signed the token.
    var isOfKey: Bool {
        switch self {
        case .unknownKey, .signature: true
        case .malformed, .algorithm, .issuer, .audience, .party, .nonce, .expired, .early,
            .noSubject:
            false
        }
    }

    var description: String {
        switch self {
        case .malformed: "it is not a signed token of at most \(IDToken.byteCountMax) bytes"
        case .algorithm(let name):
            "it is signed by \(name.shown()), allowed: "
                + ProviderKeys.Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
        case .unknownKey(let id?): "no fitting key of the provider has the id \(id.shown())"
        case .unknownKey(nil): "it names no key, and none or several of the provider fit it"
        case .signature: "its signature is wrong"
        case .issuer(let found): "it is of the issuer \(found.shown())"
        case .audience(let found): "it is for \(found.joined(separator: ", ").shown())"
        case .party(let found): "it was given to \(found?.shown() ?? "an unnamed client")"
        case .nonce: "it is of another sign-in"
        case .expired(let at): "it expired at \(at.ISO8601Format())"
        case .early: "it is of a later time; compare the clocks"
        case .noSubject: "it names no person"
        }
    }
}

/// The claims of an ID token.
struct IDTokenClaims: Hashable, Sendable {
    /// The most seconds that the clocks of the provider and the console may be apart.
    static let skew: TimeInterval = 60
    private static let limits = JSONLimits(
        byteCount: IDToken.byteCountMax, depth: 16, valueCount: 10_000)

    private(set) var values: [String: JSONValue]

    /// The claims in these bytes; nil for anything but a JSON object, whose keys differ.
    init?(_ bytes: [UInt8]) {
        guard let values = try? JSONValue.parse(bytes, limits: Self.limits).objectValue else {
            return nil
        }
        self.values = values
    }

    var subject: String? { values["sub"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }

    /// The reason why this is not the token for a sign-in; nil for the right token.
    func fault(
        expecting issuer: String, for client: String, nonce: String, at now: Date
    ) -> IDTokenFault? {
        let found = values["iss"]?.stringValue ?? "none"
        guard found == issuer else { return .issuer(found) }
        let audience = Self.texts(values["aud"])
        guard audience.contains(client) else { return .audience(audience) }
        let party = values["azp"]?.stringValue
        guard party == client || (values["azp"] == nil && audience.count == 1) else {
            return .party(party)
        }
        guard values["nonce"]?.stringValue == nonce else { return .nonce }
        guard let expiry = values["exp"]?.numberValue,
            now.timeIntervalSince1970 < expiry + Self.skew
        else { return .expired(Date(timeIntervalSince1970: values["exp"]?.numberValue ?? 0)) }
        for name in ["iat", "nbf"] {
            guard let time = values[name] else { continue }
            guard let time = time.numberValue, time <= now.timeIntervalSince1970 + Self.skew else {
                return .early
            }
        }
        return subject == nil ? .noSubject : nil
    }

    /// Adds claims of the provider from elsewhere about the same person; signed claims stay.
    ///
    /// - Returns: False if the claims are about another person.
    mutating func add(_ others: IDTokenClaims) -> Bool {
        guard let subject, others.subject == subject else { return false }
        var added = others.values
        // Whether an address is verified is said of that address.
        if let own = values["email"] {
            if own != added["email"] { added["email_verified"] = nil }
        } else {
            values["email_verified"] = nil
        }
        values.merge(added) { own, _ in own }
        return true
    }

    /// The name of the person.
    func name(by claim: String) throws(SignInRefusal) -> String {
        guard let name = values[claim]?.stringValue, !name.isEmpty else { throw .noClaim(claim) }
        // At many providers people choose their address, and another's too.
        guard claim != "email" || [true, "true"].contains(values["email_verified"]) else {
            throw .unverified(name)
        }
        guard ConsoleUser.isName(name) else { throw .noName(claim, name) }
        return name
    }

    /// Whether a claim, a list of groups or a single one, has a group.
    func isInGroup(_ group: String, by claim: String) -> Bool {
        // By bytes: a string's equality takes some other characters for the same.
        Self.texts(values[claim]).contains { $0.utf8.elementsEqual(group.utf8) }
    }

    private static func texts(_ value: JSONValue?) -> [String] {
        value?.stringValue.map { [$0] } ?? value?.arrayValue?.compactMap(\.stringValue) ?? []
    }
}
