package import ErrorBus

/// The settings of a console.
package struct ConsoleSettings: Hashable, Sendable {
    /// The address where the console listens: a host of this machine and a port, never ipc.
    package var listen: Endpoint
    /// The file with the console's token; nil: the node makes a token at the start, for loopback
    /// only.
    package var tokenFile: String?
    /// The file with the console's users, each with a token; nil: all share one token.
    package var usersFile: String?
    /// The host names that requests may use beside the ones that follow from ``listen``.
    package var hosts: [String] = []
    /// The scheme and the host under which browsers anywhere reach the console, as in
    /// `https://console.example`; links to presentations begin with it.
    package var url: String?
    /// The file with the key of the links of hooks that answer; nil: there are no such links.
    package var linkKeyFile: String?
    /// The files of the certificate; nil: the console speaks plain HTTP.
    package var tls: ConsoleTLSSettings?
    /// The reverse proxy that may say who sends a request; nil: no proxy may.
    package var proxy: ConsoleProxySettings?
    /// The identity provider where users sign in; nil: without a provider.
    package var oidc: ConsoleOIDCSettings?
    /// The time that a presentation may stay unanswered and unclaimed before the node asks the next
    /// presenter; nil: without a limit.
    package var escalateAfter: Duration?

    package init(listen: Endpoint) { self.listen = listen }

    /// The host and port as the topology has them.
    package var address: String { String(listen.description.dropFirst("tcp://".count)) }

    /// The https address under which people reach the console; nil without one.
    package var secureURL: String? {
        url.flatMap { $0.hasPrefix("https:") ? $0 : nil } ?? hosts.first.map { "https://\($0)" }
    }

    /// Whether browsers have TLS between them and a host: the TLS of the console, or of a proxy
    /// that serves ``url``.
    package func isSecure(at host: String?) -> Bool {
        tls != nil || host.map { url?.lowercased() == "https://\($0.lowercased())" } ?? false
    }

    /// Every host name that requests may use beside the ones that follow from ``listen``.
    package var allHosts: [String] {
        hosts + (url?.firstRange(of: "://").map { [String(url?[$0.upperBound...] ?? "")] } ?? [])
    }
}

/// The files that a console needs for TLS.
package struct ConsoleTLSSettings: Hashable, Sendable {
    /// The certificate in PEM form, then the certificates of the authorities between it and its
    /// root.
    package let certificateFile: String
    /// The certificate's private key in PEM form.
    package let keyFile: String

    package init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}

/// The settings of the reverse proxy that says who a console's users are.
package struct ConsoleProxySettings: Hashable, Sendable {
    /// The header with the user's name.
    package let header: String
    /// The addresses that the proxy connects from.
    package let from: [AddressRange]
    /// The file with the secret that the proxy sends with each request.
    package let secretFile: String
    /// The address where a person signs out at the proxy; nil: the page has no such link.
    package var signOut: String?

    package init(header: String, from: [AddressRange], secretFile: String, signOut: String? = nil) {
        self.header = header
        self.from = from
        self.secretFile = secretFile
        self.signOut = signOut
    }
}

/// The settings of the identity provider (OpenID Connect) where a console's users sign in, and of
/// the users' names and permissions.
package struct ConsoleOIDCSettings: Hashable, Sendable {
    /// The address of the provider, exactly as its tokens have it.
    package let issuer: ProviderAddress
    /// The name of the console at the provider.
    package let clientID: String
    /// The file with the console's secret at the provider.
    package let clientSecretFile: String
    /// The name of the provider in the page; nil: its host.
    package var label: String?
    /// The claim with the name of a person.
    package var nameClaim = "email"
    package var scopes = ["openid", "email", "profile"]
    /// The claim with the groups of a person.
    package var groupsClaim = "groups"
    /// The permissions of the people of each group who are not in the file of users.
    package var groups: [String: Set<ConsolePermission>] = [:]
    /// The time that a person is signed in.
    package var session = Duration.seconds(8 * 3_600)

    package init(issuer: ProviderAddress, clientID: String, clientSecretFile: String) {
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecretFile = clientSecretFile
    }

    /// The name by which people know the provider.
    package var title: String { label ?? issuer.host }
}

/// A permission of a console's user, beside the permission to see everything, which each user has.
package enum ConsolePermission: String, CaseIterable, Sendable {
    /// The permission to answer, claim and release presentations, and to undo answers.
    case answer
    /// The permission to choose destructive options.
    case destructive
    /// The permission to make and end silences.
    case silence
    /// The permission to send undelivered messages of hooks again.
    case administer

    /// The word for no permission, and no more than a word: every user sees everything.
    package static let seesOnly = "see"
}
