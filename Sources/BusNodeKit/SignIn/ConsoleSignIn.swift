import Crypto
import ErrorBus
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Synchronization

/// The sign-in of people to a console at an identity provider: OpenID Connect, by an authorization
/// code with PKCE.
final class ConsoleSignIn: Sendable {
    static let startPath = "/oidc/start"
    static let returnPath = "/oidc/callback"
    /// The most sign-ins that are completed at a time, each with requests to the provider.
    static let completingMax = 32
    /// The most of these of one address: of one host, or of one network of IPv6.
    static let completingMaxPerAddress = 8
    private static let codeByteMax = 4_096
    /// The longest ID token that is kept, to be sent in an address.
    private static let keptTokenByteMax = 4_096

    /// The values that a browser gets.
    struct Begun: Sendable {
        /// The provider's page.
        let location: String
        /// The value of the browser's cookie.
        let browser: String
    }

    struct Completed: Sendable {
        let key: String
        let label: ConsoleSessions.Label
        /// The session that the browser began while it was at the provider, if any.
        let former: PendingSignIns.Former?
        /// Whether the browser is at the provider in another tab.
        let isElsewhere: Bool
    }

    private struct State {
        var pending = PendingSignIns()
        var sessions = SignInSessions()
        var memory = ProviderMemory()
        /// How many sign-ins of each network are completed now.
        private var completing: [[UInt8]: Int] = [:]

        func hasRoom(for network: [UInt8]) -> Bool {
            completing[network, default: 0] < ConsoleSignIn.completingMaxPerAddress
                && completing.values.reduce(0, +) < ConsoleSignIn.completingMax
        }

        mutating func begins(_ network: [UInt8]) { completing[network, default: 0] += 1 }

        mutating func ends(_ network: [UInt8]) {
            let rest = completing[network, default: 1] - 1
            completing[network] = rest == 0 ? nil : rest
        }
    }

    let settings: ConsoleOIDCSettings
    /// The console's address, as browsers know it.
    let url: String
    private let users: ConsoleUsers
    private let secret: FollowedFiles<String>
    private let logger: Logger
    private let requestTime: Duration
    private let now: @Sendable () -> Moment
    private let state = Mutex(State())

    /// - Throws: When the file of the secret is missing, can be read by others, or is invalid.
    init(
        _ settings: ConsoleOIDCSettings, for url: String, _ users: ConsoleUsers, logger: Logger,
        requestTime: Duration = ProviderClient.requestTime,
        now: @escaping @Sendable () -> Moment = { .now }
    ) throws(Failure) {
        self.settings = settings
        self.url = url
        self.users = users
        self.logger = logger
        self.requestTime = requestTime
        self.now = now
        let file = settings.clientSecretFile
        let words = FollowedFiles<String>.Words(
            success: "console: the secret at the provider read again",
            failure: "console: the secret at the provider not read again; the former one stays")
        secret = try FollowedFiles([file], words, logger: logger) { () throws(Failure) in
            do throws(FileRefusal) { return try Self.secret(reading: file) } catch {
                throw Failure(
                    error.status, "console oidc clientSecret \(file.shown()): \(error.text)")
            }
        }
    }

    private var client: ProviderClient {
        ProviderClient(settings: settings, secret: secret.latest, time: requestTime)
    }

    /// A provider's secret: some make short ones, or ones with any sign.
    static func secret(reading file: String) throws(FileRefusal) -> String {
        let text = try PrivateFile.text(of: file, byteCountMax: 1_024)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.wholeMatch(of: /[!-~]{8,512}/) != nil else {
            throw FileRefusal(
                status: .badConfiguration, found: "\(text.utf8.count) bytes",
                allowed: "8 to 512 visible characters of ASCII")
        }
        return text
    }

    /// Host and port under which browsers know the console.
    var host: Substring { url.drop { $0 != "/" }.dropFirst(2) }

