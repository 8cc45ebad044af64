import ErrorBus
import OrderedCollections

// The settings of a console.
extension TopologyReader {
    private static let listenAllowed = "HOST:PORT, or HOST:* to let the system choose the port"
    private static let tokenAllowed = "file:PATH, a file that only its owner can read"

    mutating func console(_ field: ConfigurationField) -> PresenterSettings? {
        let keys = [
            "listen", "tls", "token", "users", "proxy", "oidc", "hosts", "url", "linkKey",
            "escalateAfter",
        ]
        guard let fields = decoder.fields(field, keys: keys) else { return nil }
        if fields["listen"] == nil {
            decoder.report(field, found: "no listen", allowed: "listen: HOST:PORT")
        }
        let endpoint = fields["listen"].flatMap { consoleEndpoint($0) }
        // The other settings are checked without an address too.
        guard let standIn = endpoint ?? (try? Endpoint("tcp://127.0.0.1:1")) else { return nil }
        var settings = ConsoleSettings(listen: standIn)
        settings.tls = fields["tls"].flatMap { consoleTLS($0) }
        settings.tokenFile = fields["token"].flatMap { tokenFile($0) }
        settings.usersFile = fields["users"].flatMap { tokenFile($0) }
        settings.proxy = fields["proxy"].flatMap { consoleProxy($0) }
        settings.oidc = fields["oidc"].flatMap { consoleOIDC($0) }
        if let hosts = fields["hosts"] { settings.hosts = consoleHosts(hosts) }
        settings.url = fields["url"].flatMap { consoleURL($0) }
        settings.linkKeyFile = fields["linkKey"].flatMap { tokenFile($0) }
        settings.escalateAfter = fields["escalateAfter"].flatMap { decoder.duration($0) }
        // Without one of these the validator would report what only follows from that.
        let isRead = [
            "listen": endpoint != nil, "tls": settings.tls != nil,
            "token": settings.tokenFile != nil, "users": settings.usersFile != nil,
            "proxy": settings.proxy != nil, "oidc": settings.oidc != nil,
        ]
        let isWhole = isRead.allSatisfy { $0.value || fields[$0.key] == nil }
        return endpoint != nil && isWhole ? .console(settings) : nil
    }

    private mutating func consoleTLS(_ field: ConfigurationField) -> ConsoleTLSSettings? {
        let keys = ["certificate", "key"]
        guard let fields = decoder.fields(field, keys: keys) else { return nil }
        for key in keys where fields[key] == nil {
            decoder.report(field, found: "no \(key)", allowed: "\(key): FILE, in PEM form")
        }
        let certificate = fields["certificate"].flatMap { path($0) }
        let key = fields["key"].flatMap { path($0) }
        guard let certificate, let key else { return nil }
        return ConsoleTLSSettings(certificateFile: certificate, keyFile: key)
    }

    private static let headerAllowed =
        "the name of a header that the proxy sets, as in X-Forwarded-User"
    private static let signOutAllowed = "https://HOST/PATH, http://HOST/PATH or /PATH"
    /// The headers that browsers and HTTP itself send with another meaning.
    private static let takenHeaders = [
        "accept", "authorization", "connection", "content-length", "content-type", "cookie",
        "errorbus-proxy-secret", "host", "last-event-id", "origin", "referer",
        "transfer-encoding", "user-agent",
    ]

    private mutating func consoleProxy(_ field: ConfigurationField) -> ConsoleProxySettings? {
        let keys = ["header", "from", "secret", "signOut"]
        guard let fields = decoder.fields(field, keys: keys) else { return nil }
        let missing = [
            ("header", "NAME"), ("from", "ADDRESS, that of the proxy"), ("secret", "file:PATH"),
        ].filter { fields[$0.0] == nil }
        for (key, value) in missing {
            decoder.report(field, found: "no \(key)", allowed: "\(key): \(value)")
        }
        let header = fields["header"].flatMap { proxyHeader($0) }
        let from = fields["from"].flatMap { addressRanges($0) }
        let secret = fields["secret"].flatMap { tokenFile($0) }
        let address = fields["signOut"].flatMap { signOut($0) }
        guard let header, let from, let secret else { return nil }
        return ConsoleProxySettings(
            header: header, from: from, secretFile: secret, signOut: address)
    }

