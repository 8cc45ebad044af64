import OrderedCollections

extension TopologyReader {
    private static let listenAllowed = "HOST:PORT, or HOST:* to let the system choose the port"
    private static let tokenAllowed = "file:PATH, a file that only its owner can read"

    mutating func console(_ field: ConfigurationField) -> PresenterSettings? {
        let keys = ["listen", "token", "hosts", "escalateAfter"]
        guard let fields = decoder.fields(field, keys: keys) else { return nil }
        guard let listen = fields["listen"] else {
            decoder.report(field, found: "no listen", allowed: "listen: HOST:PORT")
            return nil
        }
        guard let endpoint = consoleEndpoint(listen) else { return nil }
        var settings = ConsoleSettings(listen: endpoint)
        if let token = fields["token"] {
            guard let path = tokenFile(token) else { return nil }
            settings.tokenFile = path
        }
        if let hosts = fields["hosts"] { settings.hosts = consoleHosts(hosts) }
        settings.escalateAfter = fields["escalateAfter"].flatMap { decoder.duration($0) }
        return .console(settings)
    }

    private mutating func consoleEndpoint(_ field: ConfigurationField) -> Endpoint? {
        guard let text = decoder.text(field, allowed: Self.listenAllowed) else { return nil }
        guard !text.contains("/"), let endpoint = try? Endpoint("tcp://\(text)") else {
            decoder.report(field, allowed: Self.listenAllowed)
            return nil
        }
        return endpoint
    }

    /// Never the token itself: a topology is read by more people than may answer.
    private mutating func tokenFile(_ field: ConfigurationField) -> String? {
        guard let text = decoder.text(field, allowed: Self.tokenAllowed) else { return nil }
        guard text.hasPrefix("file:"), text.count > "file:".count else {
            decoder.report(field, found: "something else", allowed: Self.tokenAllowed)
            return nil
        }
        return FilePath.resolve(String(text.dropFirst("file:".count)), in: folder)
    }

    private mutating func consoleHosts(_ field: ConfigurationField) -> [String] {
        let allowed = "what browsers send as the host, as in console.example:8443, or a list"
        return decoder.elementsOrOne(field, allowed: allowed).compactMap { element in
            guard let text = decoder.text(element, allowed: allowed) else { return nil }
            let name = text.contains(":") ? text : "\(text):80"
            guard let endpoint = try? Endpoint("tcp://\(name)"), endpoint.isConnectable else {
                decoder.report(element, allowed: allowed)
                return nil
            }
            return text.lowercased()
        }
    }
}