    /// The cookie of a browser that is at the provider.
    var cookie: ConsoleCookie { .signIn(at: String(host), isSecure: url.hasPrefix("https:")) }
    /// The time that a person may stay at the provider.
    var time: Duration { PendingSignIns.time }

    private var returnAddress: String { url + Self.returnPath }

    // MARK: Signing in

    /// Leads a browser to the provider.
    ///
    /// - Parameters:
    ///   - address: The browser's address.
    ///   - browsers: The values of its cookie, from another tab that is at the provider.
    func begin(
        from address: String, by browsers: [String] = []
    ) async throws(APIProblem) -> Begun {
        let document = try await refusing { () throws(SignInRefusal) in try await self.document() }
        let begunAt = now().instant
        let secrets = state.withLock { state in
            // One cookie serves all tabs: another value in it would refuse the earlier ones.
            let known = state.pending.known(browsers, at: begunAt)
            let secrets = PendingSignIns.Secrets.generated(for: known)
            state.pending.began(secrets, from: address, at: begunAt)
            return secrets
        }
        let challenge = Data(SHA256.hash(data: Data(secrets.verifier.utf8))).base64URL
        let query = HTTPExchange.form([
            ("response_type", "code"), ("client_id", settings.clientID),
            ("redirect_uri", returnAddress), ("scope", settings.scopes.joined(separator: " ")),
            ("state", secrets.state), ("nonce", secrets.nonce), ("code_challenge", challenge),
            ("code_challenge_method", "S256"),
        ])
        let page = document.authorization
        return Begun(
            location: page.text + (page.hasQuery ? "&" : "?") + query, browser: secrets.browser)
    }

    /// Signs in the person whom the provider has sent back.
    ///
    /// - Parameter browsers: The values of the cookie of ``begin(from:)``.
    func complete(
        _ query: QueryFields, from address: String, by browsers: [String]
    ) async throws(APIProblem) -> Completed {
        let (session, browser) = try await refusing { () throws(SignInRefusal) in
            try await self.session(query, from: address, by: browsers)
        }
        guard try user(of: session) != nil else {
            throw SignInRefusal.unknownUser(session.name, isShutOut: users.shutsOut(session.name))
                .problem(with: settings.title)
        }
        let begunAt = now().instant
        let (key, label) = (ConsoleToken.generated().text, ConsoleSessions.newProviderLabel())
        let completed = state.withLock { state in
            state.sessions.began(session, label, key: key, for: settings.session, at: begunAt)
            return Completed(
                key: key, label: label,
                former: state.pending.signedIn(label, by: browser, at: begunAt),
                isElsewhere: state.pending.known(browsers, at: begunAt) != nil)
        }
        logger.info(
            "console: signed in",
            metadata: ["by": "\(session.name)", "provider": "\(settings.issuer.host)"])
        return completed
    }

    /// Notes that a browser is signed in otherwise, perhaps while it is at the provider in another
    /// tab.
    ///
    /// - Parameters:
    ///   - user: The name of the session's user; nil if people share one token.
    ///   - browsers: The values of the cookie of ``begin(from:by:)``.
    func signedIn(_ session: ConsoleSessions.Label, of user: String?, by browsers: [String]) {
        let signedInAt = now().instant
        state.withLock { state in
            guard let browser = state.pending.known(browsers, at: signedInAt) else { return }
            // The browser shows the former session itself.
            _ = state.pending.signedIn(session, of: user, by: browser, at: signedInAt)
        }
    }

    /// The values of a request's cookie that binds a sign-in to its browser.
    func browsers(of request: Request) -> [String] {
        cookie.values(in: request.headers[values: .cookie]).map { String($0.token) }
    }

