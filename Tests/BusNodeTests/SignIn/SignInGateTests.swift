import ErrorBus
import ErrorBusTesting
import HTTPTypes
import Logging
import Testing

@testable import BusNodeKit

/// What browsers may do on the way to an identity provider and back.
struct SignInGateTests {
    private static let host = "console.example"
    private let folder: TemporaryFolder
    private let file: UserFile
    private let users: ConsoleUsers

    init() throws {
        folder = try TemporaryFolder()
        file = UserFile("\(folder.path)/users.txt")
        try file.addProxied("anna@x.example", [.answer])
        users = try ConsoleUsers(file.path, logger: .silent)
        try PrivateFile.create("\(folder.path)/secret", TestProvider.secret + "\n", mode: 0o600)
    }

    private let time = ManualTime()

    private func signIn(at issuer: String = "https://login.example") throws -> ConsoleSignIn {
        let settings = ConsoleOIDCSettings(
            issuer: try #require(ProviderAddress(issuer)), clientID: TestProvider.clientID,
            clientSecretFile: "\(folder.path)/secret")
        return try ConsoleSignIn(
            settings, for: "https://\(Self.host)", users, logger: .silent,
            requestTime: .seconds(600), now: { [time] in time.now })
    }

    private func gate(_ signIn: ConsoleSignIn?) throws -> ConsoleGate {
        var settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080"))
        settings.url = "https://\(Self.host)"
        return ConsoleGate(
            hosts: ConsoleHosts(settings, port: 8080), admission: .users(users), signIn: signIn)
    }

    private func verdict(
        _ path: String, _ signIn: ConsoleSignIn?,
        _ change: (inout ConsoleGate.Facts) -> Void = { _ in }
    ) throws -> String {
        var facts = ConsoleGate.Facts()
        facts.path = path
        facts.host = Self.host
        change(&facts)
        let gate = try gate(signIn)
        do throws(APIProblem) {
            switch try gate.verdict(on: facts) {
            case .enter(let visitor): return "\(visitor.user?.name ?? "unnamed")"
            case .enterPage: return "page"
            case .keepToken: return "keepToken"
            case .tokenIsKept: return "tokenIsKept"
            }
        } catch { return "\(error.status.code) \(error.word)" }
    }

    @Test("A browser comes back from another site, and goes there from this one alone")
    func sites() throws {
        let signIn = try signIn()
        for path in [ConsoleSignIn.startPath, ConsoleSignIn.returnPath] {
            #expect(try verdict(path, signIn) == "page")
            #expect(try verdict(path, signIn) { $0.fetchSite = "same-origin" } == "page")
            #expect(try verdict(path, signIn) { $0.method = "POST" } == "401 unauthorized")
            #expect(try verdict(path, signIn) { $0.host = "evil.example" } == "403 host")
            #expect(try verdict(path + "/x", signIn) == "401 unauthorized")
            #expect(try verdict(path, nil) == "401 unauthorized")
        }
        func fromElsewhere(_ path: String, _ mode: String, _ destination: String) throws -> String {
            try verdict(path, signIn) {
                $0.fetchSite = "cross-site"
                ($0.fetchMode, $0.fetchDestination) = (mode, destination)
            }
        }
        #expect(try fromElsewhere(ConsoleSignIn.returnPath, "navigate", "document") == "page")
        for (mode, destination) in [
            ("navigate", "iframe"), ("no-cors", "image"), ("cors", "empty"),
        ] {
            #expect(
                try fromElsewhere(ConsoleSignIn.returnPath, mode, destination) == "403 crossSite")
        }
        #expect(
            try fromElsewhere(ConsoleSignIn.startPath, "navigate", "document") == "403 crossSite")
    }

    @Test("A session admits with its cookie until it is ended, and no link changes the user")
    func session() async throws {
        let token = try file.add("board", [])
        let others = ConsoleSessions(endedCountMax: 0)
        let other = others.newLabel(of: "board")
        try await TestProvider.run(time: time) { provider in
            let signIn = try signIn(at: provider.issuer)
            let begun = try await signIn.begin(from: "10.0.0.1")
            let completed = try await signIn.complete(
                QueryFields(try provider.signIn(at: begun.location)), from: "10.0.0.1",
                by: [begun.browser])
            let cookie = "__Host-errorbus=\(completed.key):\(completed.label)"
            func found(_ cookie: String, offering token: String? = nil) throws -> String {
                try verdict("/", signIn) { facts in
                    facts.cookies = [cookie]
                    facts.offeredToken = token
                }
            }
            #expect(try found(cookie) == "anna@x.example")
            #expect(try found("__Host-errorbus=\(completed.key):other") == "401 unauthorized")
            #expect(try found("__Host-errorbus=\(completed.key)") == "401 unauthorized")
            #expect(try found("errorbus=x:\(completed.label)") == "401 unauthorized")
            // A session is not that of another user's token, who would end it by signing out.
            #expect(try found("__Host-errorbus=\(token):other") == "board")
            #expect(
                try found("__Host-errorbus=\(token):\(completed.label)") == "401 unauthorized")
            // The cookie of the browser at the provider admits no one.
            #expect(try found("__Host-errorbus=\(begun.browser)") == "401 unauthorized")
            let bearer = try verdict("/api/v1/me", signIn) {
                $0.authorization = "Bearer \(completed.key)"
            }
            #expect(bearer == "401 unauthorized")
            #expect(try found(cookie, offering: token) == "409 signedIn")
            try await gate(signIn).end(completed.label, ofToken: token)
            #expect(try found(cookie) == "401 unauthorized")
            #expect(try found(cookie, offering: token) == "keepToken")
            // Above the limit, too, it ends no sign-in with a token.
            others.end(completed.label, of: nil)
            #expect(others.has(other, of: "board"))
        }
    }

    @Test("The cookie for the way to the provider and back is of its own, and lasts as long")
    func cookie() throws {
        let secure = try signIn().cookie.setting("x", for: PendingSignIns.time)
        #expect(
            secure == "__Host-errorbus-signin=x; HttpOnly; SameSite=Lax; Path=/; Secure; "
                + "Max-Age=600")
        let plain = ConsoleCookie.signIn(at: "127.0.0.1:8080", isSecure: false)
        #expect(plain.removing.hasPrefix("errorbus-signin-8080=; HttpOnly; SameSite=Lax"))
    }
}
