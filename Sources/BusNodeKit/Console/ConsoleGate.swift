import ErrorBus
import HTTPTypes
import Hummingbird

/// The gate of a console, which admits requests by the head alone.
struct ConsoleGate: Sendable {
    /// The facts that the decision uses.
    struct Facts: Sendable {
        var method = "GET"
        var path = "/"
        var host: String?
        var origins: [String] = []
        var fetchSite: String?
        /// The browser's fetch mode, and its destination: `navigate` and `document` for a whole
        /// tab.
        var fetchMode: String?
        var fetchDestination: String?
        var contentType: String?
        var authorization: String?
        var cookies: [String] = []
        var contentLength: String?
        /// `token` in the query of `/`.
        var offeredToken: String?
        /// The claim of a proxy; empty if no proxy may make one.
        var claim = ConsoleProxy.Claim()
    }

    enum Verdict: Hashable {
        case enter(ConsoleVisitor)
        /// The page itself or a probe, without data: the page's requests for data must show the
        /// token.
        case enterPage
        /// This token was in the address: it moves to a cookie, and out of the address.
        ///
        /// The sign-in that the browser had before, if any, ends.
        case keepToken(String, replacing: ConsoleSessions.Label?)
        /// This token was in the address, and the browser's cookie has it already. Its sign-in goes
        /// on: requests of the browser's other tabs may be on their way with that cookie.
        case tokenIsKept
    }

    let hosts: ConsoleHosts
    let admission: ConsoleAdmission
    var sessions = ConsoleSessions()
    var proxy: ConsoleProxy?
    var signIn: ConsoleSignIn?

    func verdict(on facts: Facts) throws(APIProblem) -> Verdict {
        // A probe has neither the token nor the console's name; the response has no data.
        let isProbe = [ConsoleAPI.healthPath, ConsoleAPI.readyPath].contains(facts.path)
        if isProbe, ["GET", "HEAD"].contains(facts.method) {
            return .enterPage
        }
        guard let host = facts.host, hosts.allows(host) else {
            let found = facts.host.map { $0.shown() } ?? "none"
            throw APIProblem(
                .forbidden, "host", "Host: found \(found); allowed: the console's own address")
        }
        let proxied = try proxied(facts)
        // A link on another site sends no cookie; the page it opens requests the data by itself.
        let isPage = facts.path == "/" && facts.offeredToken == nil
        let isAnswerPage = facts.path == AnswerLinks.path && facts.method == "GET"
        let isLink =
            (isPage || isReturn(facts) || isAnswerPage) && facts.method == "GET"
            && facts.fetchMode == "navigate" && facts.fetchDestination == "document"
        if let site = facts.fetchSite, site != "same-origin", site != "none", !isLink {
            throw APIProblem(
                .forbidden, "crossSite",
                "Sec-Fetch-Site: found \(site.shown()); allowed: same-origin, none")
        }
        for origin in facts.origins where !hosts.allows(origin: origin, at: host) {
            throw APIProblem(
                .forbidden, "origin", "Origin: found \(origin.shown()); allowed: the console's own")
        }
        if facts.path == "/", facts.method == "GET", let offered = facts.offeredToken,
            proxied == nil
        {
            guard let holder = try admission.visitor(showing: offered) else {
                throw Self.unauthorized
            }
            // Who sends a person a link with another token would see what the person does with it.
            let present = try visitor(facts)
            if let present, present.user?.name != holder.user?.name {
                throw Self.signedIn(present, not: holder)
            }
            let isKept = try cookies(facts).contains { token, session in
                token == offered && session != nil && session == present?.session
            }
            return isKept ? .tokenIsKept : .keepToken(offered, replacing: present?.session)
        }
        guard let visitor = try proxied == nil ? visitor(facts) : proxied else {
            let isFromElsewhere = isLink && ["cross-site", "same-site"].contains(facts.fetchSite)
            let isPart = facts.path.hasPrefix("/page/") && facts.method == "GET"
            let isSigningIn =
                isReturn(facts)
                || (signIn != nil && facts.path == ConsoleSignIn.startPath && facts.method == "GET")
            // The link says who answers.
            let isAnswering = facts.path == AnswerLinks.actPath && facts.method == "POST"
            guard isFromElsewhere || isPart || isSigningIn || isAnswerPage || isAnswering else {
                throw Self.unauthorized
            }
            try checkBody(facts)
            return .enterPage
        }
        try checkBody(facts)
        return .enter(visitor)
    }