    private mutating func proxyHeader(_ field: ConfigurationField) -> String? {
        guard let text = decoder.text(field, allowed: Self.headerAllowed) else { return nil }
        let name = text.lowercased()
        guard text.wholeMatch(of: /[A-Za-z0-9-]{1,64}/) != nil, !name.hasPrefix("sec-"),
            !Self.takenHeaders.contains(name)
        else {
            decoder.report(field, allowed: Self.headerAllowed)
            return nil
        }
        return text
    }

    private mutating func addressRanges(_ field: ConfigurationField) -> [AddressRange]? {
        let allowed = "\(AddressRange.allowed), or a list of them"
        let elements = decoder.elementsOrOne(field, allowed: allowed)
        if elements.isEmpty { decoder.report(field, allowed: allowed) }
        let ranges = elements.compactMap { element -> AddressRange? in
            guard let text = decoder.text(element, allowed: allowed) else { return nil }
            guard let range = AddressRange(text) else {
                decoder.report(element, allowed: AddressRange.allowed)
                return nil
            }
            return range
        }
        return ranges.isEmpty || ranges.count < elements.count ? nil : ranges
    }

    private mutating func signOut(_ field: ConfigurationField) -> String? {
        guard let text = decoder.text(field, allowed: Self.signOutAllowed) else { return nil }
        let isAllowed =
            text.wholeMatch(of: /(https?:\/\/[A-Za-z0-9.\-:\[\]]+)?(\/([!-~]*))?/) != nil
            && !text.hasPrefix("//")
        guard isAllowed else {
            decoder.report(field, allowed: Self.signOutAllowed)
            return nil
        }
        return text
    }

    private mutating func consoleEndpoint(_ field: ConfigurationField) -> Endpoint? {
        guard let text = decoder.text(field, allowed: Self.listenAllowed) else { return nil }
        guard !text.contains("/"), let endpoint = try? Endpoint("tcp://\(text)") else {
            decoder.report(field, allowed: Self.listenAllowed)
            return nil
        }
        return endpoint
    }

    /// The path of the token's file, never the token itself: more people may read a topology than
    /// may answer.
    mutating func tokenFile(_ field: ConfigurationField) -> String? {
        guard let text = decoder.text(field, allowed: Self.tokenAllowed) else { return nil }
        guard text.hasPrefix("file:"), text.count > "file:".count else {
            decoder.report(field, found: "a text without file:", allowed: Self.tokenAllowed)
            return nil
        }
        return FilePath.resolve(String(text.dropFirst("file:".count)), in: folder)
    }

    private mutating func consoleHosts(_ field: ConfigurationField) -> [String] {
        let allowed = "what browsers send as the host, as in console.example:8443, or a list"
        return decoder.elementsOrOne(field, allowed: allowed).compactMap { element in
            guard let text = decoder.text(element, allowed: allowed) else { return nil }
            guard Self.isHost(text) else {
                decoder.report(element, allowed: allowed)
                return nil
            }
            return text.lowercased()
        }
    }

    /// Whether a text has the form in which browsers send a host.
    private static func isHost(_ text: String) -> Bool {
        let name = text.contains(":") ? text : "\(text):80"
        return (try? Endpoint("tcp://\(name)"))?.isConnectable == true
    }

    /// The console's `url`, without the slash at its end.
    private mutating func consoleURL(_ field: ConfigurationField) -> String? {
        let allowed = "http://HOST or https://HOST, as browsers reach this console"
        guard let text = decoder.text(field, allowed: allowed) else { return nil }
        let url = text.lowercased()
        guard let match = url.wholeMatch(of: /https?:\/\/([^\/]+)\/?/),
            Self.isHost(String(match.1))
        else {
            decoder.report(field, allowed: allowed)
            return nil
        }
        return url.hasSuffix("/") ? String(url.dropLast()) : url
    }
}
