import ErrorBus
import Foundation

/// Where a console is, and the token that it asks for.
struct ConsoleAddress: Hashable, Sendable {
    static let allowed = "http://HOST:PORT, also with the ?token=... that the console prints"

    let host: String
    let port: Int
    var token: String?

    /// Reads what a console prints when it listens, or the part of it before the token.
    init(_ text: String, option: String) throws {
        guard let parts = URLComponents(string: text), parts.scheme == "http",
            let host = parts.host, !host.isEmpty, ["", "/"].contains(parts.path),
            parts.user == nil, parts.fragment == nil
        else {
            throw Failure(
                .usage, "\(option): found \"\(text)\", allowed: \(Self.allowed)")
        }
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        port = parts.port ?? 80
        token = parts.queryItems?.first { $0.name == "token" }?.value
    }

    /// The console of a node, as its topology says.
    init(_ settings: ConsoleSettings, of node: NodeName) throws {
        guard case .tcp(let host, let port) = settings.listen.address, port != 0 else {
            throw Failure(
                .badConfiguration,
                "node \(node): its console listens where the system chooses "
                    + "(\(settings.address)); give the address that it printed with --to")
        }
        self.host = settings.listen.isWildcard ? "127.0.0.1" : host
        self.port = Int(port)
        token = try settings.tokenFile.map { try ConsoleToken(file: $0).text }
    }
}