    /// Whether an identity provider sends the browser back. Its reply counts only if this browser
    /// has begun to sign in.
    private func isReturn(_ facts: Facts) -> Bool {
        signIn != nil && facts.path == ConsoleSignIn.returnPath && facts.method == "GET"
    }

    /// The name of the user with this token; nil if all share it.
    func user(ofToken token: String) -> String? {
        (try? admission.visitor(showing: token))?.user?.name
    }

    /// Ends a session of the user with this token.
    func end(_ session: ConsoleSessions.Label, ofToken token: String) async {
        await sessions.endForGood(session, of: user(ofToken: token))
        _ = signIn?.end(session)
    }

    static let unauthorized = APIProblem(
        .unauthorized, "unauthorized",
        "no token, or not this console's: open the address that bus-node printed, or send "
            + "Authorization: Bearer TOKEN")

    private static func signedIn(
        _ present: ConsoleVisitor, not other: ConsoleVisitor
    ) -> APIProblem {
        APIProblem(
            .conflict, "signedIn",
            "this browser is signed in as \(present.user?.name ?? "?"), and the link is for "
                + "\(other.user?.name ?? "?"): to change the user open the console's address, sign "
                + "out behind the name there, then open the link again")
    }

    /// The user that the proxy names. Nothing else in the request counts then: a proxy may pass on
    /// tokens that are for others.
    private func proxied(_ facts: Facts) throws(APIProblem) -> ConsoleVisitor? {
        guard let proxy, case .users(let users) = admission else { return nil }
        return try proxy.visitor(in: facts.claim, of: users)
    }

    private func visitor(_ facts: Facts) throws(APIProblem) -> ConsoleVisitor? {
        if let header = facts.authorization {
            let parts = header.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
            return try admission.visitor(showing: parts[1])
        }
        for (token, session) in try cookies(facts) {
            if var visitor = try admission.visitor(showing: token) {
                // With a person's session signing out would end that, and show its token.
                guard sessions.has(session, of: visitor.user?.name), signIn?.has(session) != true
                else { continue }
                visitor.session = session
                return visitor
            }
            if let session, let visitor = try signIn?.visitor(showing: token, session) {
                return visitor
            }
        }
        return nil
    }

    /// The tokens of the browser's cookies, or keys of an identity provider's sessions.
    private func cookies(
        _ facts: Facts
    ) throws(APIProblem) -> [(token: Substring, session: ConsoleSessions.Label?)] {
        let cookie = ConsoleCookie(at: facts.host, of: hosts.settings)
        var found: [(token: Substring, session: ConsoleSessions.Label?)] = []
        for (text, session) in cookie.values(in: facts.cookies) {
            guard let token = try admission.token(in: text, of: session) else { continue }
            found.append((token: token, session: session))
        }
        return found
    }

    /// Refuses the body of a request that may change something, if a form of another site can send
    /// it.
    private func checkBody(_ facts: Facts) throws(APIProblem) {
        guard !["GET", "HEAD"].contains(facts.method) else { return }
        let type = (facts.contentType ?? "").lowercased().split(separator: ";").first ?? ""
        guard type.filter({ $0 != " " }) == "application/json" else {
            throw APIProblem(
                .unsupportedMediaType, "contentType",
                "Content-Type: found \((facts.contentType ?? "none").shown()); "
                    + "allowed: application/json")
        }
        if let length = facts.contentLength.flatMap({ Int($0) }),
            length > ConsoleLimits.bodyByteMax
        {
            throw .tooLarge
        }
    }
}

