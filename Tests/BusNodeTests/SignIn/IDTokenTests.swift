import ErrorBus
import Foundation
import Testing

@testable import BusNodeKit

/// Whose ID tokens are taken, and which.
struct IDTokenTests {
    private static let issuer = "https://login.example"
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let claims: [String: JSONValue] = [
        "iss": .string(issuer), "aud": "errorbus", "nonce": "n", "sub": "1",
        "iat": 1_800_000_000, "exp": 1_800_000_300,
    ]

    private static func keys(_ keys: [[String: JSONValue]]) throws -> ProviderKeys {
        try ProviderKeys(
            JSONValue.object(["keys": .array(keys.map { .object($0) })]).encoded())
    }

    /// The fault of a token; nil for one that is taken.
    private func fault(_ text: String, _ keys: ProviderKeys) async -> IDTokenFault? {
        do throws(SignInRefusal) {
            return try await IDToken(text).claims(signedBy: keys).fault(
                expecting: Self.issuer, for: "errorbus", nonce: "n", at: Self.now)
        } catch {
            guard case .token(let fault) = error else { return nil }
            return fault
        }
    }

    private func fault(
        _ change: (inout [String: JSONValue]) -> Void
    ) async throws -> IDTokenFault? {
        let key = TestKey.es256()
        var claims = Self.claims
        change(&claims)
        return await fault(try key.token(claims), try Self.keys([key.json]))
    }

    @Test("Tokens signed by RS256, PS256, ES256 and EdDSA are taken")
    func algorithms() async throws {
        let keys = [TestKey.es256(), .edDSA()] + (try await TestKey.rsa())
        #expect(Set(keys.map(\.algorithm)) == ["RS256", "PS256", "ES256", "EdDSA"])
        let known = try Self.keys(keys.dropLast().map(\.json))
        for key in keys { #expect(await fault(try key.token(Self.claims), known) == nil) }
        // A token need not name the only key.
        let only = keys[0]
        let unnamed = try only.token(Self.claims, head: ["kid": nil])
        #expect(await fault(unnamed, try Self.keys([only.json])) == nil)
    }

    @Test("A token without a signature, or signed with a public key as a secret, is refused")
    func unsigned() async throws {
        let key = TestKey.es256()
        let known = try Self.keys([key.json])
        let unsigned = try TestKey.unsigned(id: key.id).token(Self.claims)
        #expect(await fault(unsigned, known) == .algorithm("none"))
        let shared = try TestKey.hs256(key.publicBytes, id: key.id).token(Self.claims)
        #expect(await fault(shared, known) == .algorithm("HS256"))
        for name in ["RS512", "ES384", "es256", "", "ES256K"] {
            let other = try key.token(Self.claims, head: ["alg": .string(name)])
            #expect(await fault(other, known) == .algorithm(name))
        }
        #expect(await fault(try key.token(Self.claims, head: ["alg": nil]), known) != nil)
    }

    @Test("A key signs by its own algorithm only, whatever the token says")
    func confusion() async throws {
        let rsa = try await TestKey.rsa()
        var own = rsa[0].json
        own["alg"] = "RS256"
        let other = try rsa[1].token(Self.claims)
        #expect(await fault(other, try Self.keys([own])) == .unknownKey("rsa"))
        let ec = TestKey.es256("rsa")
        let known = try Self.keys([rsa[0].json])
        #expect(await fault(try ec.token(Self.claims), known) == .unknownKey("rsa"))
        own["alg"] = nil
        own["use"] = "enc"
        let encrypting = try Self.keys([own])
        #expect(
            await fault(try rsa[0].token(Self.claims), encrypting) == .unknownKey("rsa"))
    }

    @Test("Another key, a changed token and a key in the token itself are refused")
    func signature() async throws {
        let (key, other) = (TestKey.es256(), TestKey.es256())
        let known = try Self.keys([key.json])
        #expect(await fault(try other.token(Self.claims), known) == .signature)
        let embedded = try other.token(Self.claims, head: ["jwk": .object(other.json)])
        #expect(await fault(embedded, known) == .signature)
        let parts = try key.token(Self.claims).split(separator: ".")
        let changed = try other.token(Self.claims.merging(["sub": "2"]) { $1 })
        let mixed = [parts[0], changed.split(separator: ".")[1], parts[2]].joined(separator: ".")
        #expect(await fault(mixed, known) == .signature)
        let unknown = try TestKey.es256("new").token(Self.claims)
        #expect(await fault(unknown, known) == .unknownKey("new"))
        // With several keys a token has to name its own.
        let several = try Self.keys([key.json, TestKey.es256("second").json])
        let unnamed = try key.token(Self.claims, head: ["kid": nil])
        #expect(await fault(unnamed, several) == .unknownKey(nil))
        #expect("\(IDTokenFault.unknownKey(nil))".hasPrefix("it names no key, and none or several"))
    }