    private func session(
        _ query: QueryFields, from address: String, by browsers: [String]
    ) async throws(SignInRefusal) -> (session: SignInSessions.Session, browser: String) {
        let returnedAt = now().instant
        let begun = query.text("state") ?? ""
        let network = AddressRange.network(of: address) ?? Array(address.utf8)
        let secrets = try state.withLock { state throws(SignInRefusal) in
            // Before the state is used up: the browser can come again with it.
            guard state.hasRoom(for: network) else { throw .busy }
            let secrets = state.pending.returned(begun, by: browsers, at: returnedAt)
            guard let secrets else { throw .notBegun }
            state.begins(network)
            return secrets
        }
        defer { state.withLock { $0.ends(network) } }
        // Another provider's answer must not come to this one (RFC 9207).
        if let issuer = query.text("iss"), issuer != settings.issuer.text {
            throw .token(.issuer(issuer))
        }
        if let word = query.text("error") { throw .declined(word) }
        guard let code = query.text("code"), (1...Self.codeByteMax).contains(code.utf8.count)
        else { throw .declined("no code") }
        let document = try await document()
        let tokens = try await client.tokens(
            for: code, secrets, returningTo: returnAddress, document)
        let claims = try await claims(of: tokens, secrets, document)
        guard let subject = claims.subject else { throw .token(.noSubject) }
        let allowed = settings.groups.filter {
            claims.isInGroup($0.key, by: settings.groupsClaim)
        }.values
        let session = SignInSessions.Session(
            name: try claims.name(by: settings.nameClaim),
            // At many providers people change their names, and never their subject.
            identity: ConsoleUser.hash(of: "\(settings.issuer.text) \(subject)"),
            permissions: allowed.isEmpty ? nil : allowed.reduce([]) { $0.union($1) },
            token: tokens.id.utf8.count <= Self.keptTokenByteMax ? tokens.id : nil)
        return (session, secrets.browser)
    }

    // MARK: What the provider says

    private func claims(
        of tokens: ProviderClient.Tokens, _ secrets: PendingSignIns.Secrets,
        _ document: ProviderDocument
    ) async throws(SignInRefusal) -> IDTokenClaims {
        var claims = try await verified(tokens.id, document)
        let fault = claims.fault(
            expecting: settings.issuer.text, for: settings.clientID, nonce: secrets.nonce,
            at: now().date)
        if let fault { throw .token(fault) }
        var wanted = settings.nameClaim == "email" ? ["email", "email_verified"] : []
        wanted.append(settings.nameClaim)
        if !settings.groups.isEmpty { wanted.append(settings.groupsClaim) }
        // Many providers say only there what a token need not have.
        if wanted.contains(where: { claims.values[$0] == nil }), let address = document.userinfo,
            let access = tokens.access
        {
            guard claims.add(try await client.userinfo(access, at: address)) else {
                throw .provider("its userinfo is of another person than its ID token")
            }
        }
        return claims
    }

    private func verified(
        _ text: String, _ document: ProviderDocument
    ) async throws(SignInRefusal) -> IDTokenClaims {
        let token = try IDToken(text)
        let known = try await keys(document, within: ProviderMemory.age)
        do throws(SignInRefusal) {
            return try await token.claims(signedBy: known)
        } catch {
            // The provider may have a new key, also under the id of the former one.
            guard case .token(let fault) = error, fault.isOfKey else { throw error }
            let latest = try await keys(document, within: ProviderMemory.keysAge)
            return try await token.claims(signedBy: latest)
        }
    }

    private func document() async throws(SignInRefusal) -> ProviderDocument {
        try await known(\.document, within: ProviderMemory.age) { () throws(SignInRefusal) in
            try await client.document()
        }
    }

    private func keys(
        _ document: ProviderDocument, within age: Duration
    ) async throws(SignInRefusal) -> ProviderKeys {
        try await known(\.keys, within: age) { () throws(SignInRefusal) in
            try await client.keys(at: document.keys)
        }
    }

