import AsyncHTTPClient
import ErrorBus
import ErrorBusTesting
import Foundation
import NIOCore
import NIOHTTP1
import Logging
import Testing

@testable import BusNodeKit

/// Signing in at an identity provider over HTTP, as a browser does it.
struct ServedSignInTests {
    /// As the provider knows the console.
    private static let host = "localhost:1"

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try UserFile("\(folder.path)/users.txt").addProxied("anna@x.example", [.answer])
        try PrivateFile.create("\(folder.path)/secret", TestProvider.secret + "\n", mode: 0o600)
    }

    private struct Reply {
        let status: Int
        let location: String
        let cookies: [String]
        let body: String
    }

    private func ask(
        _ path: String, _ console: ServedConsole, method: HTTPMethod = .GET,
        host: String = Self.host, cookie: String? = nil
    ) async throws -> Reply {
        let url = "http://127.0.0.1:\(console.address.port)\(path)"
        var exchange = HTTPExchange(method, url, body: method == .POST ? Array("{}".utf8) : nil)
        exchange.add("Host", host)
        if let cookie { exchange.add("Cookie", cookie) }
        let response = try await exchange.response()
        let body = try await response.body.collect(upTo: 1 << 20)
        return Reply(
            status: Int(response.status.code), location: response.headers["Location"].joined(),
            cookies: response.headers["Set-Cookie"].compactMap {
                $0.split(separator: ";").first.map { String($0) }
            }, body: String(buffer: body))
    }

    private func run(
        _ body: (TestProvider, ServedConsole, RecordedLog) async throws -> Void
    ) async throws {
        try await TestProvider.run { provider in
            // The console goes by the time of this machine.
            provider.says { ($0.claims["iat"], $0.claims["exp"]) = (.null, 4_102_444_800) }
            let issuer = try #require(ProviderAddress(provider.issuer))
            let log = RecordedLog()
            try await ServedConsole.run(
                { settings in
                    settings.usersFile = "\(folder.path)/users.txt"
                    settings.url = "http://\(Self.host)"
                    settings.oidc = ConsoleOIDCSettings(
                        issuer: issuer, clientID: TestProvider.clientID,
                        clientSecretFile: "\(folder.path)/secret")
                    settings.oidc?.label = "<Example>"
                }, logger: log.logger
            ) { console in try await body(provider, console, log) }
        }
    }

    @Test("The page offers the provider, and leads there and back to itself alone")
    func there() async throws {
        try await run { provider, console, _ in
            let me = try await ask("/api/v1/me", console)
            #expect(me.status == 401 && me.body.contains(#""signIn":"<Example>""#))
            // From another of the console's names first to that which the provider knows.
            let own = "127.0.0.1:\(console.address.port)"
            let other = try await ask("/oidc/start?to=https://evil.example", console, host: own)
            #expect(other.status == 303 && other.location == "http://localhost:1/")
            let start = try await ask("/oidc/start?to=https://evil.example", console)
            #expect(start.status == 303)
            #expect(start.location.hasPrefix("\(provider.issuer)/authorize?"))
            #expect(!start.location.contains("evil"))
            let query = try QueryFields(String(start.location.split(separator: "?")[1]))
            #expect(query.text("redirect_uri") == "http://localhost:1/oidc/callback")
            let forged = try await ask("/oidc/start", console, host: "evil.example")
            #expect(forged.status == 403 && forged.location.isEmpty)
        }
    }

    @Test("A browser is signed in by a cookie, and signing out ends that")
    func back() async throws {
        try await run { provider, console, log in
            let start = try await ask("/oidc/start", console)
            let query = try provider.signIn(at: start.location)
            let path = "/oidc/callback?\(query)&iss=\(provider.issuer)"
            let back = try await ask(path, console, cookie: start.cookies.first)
            #expect(back.status == 303 && back.location == "/")
            #expect(back.cookies.last == "errorbus-signin-1=")
            let cookie = try #require(back.cookies.first)
            let me = try await ask("/api/v1/me", console, cookie: cookie)
            #expect(me.body.contains(#""name":"anna@x.example""#))
            #expect(me.body.contains(#""provider":"<Example>""#))
            // Who is signed in need not sign in again.
            let again = try await ask("/oidc/start", console, cookie: cookie)
            #expect(again.status == 303 && again.location == "/")
            let left = try await ask(
                "/api/v1/me/leave", console, method: .POST, cookie: cookie)
            #expect(left.body.contains("\(provider.issuer)/leave?a=b&client_id"))
            #expect(try await ask("/api/v1/me", console, cookie: cookie).status == 401)
            #expect(
                log.lines.elements.contains {
                    $0.hasPrefix("info console: signed in by=anna@x.example provider=127.0.0.1")
                })
        }
    }

    @Test("Coming back ends the session that the browser began meanwhile, by a token or a tab")
    func meanwhile() async throws {
        let token = try UserFile("\(folder.path)/users.txt").add("board", [])
        try await run { provider, console, _ in
            func begin(_ cookie: String? = nil) async throws -> (cookie: String, path: String) {
                let start = try await ask("/oidc/start", console, cookie: cookie)
                let query = try provider.signIn(at: start.location)
                return (try #require(start.cookies.first), "/oidc/callback?\(query)")
            }
            func status(_ cookie: String) async throws -> Int {
                try await ask("/api/v1/me", console, cookie: cookie).status
            }
            let (browser, path) = try await begin()
            let (_, other) = try await begin(browser)
            let byToken = try await ask("/?token=\(token)", console, cookie: browser)
            let first = try #require(byToken.cookies.first)
            #expect(try await status(first) == 200)
            // The session's own cookie does not come with a request from the provider's site.
            let back = try await ask(path, console, cookie: browser)
            let second = try #require(back.cookies.first)
            #expect(try await status(first) == 401)
            #expect(try await status(second) == 200)
            let third = try #require(
                try await ask(other, console, cookie: browser).cookies.first)
            #expect(try await status(second) == 401)
            #expect(try await status(third) == 200)
        }
    }

    @Test("A person who is refused gets a page that says why, without markup of others")
    func refused() async throws {
        try await run { provider, console, log in
            let unknown = try await ask("/oidc/callback?code=a&state=b", console)
            #expect(unknown.status == 400 && unknown.body.contains("this browser began no such"))
            #expect(unknown.cookies.isEmpty)
            let start = try await ask("/oidc/start", console)
            let query = try QueryFields(String(start.location.split(separator: "?")[1]))
            let state = try #require(query.text("state"))
            let path = "/oidc/callback?state=\(state)&error=%3Cscript%3Ealert(1)%3C/script%3E"
            let declined = try await ask(path, console, cookie: start.cookies.first)
            #expect(declined.status == 403 && declined.body.contains("&lt;Example>: found the"))
            #expect(declined.body.contains("&lt;script>") && !declined.body.contains("<script>"))
            provider.says { $0.claims["email"] = "eve@x.example" }
            let again = try await ask("/oidc/start", console)
            let secret = try provider.signIn(at: again.location)
            let eve = try await ask(
                "/oidc/callback?\(secret)", console, cookie: again.cookies.first)
            #expect(eve.status == 403 && eve.body.contains("signed in there as eve@x.example"))
            #expect(!log.lines.elements.contains { $0.contains(state) || $0.contains(secret) })
        }
    }

    @Test("A console without a provider has nothing there")
    func without() async throws {
        try await ServedConsole.run(
            { $0.usersFile = "\(folder.path)/users.txt" }, logger: .silent
        ) { console in
            let host = "127.0.0.1:\(console.address.port)"
            #expect(try await ask("/oidc/start", console, host: host).status == 401)
            let me = try await ask("/api/v1/me", console, host: host)
            #expect(me.status == 401 && !me.body.contains("signIn"))
        }
    }
}
