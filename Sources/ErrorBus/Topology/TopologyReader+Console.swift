import OrderedCollections

// The settings of a console.
extension TopologyReader {
    private static let listenAllowed = "HOST:PORT, or HOST:* to let the system choose the port"
    private static let tokenAllowed = "file:PATH, a file that only its owner can read"

    mutating func console(_ field: ConfigurationField) -> PresenterSettings? {
        let keys = ["listen", "tls", "token", "users", "hosts", "url", "escalateAfter"]
        guard let fields = decoder.fields(field, keys: keys) else { return nil }
        guard let listen = fields["listen"] else {
            decoder.report(field, found: "no listen", allowed: "listen: HOST:PORT")
            return nil
        }
        guard let endpoint = consoleEndpoint(listen) else { return nil }
        var settings = ConsoleSettings(listen: endpoint)
        if let tls = fields["tls"] {
            guard let files = consoleTLS(tls) else { return nil }
            settings.tls = files
        }
        if let token = fields["token"] {
            guard let path = tokenFile(token) else { return nil }
            settings.tokenFile = path
        }
        if let users = fields["users"] {
            guard let path = tokenFile(users) else { return nil }
            settings.usersFile = path
        }
        if let hosts = fields["hosts"] { settings.hosts = consoleHosts(hosts) }
        settings.url = fields["url"].flatMap { consoleURL($0) }
        settings.escalateAfter = fields["escalateAfter"].flatMap { decoder.duration($0) }
        return .console(settings)
    }

    private mutating func consoleTLS(_ field: ConfigurationField) -> ConsoleTLSSettings? {
        let keys = ["certificate", "key"]
        guard let fields = decoder.fields(field, keys: keys) else { return nil }
        for key in keys where fields[key] == nil {
            decoder.report(field, found: "no \(key)", allowed: "\(key): FILE, in PEM form")
        }
        guard let certificate = fields["certificate"].flatMap({ path($0) }),
            let key = fields["key"].flatMap({ path($0) })
        else { return nil }
        return ConsoleTLSSettings(certificateFile: certificate, keyFile: key)
    }

    private mutating func consoleEndpoint(_ field: ConfigurationField) -> Endpoint? {
        guard let text = decoder.text(field, allowed: Self.listenAllowed) else { return nil }
        guard !text.contains("/"), let endpoint = try? Endpoint("tcp://\(text)") else {
            decoder.report(field, allowed: Self.listenAllowed)
            return nil
        }
        return endpoint
    }

    /// The path, never the token itself: more people may read a topology than may answer.
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

    /// Whether it is what browsers send as the host.
    private static func isHost(_ text: String) -> Bool {
        let name = text.contains(":") ? text : "\(text):80"
        return (try? Endpoint("tcp://\(name)"))?.isConnectable == true
    }

    /// Without the slash at its end.
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
