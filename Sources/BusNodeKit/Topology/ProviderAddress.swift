import ErrorBus

/// An address of an identity provider that may be asked: https, or http on this machine.
package struct ProviderAddress: Hashable, Sendable {
    /// The allowed form, for messages about refused addresses.
    package static let allowed = "https://HOST/PATH, or http:// for a provider on this machine"

    package let text: String
    /// The host, with the port if there is one.
    package let host: String
    package let hasQuery: Bool
    var isSecure: Bool { text.hasPrefix("https:") }

    /// The address in a text; nil for a refused one: another scheme, a user in front of the host, a
    /// fragment, and plain http to another machine.
    package init?(_ text: String) {
        let pattern =
            #/
            (https?):// ( ([A-Za-z0-9.\-]+|\[[0-9A-Fa-f:.]+\]) (?: :[0-9]{1,5})? )
            (?: / [!$-;=?@A-Z\[\]_a-z~]* )?
            /#
        guard text.utf8.count <= 2_048, let match = text.wholeMatch(of: pattern) else { return nil }
        host = String(match.2).lowercased()
        guard match.1 == "https" || Self.isLocal(match.3.lowercased()) else { return nil }
        self.text = text
        hasQuery = text.contains("?")
    }

    private static func isLocal(_ host: String) -> Bool {
        Endpoint.isLoopback(host.replacing(/[\[\]]/, with: ""))
    }
}
