import ErrorBus

/// The cookie in which a browser keeps its sign-in at one console: a sealed token, or the key of an
/// identity provider's session.
///
/// Browsers send the cookies of a host to all its ports. The name has the port of the address, so
/// that consoles on one host do not replace each other's. Over TLS the name has a prefix that no
/// page without TLS of the same host can use. The names differ, since such a page could not set its
/// own cookie under the name of the one with TLS.
struct ConsoleCookie: Hashable, Sendable {
    let name: String
    private let attributes: String

    /// - Parameter host: The host in the request, which the browser uses as the console's address.
    init(at host: String?, of settings: ConsoleSettings) {
        self.init("errorbus", at: host, isSecure: settings.isSecure(at: host), site: "Strict")
    }

    private init(_ word: String, at host: String?, isSecure: Bool, site: String) {
        let port = host?.wholeMatch(of: /.*:([0-9]+)/)?.1
        name = (isSecure ? "__Host-" : "") + word + (port.map { "-\($0)" } ?? "")
        attributes = "; HttpOnly; SameSite=\(site); Path=/" + (isSecure ? "; Secure" : "")
    }

    /// The cookie that binds a sign-in at an identity provider to the browser that began it. The
    /// browser sends it when it comes from the provider's site, unlike a strict cookie.
    static func signIn(at host: String, isSecure: Bool) -> ConsoleCookie {
        ConsoleCookie("errorbus-signin", at: host, isSecure: isSecure, site: "Lax")
    }

    /// The value of Set-Cookie that keeps a sealed token or a key, in a new sign-in.
    func setting(_ text: String, _ label: ConsoleSessions.Label) -> String {
        "\(name)=\(text):\(label)\(attributes)"
    }

    /// The value of Set-Cookie that keeps a value for a time.
    func setting(_ value: String, for time: Duration) -> String {
        "\(name)=\(value)\(attributes); Max-Age=\(time.components.seconds)"
    }

    /// The value of Set-Cookie that removes the cookie.
    var removing: String { "\(name)=\(attributes); Max-Age=0" }

    private static let labelByteMax = 32

    /// The texts in a request, sealed or not, with the label of the sign-in: several, if one was
    /// set for a part of the host's name too.
    func values(
        in cookies: [String]
    ) -> [(token: Substring, session: ConsoleSessions.Label?)] {
        // By scalars: with a combining one after it, a semicolon is no character of its own.
        cookies.flatMap { $0.unicodeScalars.split(separator: ";") }.compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map { Substring($0) }
            guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name else { return nil }
            // Neither a token nor a sealed one has a colon.
            let words = parts[1].unicodeScalars.split(separator: ":", maxSplits: 1)
            guard let token = words.first, words.count == 2 else { return (parts[1], nil) }
            guard Substring(words[1]).utf8.count <= Self.labelByteMax else { return nil }
            return (Substring(token), String(words[1]))
        }
    }
}