    @Test("The issuer, the audience and the party are those expected")
    func parties() async throws {
        #expect(
            try await fault { $0["iss"] = "https://login.example/" }
                == .issuer("https://login.example/"))
        #expect(try await fault { $0["iss"] = nil } == .issuer("none"))
        #expect(try await fault { $0["aud"] = "other" } == .audience(["other"]))
        #expect(try await fault { $0["aud"] = nil } == .audience([]))
        #expect(try await fault { $0["aud"] = ["errorbus"] } == nil)
        #expect(try await fault { $0["aud"] = ["errorbus", "other"] } == .party(nil))
        let two: JSONValue = ["errorbus", "other"]
        #expect(try await fault { ($0["aud"], $0["azp"]) = (two, "errorbus") } == nil)
        #expect(try await fault { ($0["aud"], $0["azp"]) = (two, "other") } == .party("other"))
        #expect(try await fault { $0["azp"] = "other" } == .party("other"))
        #expect(try await fault { $0["azp"] = 1 } == .party(nil))
    }

    @Test("A token of another sign-in, of another time or of no person is refused")
    func times() async throws {
        #expect(try await fault { $0["nonce"] = "m" } == .nonce)
        #expect(try await fault { $0["nonce"] = nil } == .nonce)
        let expired = IDTokenFault.expired(Self.now - 60)
        #expect(try await fault { $0["exp"] = 1_799_999_940 } == expired)
        #expect(try await fault { $0["exp"] = 1_799_999_941 } == nil)
        #expect(try await fault { $0["exp"] = nil } == .expired(.init(timeIntervalSince1970: 0)))
        for name in ["iat", "nbf"] {
            #expect(try await fault { $0[name] = 1_800_000_061 } == .early)
            #expect(try await fault { $0[name] = 1_800_000_060 } == nil)
            #expect(try await fault { $0[name] = "now" } == .early)
        }
        #expect(try await fault { $0["sub"] = "" } == .noSubject)
        #expect(try await fault { $0["sub"] = 7 } == .noSubject)
    }

    @Test("What is no token is refused, however long or odd")
    func malformed() async throws {
        let key = TestKey.es256()
        let known = try Self.keys([key.json])
        let long = try key.token(["x": .string(String(repeating: "x", count: 70_000))])
        let critical = try key.token(Self.claims, head: ["crit": ["b64"]])
        for text in ["", "a", "a.b.c", "..", "a.b.c.d", "e30.e30.", long, critical] {
            let found = await fault(text, known)
            #expect(found == .malformed || found == .algorithm("none"), "\(text.prefix(20))")
        }
    }

    @Test("A provider's keys are limited in number and size; those of no use are left out")
    func keyLimits() async throws {
        let key = TestKey.es256()
        let many = Array(repeating: key.json, count: ProviderKeys.countMax + 1)
        #expect(throws: SignInRefusal.self) { try Self.keys(many) }
        let longest = [UInt8](repeating: 0x20, count: ProviderKeys.byteCountMax + 1)
        #expect(throws: SignInRefusal.self) { try ProviderKeys(longest) }
        for text in ["", "[]", "{}", #"{"keys": 1}"#, #"{"keys": [], "keys": []}"#] {
            #expect(throws: SignInRefusal.self) { try ProviderKeys(Array(text.utf8)) }
        }
        let huge: JSONValue = .string(String(repeating: "A", count: 5_000))
        let odd: [[String: JSONValue]] = [
            [:], ["kty": "oct", "k": "c2VjcmV0", "kid": "es"],
            ["kty": "RSA", "kid": "es", "n": huge, "e": "AQAB"],
            ["kty": "EC", "kid": "es", "crv": "P-521", "x": "AA", "y": "AA"], key.json,
        ]
        // The first of that name is of another curve.
        #expect(
            await fault(try key.token(Self.claims), try Self.keys(odd)) == .unknownKey("es"))
        let usable = try Self.keys(odd.filter { $0["crv"] != "P-521" })
        #expect(await fault(try key.token(Self.claims), usable) == nil)
        let broken: [String: JSONValue] = [
            "kty": "EC", "kid": "es", "crv": "P-256", "x": "AA", "y": "AA",
        ]
        #expect(await fault(try key.token(Self.claims), try Self.keys([broken])) == .signature)
    }
}