    /// A part of the provider's facts, read again if it is too old.
    private func known<Value>(
        _ part: WritableKeyPath<ProviderMemory, ProviderMemory.Part<Value>>, within age: Duration,
        _ read: () async throws(SignInRefusal) -> Value
    ) async throws(SignInRefusal) -> Value {
        let askedAt = now().instant
        switch state.withLock({ $0.memory[keyPath: part].need(within: age, at: askedAt) }) {
        case .have(let value): return value
        case .refuse(let refusal): throw refusal
        case .ask: break
        }
        do throws(SignInRefusal) {
            let value = try await read()
            state.withLock { $0.memory[keyPath: part].read(value, at: askedAt) }
            return value
        } catch {
            // It may have taken as long as the pause that follows.
            state.withLock { $0.memory[keyPath: part].failed(error, at: now().instant) }
            throw error
        }
    }

    /// The result of the work, with its refusal as a problem of a request.
    private func refusing<Value>(
        _ work: () async throws(SignInRefusal) -> Value
    ) async throws(APIProblem) -> Value {
        do throws(SignInRefusal) { return try await work() } catch {
            throw error.problem(with: settings.title)
        }
    }

    // MARK: Sessions

    /// The visitor with a session; nil for a cookie without a session.
    ///
    /// - Throws: 503 while the file of users cannot be used.
    func visitor(
        showing key: some StringProtocol, _ label: ConsoleSessions.Label
    ) throws(APIProblem) -> ConsoleVisitor? {
        let askedAt = now().instant
        let session = state.withLock { $0.sessions.session(label, key: key, at: askedAt) }
        guard let session, let user = try user(of: session) else { return nil }
        return ConsoleVisitor(
            user: user, session: label, provider: settings.title, identity: session.identity)
    }

    /// Whether a label is that of a session that goes on.
    func has(_ label: ConsoleSessions.Label?) -> Bool {
        guard let label else { return false }
        let askedAt = now().instant
        return state.withLock { $0.sessions.session(label, at: askedAt) } != nil
    }

    /// Whether a visitor with a session still has it, with the same permissions.
    func admits(_ visitor: ConsoleVisitor) -> Bool {
        let askedAt = now().instant
        guard let label = visitor.session,
            let session = state.withLock({ $0.sessions.session(label, at: askedAt) })
        else { return false }
        return (try? user(of: session)) == visitor.user
    }

    /// The user with a session. The permissions are those of the file of users, and for names that
    /// it does not have, those of the person's groups.
    private func user(of session: SignInSessions.Session) throws(APIProblem) -> ConsoleUser? {
        try users.user(named: session.name, otherwise: session.permissions)
    }

    /// The user of this name: in the file of users, or signed in now.
    func user(named name: String) throws(APIProblem) -> ConsoleUser? {
        try user(named: name, identity: nil)
    }

    /// The user that a person still is. A person without an identity came by the file of users: a
    /// person who has signed in under that name is another.
    func user(of person: SignedInPerson) throws(APIProblem) -> ConsoleUser? {
        guard let identity = person.identity else { return try users.user(named: person.name) }
        return try user(named: person.name, identity: identity)
    }

    /// The user of this name with an identity.
    ///
    /// - Parameter identity: The identity with which the user has to be signed in; nil for any.
    private func user(
        named name: String, identity: String?
    ) throws(APIProblem) -> ConsoleUser? {
        let askedAt = now().instant
        let session = state.withLock {
            $0.sessions.session(of: name, identity: identity, at: askedAt)
        }
        guard let session else { return try users.user(named: name) }
        return try user(of: session)
    }

    /// Ends a session.
    ///
    /// - Returns: The address at which the person signs out at the provider; nil without such an
    ///   address or session.
    func end(_ label: ConsoleSessions.Label) -> String? {
        let (session, page) = state.withLock {
            ($0.sessions.ended(label), $0.memory.document.value?.endSession)
        }
        guard let session, let page else { return nil }
        var fields = [
            ("client_id", settings.clientID), ("post_logout_redirect_uri", url + "/"),
        ]
        if let token = session.token { fields.append(("id_token_hint", token)) }
        return page.text + (page.hasQuery ? "&" : "?") + HTTPExchange.form(fields)
    }
}
