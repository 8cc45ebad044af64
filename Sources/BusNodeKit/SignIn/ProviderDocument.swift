import ErrorBus

/// The document of an identity provider about itself (OpenID Connect Discovery).
struct ProviderDocument: Hashable, Sendable {
    static let byteCountMax = 64 * 1024
    private static let limits = JSONLimits(byteCount: byteCountMax, depth: 8, valueCount: 2_000)

    let authorization: ProviderAddress
    let token: ProviderAddress
    let keys: ProviderAddress
    /// The userinfo endpoint; nil if the provider puts everything into its tokens.
    let userinfo: ProviderAddress?
    /// The address for signing out; nil if the provider has none.
    let endSession: ProviderAddress?
    /// Whether the provider takes the console's secret only in the body.
    let wantsSecretInBody: Bool

    static func address(of issuer: ProviderAddress) -> String {
        (issuer.text.hasSuffix("/") ? String(issuer.text.dropLast()) : issuer.text)
            + "/.well-known/openid-configuration"
    }

    init(_ bytes: [UInt8], of issuer: ProviderAddress) throws(SignInRefusal) {
        let json: JSONValue
        do throws(JSONError) { json = try JSONValue.parse(bytes, limits: Self.limits) } catch {
            throw .provider("its discovery document cannot be read: \(error)")
        }
        // Another provider's document would lead people, codes and the secret there.
        guard let found = json["issuer"]?.stringValue, found == issuer.text else {
            let found = json["issuer"]?.stringValue?.shown() ?? "none"
            throw .provider(
                "its discovery document is of the issuer \(found), expected \(issuer.text)")
        }
        func address(_ name: String) throws(SignInRefusal) -> ProviderAddress? {
            guard let value = json[name], !value.isNull else { return nil }
            // Plain http would lead from a provider elsewhere to this machine.
            guard let text = value.stringValue, let address = ProviderAddress(text),
                address.isSecure || !issuer.isSecure
            else {
                throw .provider(
                    "its \(name) is \(value.stringValue?.shown() ?? "no text"), expected "
                        + (issuer.isSecure ? "https://HOST/PATH" : ProviderAddress.allowed))
            }
            return address
        }
        func needed(_ name: String) throws(SignInRefusal) -> ProviderAddress {
            guard let address = try address(name) else {
                throw .provider("its discovery document has no \(name)")
            }
            return address
        }
        authorization = try needed("authorization_endpoint")
        token = try needed("token_endpoint")
        keys = try needed("jwks_uri")
        userinfo = try address("userinfo_endpoint")
        endSession = try address("end_session_endpoint")
        let ways = json["token_endpoint_auth_methods_supported"]?.arrayValue ?? []
        wantsSecretInBody =
            ways.contains("client_secret_post") && !ways.contains("client_secret_basic")
    }
}