extension ConsoleGate.Facts {
    /// - Parameters:
    ///   - peer: The address that the request comes from.
    ///   - proxy: The proxy; nil: no header says who sends the request.
    init(_ request: Request, from peer: String = "", by proxy: ConsoleProxy? = nil) {
        if let proxy { claim = proxy.claim(in: request.headers, from: peer) }
        method = request.method.rawValue
        path = request.uri.path
        // With two Host fields a proxy in front of this console could see another host.
        let others = HTTPField.Name("Host").map { request.headers[values: $0] } ?? []
        host = request.head.authority.map { ([$0] + others).joined(separator: ", ") }
        origins = request.headers[values: .origin]
        fetchSite = HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
        fetchMode = HTTPField.Name("Sec-Fetch-Mode").flatMap { request.headers[$0] }
        fetchDestination = HTTPField.Name("Sec-Fetch-Dest").flatMap { request.headers[$0] }
        contentType = request.headers[.contentType]
        authorization = request.headers[.authorization]
        cookies = request.headers[values: .cookie]
        contentLength = request.headers[.contentLength]
        // A token has no space: it was a + that the address did not escape.
        offeredToken =
            path == "/"
            ? (try? QueryFields(request.uri.query))?.text("token")?.replacingScalars([" ": "+"])
            : nil
    }
}

/// The hosts that requests may name. A page whose own name was made to lead here (DNS rebinding)
/// names another host.
struct ConsoleHosts: Sendable {
    let settings: ConsoleSettings
    /// The console's own hosts, as in the header.
    private let own: Set<String>
    /// The configured hosts: browsers may reach them over TLS, through a proxy, even if this
    /// console has no TLS.
    private let configured: Set<String>
    /// The address for people on this machine.
    let address: String
    /// The address in links for people: the `url`, else the first of `hosts`, which a proxy with
    /// TLS serves, else this console's own.
    var pageAddress: String {
        let proxied = settings.hosts.first.map { "https://\($0)" }
        return "\(settings.url ?? proxied ?? "\(scheme)://\(address)")/"
    }
    var scheme: String { isSecure ? "https" : "http" }
    /// Whether this console has TLS.
    private var isSecure: Bool { settings.tls != nil }

    /// - Parameter port: The port that the console listens on, chosen by the system or not.
    init(_ settings: ConsoleSettings, port: Int) {
        self.settings = settings
        configured = Set(settings.allHosts)
        guard case .tcp(let host, _) = settings.listen.address else {
            own = []
            address = ""
            return
        }
        var names: [String] = []
        if settings.listen.isWildcard {
            // Other names are set with `hosts`.
            names = ["localhost", "127.0.0.1", "[::1]"]
        } else {
            names = [host.contains(":") ? "[\(host)]" : host]
            if settings.listen.isLocal { names.append("localhost") }
        }
        var own = Set(names.map { "\($0):\(port)" })
        if port == (settings.tls == nil ? 80 : 443) { own.formUnion(names) }
        self.own = own
        address = "\(names[0]):\(port)"
    }

    func allows(_ host: String) -> Bool {
        let host = host.lowercased()
        return own.contains(host) || configured.contains(host)
    }

    /// Whether an Origin is this console's own, for a request to `host`.
    func allows(origin: String, at host: String) -> Bool {
        let (origin, host) = (origin.lowercased(), host.lowercased())
        return origin == "\(scheme)://\(host)"
            || (configured.contains(host) && origin == "https://\(host)")
    }

    /// Whether the host is one of this console with TLS, and a name that browsers may keep to TLS:
    /// not an address, and not this machine's own name, which other programs serve as well.
    func isNamed(_ host: String) -> Bool {
        guard isSecure, allows(host) else { return false }
        let name = host.lowercased().prefix { $0 != ":" }
        return !name.hasPrefix("[") && name != "localhost" && !name.hasSuffix(".localhost")
            && !name.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
    }
}
