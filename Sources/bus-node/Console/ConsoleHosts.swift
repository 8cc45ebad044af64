import ErrorBus

/// What a request may name as its host. A page whose own name was made to lead here (DNS
/// rebinding) names another.
struct ConsoleHosts: Sendable {
    /// As in the header; those under which browsers may also come by TLS, through a proxy.
    private let own: Set<String>
    private let configured: Set<String>
    /// What to show people.
    let address: String

    /// - Parameter port: Where it listens, chosen by the system or not.
    init(_ settings: ConsoleSettings, port: Int) {
        configured = Set(settings.hosts)
        guard case .tcp(let host, _) = settings.listen.address else {
            own = []
            address = ""
            return
        }
        var names: [String] = []
        if settings.listen.isWildcard {
            // Other names are given in `hosts`.
            names = ["localhost", "127.0.0.1", "[::1]"]
        } else {
            names = [host.contains(":") ? "[\(host)]" : host]
            if settings.listen.isLocal { names.append("localhost") }
        }
        var own = Set(names.map { "\($0):\(port)" })
        if port == 80 { own.formUnion(names) }
        self.own = own
        address = "\(names[0]):\(port)"
    }

    func allows(_ host: String) -> Bool {
        let host = host.lowercased()
        return own.contains(host) || configured.contains(host)
    }

    /// Whether an Origin is this console's own, for a request that came to `host`.
    func allows(origin: String, at host: String) -> Bool {
        let (origin, host) = (origin.lowercased(), host.lowercased())
        return origin == "http://\(host)"
            || (configured.contains(host) && origin == "https://\(host)")
    }
}
