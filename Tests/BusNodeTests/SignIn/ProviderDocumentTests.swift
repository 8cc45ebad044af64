import ErrorBus
import Testing

@testable import BusNodeKit

/// What an identity provider says about itself.
struct ProviderDocumentTests {
    private static let fields: [String: JSONValue] = [
        "issuer": "https://login.example", "jwks_uri": "https://keys.example/jwks",
        "authorization_endpoint": "https://login.example/authorize?tenant=1",
        "token_endpoint": "https://login.example/token",
    ]

    private func read(
        _ change: (inout [String: JSONValue]) -> Void = { _ in }
    ) throws -> ProviderDocument {
        var fields = Self.fields
        change(&fields)
        let issuer = try #require(ProviderAddress("https://login.example"))
        return try ProviderDocument(JSONValue.object(fields).encoded(), of: issuer)
    }

    private func refusal(_ change: (inout [String: JSONValue]) -> Void) -> String {
        do {
            _ = try read(change)
            return "none"
        } catch { return "\(error)" }
    }

    @Test("A document has its issuer and three addresses; the others may be absent")
    func fields() throws {
        let least = try read()
        #expect(least.authorization.hasQuery && !least.wantsSecretInBody)
        #expect(least.userinfo == nil && least.endSession == nil)
        let more = try read {
            $0["userinfo_endpoint"] = "https://login.example/me"
            $0["end_session_endpoint"] = nil
            $0["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
        }
        #expect(more.userinfo?.text == "https://login.example/me" && more.wantsSecretInBody)
        for name in Self.fields.keys where name != "issuer" {
            #expect(refusal { $0[name] = nil }.contains("has no \(name)"))
        }
    }

    @Test("A document of another issuer is refused")
    func issuer() {
        for other in ["https://login.example/", "https://evil.example", ""] {
            #expect(refusal { $0["issuer"] = .string(other) }.contains("is of the issuer"))
        }
        #expect(refusal { $0["issuer"] = nil }.contains("is of the issuer none"))
    }

    @Test("Addresses have TLS, and no tricks")
    func addresses() {
        for text in [
            "http://login.example/token", "ftp://login.example", "javascript:alert(1)", "/token",
            "https://anna@login.example/token", "https://login.example/token#a", "https:///token",
            "https://login.example\\@evil.example/", "https://login.example/a b", "",
            "http://127.0.0.1.evil.example/token", "https://login.example/\r\nHost: a",
        ] {
            #expect(
                refusal { $0["token_endpoint"] = .string(text) }
                    .contains("its token_endpoint is"), "\(text)")
        }
    }

    @Test("A provider elsewhere leads to no plain address of this machine; one on it may")
    func local() throws {
        let address = "http://127.0.0.1:631/token"
        for name in ["token_endpoint", "jwks_uri", "userinfo_endpoint", "end_session_endpoint"] {
            let refused = refusal { $0[name] = .string(address) }
            #expect(refused.contains("its \(name) is ") && !refused.contains("or http://"))
        }
        var fields = Self.fields
        fields["issuer"] = "http://127.0.0.1:8080"
        fields["token_endpoint"] = .string(address)
        let issuer = try #require(ProviderAddress("http://127.0.0.1:8080"))
        let document = try ProviderDocument(JSONValue.object(fields).encoded(), of: issuer)
        #expect(document.token.text == address)
    }

    @Test("A document that is too large, too deep or no object is refused")
    func size() throws {
        let issuer = try #require(ProviderAddress("https://login.example"))
        let long = [UInt8](repeating: 0x20, count: ProviderDocument.byteCountMax + 1)
        let deep = Array((String(repeating: "[", count: 40)).utf8)
        for bytes in [long, deep, [], Array("null".utf8), [0xFF]] {
            #expect(throws: SignInRefusal.self) { try ProviderDocument(bytes, of: issuer) }
        }
    }
}
