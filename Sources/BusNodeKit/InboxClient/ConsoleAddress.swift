package import ErrorBus
import Foundation

/// The address of a console, with its token.
package struct ConsoleAddress: Hashable, Sendable {
    static let allowed =
        "http://HOST:PORT or https://HOST:PORT, also with the ?token=... that the console prints"

    /// Whether the address is https.
    package let isSecure: Bool
    let host: String
    let port: Int
    package var token: String?

    /// Reads the address that a console prints, with or without the token.
    package init(_ text: String, option: String) throws {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme,
            let ownPort = ["http": 80, "https": 443][scheme], let host = parts.host, !host.isEmpty,
            ["", "/"].contains(parts.path),
            parts.user == nil, parts.fragment == nil
        else {
            // Without the query, which may have the token.
            let found = text.prefix { $0 != "?" }
            throw Failure(
                .usage, "\(option): found \"\(found)\", allowed: \(Self.allowed)")
        }
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        isSecure = scheme == "https"
        port = parts.port ?? ownPort
        token = parts.queryItems?.first { $0.name == "token" }?.value
    }

    /// The address of a node's console in its topology; with TLS the address that browsers use,
    /// since the certificate is for that one.
    package init(_ settings: ConsoleSettings, of node: NodeName) throws {
        let token = try settings.tokenFile.map { try ConsoleToken(file: $0).text }
        let browsers = settings.tls == nil ? nil : settings.secureURL
        let url = try browsers ?? Self.ownURL(settings, of: node)
        try self.init(url, option: "node \(node): its console")
        self.token = token
    }

    /// The token of the console at this address among the given ones; nil if none of them is it.
    package func token(knownTo consoles: [ConsoleAddress]) -> String? {
        consoles.first { console in
            console.token != nil && console.isSecure == isSecure && console.port == port
                && console.host.lowercased() == host.lowercased()
        }?.token
    }

    private static func ownURL(_ settings: ConsoleSettings, of node: NodeName) throws -> String {
        guard case .tcp(let host, let port) = settings.listen.address, port != 0 else {
            throw Failure(
                .badConfiguration,
                "node \(node): its console listens where the system chooses "
                    + "(\(settings.address)); give the address that it printed with --to")
        }
        let reached = settings.listen.isWildcard ? "127.0.0.1" : host
        let scheme = settings.tls == nil ? "http" : "https"
        return "\(scheme)://\(reached.contains(":") ? "[\(reached)]" : reached):\(port)"
    }
}
