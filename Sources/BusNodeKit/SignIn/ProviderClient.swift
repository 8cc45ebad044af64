import ErrorBus
import Foundation
import NIOHTTP1

/// The requests to an identity provider. Each has a limit of time and of size, and follows no
/// redirect.
struct ProviderClient: Sendable {
    static let requestTime: Duration = .seconds(5)
    private static let replyLimits = JSONLimits(
        byteCount: 2 * IDToken.byteCountMax, depth: 16, valueCount: 10_000)

    /// The tokens that the provider gives for a code.
    struct Tokens: Sendable {
        let id: String
        /// The access token for the provider's userinfo endpoint.
        let access: String?
    }

    let settings: ConsoleOIDCSettings
    let secret: String
    var time = Self.requestTime

    func document() async throws(SignInRefusal) -> ProviderDocument {
        let address = ProviderDocument.address(of: settings.issuer)
        let bytes = try await body(
            HTTPExchange(.GET, address), upTo: ProviderDocument.byteCountMax,
            for: "its discovery document")
        return try ProviderDocument(bytes, of: settings.issuer)
    }

    func keys(at address: ProviderAddress) async throws(SignInRefusal) -> ProviderKeys {
        let bytes = try await body(
            HTTPExchange(.GET, address.text), upTo: ProviderKeys.byteCountMax, for: "its keys")
        return try ProviderKeys(bytes)
    }

    /// - Parameter address: The address to which the provider has sent the browser with the code.
    func tokens(
        for code: String, _ secrets: PendingSignIns.Secrets, returningTo address: String,
        _ document: ProviderDocument
    ) async throws(SignInRefusal) -> Tokens {
        var fields = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", address),
            ("code_verifier", secrets.verifier),
        ]
        if document.wantsSecretInBody {
            fields += [("client_id", settings.clientID), ("client_secret", secret)]
        }
        var exchange = HTTPExchange(
            .POST, document.token.text, body: Array(HTTPExchange.form(fields).utf8),
            contentType: "application/x-www-form-urlencoded")
        if !document.wantsSecretInBody {
            // Both parts are escaped as a form is, before they are joined (RFC 6749, 2.3.1).
            let pair = [settings.clientID, secret].map(HTTPExchange.escaped).joined(separator: ":")
            exchange.add("Authorization", "Basic \(Data(pair.utf8).base64EncodedString())")
        }
        let json = try await json(exchange, for: "its tokens")
        guard let id = json["id_token"]?.stringValue else {
            throw .provider("its tokens are without an id_token")
        }
        return Tokens(id: id, access: json["access_token"]?.stringValue)
    }

    func userinfo(
        _ access: String, at address: ProviderAddress
    ) async throws(SignInRefusal) -> IDTokenClaims {
        guard access.wholeMatch(of: /[!-~]+/) != nil else {
            throw .provider("its access token has other characters than the visible ones of ASCII")
        }
        var exchange = HTTPExchange(.GET, address.text)
        exchange.add("Authorization", "Bearer \(access)")
        let bytes = try await body(exchange, upTo: IDToken.byteCountMax, for: "its userinfo")
        guard let claims = IDTokenClaims(bytes) else {
            throw .provider("its userinfo is not a JSON object")
        }
        return claims
    }

    private func json(
        _ exchange: HTTPExchange, for what: String
    ) async throws(SignInRefusal) -> JSONValue {
        let bytes = try await body(exchange, upTo: Self.replyLimits.byteCount, for: what)
        do throws(JSONError) { return try JSONValue.parse(bytes, limits: Self.replyLimits) } catch {
            throw .provider("\(what) cannot be read: \(error)")
        }
    }

    private func body(
        _ exchange: HTTPExchange, upTo limit: Int, for what: String
    ) async throws(SignInRefusal) -> [UInt8] {
        var exchange = exchange
        exchange.add("Accept", "application/json")
        let reply: HTTPExchange.Reply
        do {
            reply = try await exchange.reply(within: time, upTo: limit)
        } catch {
            throw .provider("\(what) cannot be fetched: \(HTTPExchange.reason(error))")
        }
        guard reply.status == 200 else {
            // The provider's own word, as in invalid_client.
            let word = try? JSONValue.parse(reply.body, limits: Self.replyLimits)["error"]
            let more = word?.stringValue.map { " (\($0.shown()))" } ?? ""
            throw .provider(
                "\(what) cannot be fetched: it replied with status \(reply.status)\(more)")
        }
        return reply.body
    }
}
