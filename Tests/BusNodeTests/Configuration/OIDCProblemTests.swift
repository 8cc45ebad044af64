import ErrorBus
import Testing

@testable import BusNodeKit

/// What `oidc:` of a console may hold.
struct OIDCProblemTests {
    private static let least =
        "issuer: \"https://login.example\", clientID: a, clientSecret: file:a"
    private static let beside =
        "listen: 127.0.0.1:8080, users: file:u, url: \"https://console.example\""

    private func topology(_ oidc: String, beside: String = Self.beside) -> String {
        """
        version: 1
        nodes:
          central:
            presenters: [{ console: { \(beside), oidc: { \(oidc) } } }]
        """
    }

    private func problems(_ oidc: String, beside: String = Self.beside) -> [String] {
        TestTopology.problems(topology(oidc, beside: beside)).map {
            $0.replacing("t.yaml:4: nodes.central.presenters[0].console", with: "")
        }
    }

    private static let address =
        "allowed: https://HOST/PATH, or http:// for a provider on this machine"
    private static let words = "allowed: a list of see, answer, destructive, silence, administer"
    private static let scopes =
        "allowed: a list of scopes with openid, as in [openid, email, groups]"

    @Test(
        "The mistakes of oidc",
        arguments: [
            (
                "clientID: a, clientSecret: file:a",
                ": found no issuer, allowed: issuer: https://HOST"
            ),
            (
                "issuer: \"https://a.example\", clientSecret: file:a",
                ": found no clientID, allowed: clientID: NAME"
            ),
            (
                "issuer: \"https://a.example\", clientID: a",
                ": found no clientSecret, allowed: clientSecret: file:PATH"
            ),
            (
                "issuer: \"http://a.example\", clientID: a, clientSecret: file:a",
                ".issuer: found \"http://a.example\", \(address)"
            ),
            (
                "issuer: \"https://a.example?b=c\", clientID: a, clientSecret: file:a",
                ".issuer: found \"https://a.example?b=c\", \(address)"
            ),
            (
                "issuer: \"https://a.example/?b=c\", clientID: a, clientSecret: file:a",
                ".issuer: found \"https://a.example/?b=c\", \(address)"
            ),
            (
                "issuer: \"https://a.example\", clientID: a, clientSecret: hunter2",
                ".clientSecret: found a text without file:, allowed: file:PATH, a file that only "
                    + "its owner can read"
            ),
            ("\(least), scopes: [email]", ".scopes: found a list, \(scopes)"),
            ("\(least), scopes: [openid, \"a b\"]", ".scopes: found a list, \(scopes)"),
            ("\(least), may: {}", ".may: found 0 groups, allowed: 1 to 100 groups"),
            ("\(least), may: { a: [] }", ".may.a: found a list, \(words)"),
            (
                "\(least), may: { a: [answers] }",
                ".may.a[0]: found \"answers\", \(words); did you mean \"answer\"?"
            ),
            ("\(least), session: 30s", ".session: found \"30s\", allowed: 1m to 7d"),
            ("\(least), session: 8d", ".session: found \"8d\", allowed: 1m to 7d"),
            (
                "\(least), secret: a",
                ".secret: found unknown key \"secret\", allowed: issuer, clientID, clientSecret, "
                    + "label, name, scopes, groups, may, session"
            ),
        ])
    func mistakes(settings: String, expected: String) {
        #expect(problems(settings) == [".oidc" + expected])
    }

    @Test("Groups and the texts of a page and a request have limits, and no hidden characters")
    func limits() {
        func groups(_ count: Int) -> String {
            let groups = (0..<count).map { "g\($0): see" }
            return "\(Self.least), may: { \(groups.joined(separator: ", ")) }"
        }
        #expect(problems(groups(100)).isEmpty)
        #expect(
            problems(groups(101)) == [".oidc.may: found 101 groups, allowed: 1 to 100 groups"])
        let label = "\(Self.least), label: "
        #expect(problems(label + String(repeating: "x", count: 64)).isEmpty)
        let allowed = "allowed: 1 to 64 characters without control characters"
        for text in [
            String(repeating: "x", count: 65), #""a\u202eb""#, #""a\nb""#, #""a\u2066b""#,
        ] {
            let found = problems(label + text)
            #expect(found.count == 1 && found.first?.hasPrefix(".oidc.label: found ") == true)
            #expect(found.first?.hasSuffix(allowed) == true)
        }
    }

    @Test("The mistakes of oidc are reported together")
    func together() {
        #expect(
            problems("issuer: \"http://a.example\", clientID: a, session: 30s") == [
                ".oidc: found no clientSecret, allowed: clientSecret: file:PATH",
                ".oidc.issuer: found \"http://a.example\", \(Self.address)",
                ".oidc.session: found \"30s\", allowed: 1m to 7d",
            ])
    }

    @Test(
        "What has to be beside oidc",
        arguments: [
            (
                "listen: 127.0.0.1:8080, url: \"https://a.example\"",
                ".oidc: found oidc without users, allowed: users: file:PATH beside it, with the "
                    + "names that the provider gives"
            ),
            (
                "listen: 127.0.0.1:8080, users: file:u",
                ".oidc: found no url of the console, to which the provider leads people back, "
                    + "allowed: url: https://HOST, or http:// on this machine, as browsers reach "
                    + "this console"
            ),
            (
                "listen: 127.0.0.1:8080, users: file:u, url: \"http://a.example\"",
                ".url: found \"http://a.example\", allowed: https://HOST with oidc, or http:// on "
                    + "this machine"
            ),
            (
                "\(beside), proxy: { header: X, from: 10.0.0.1, secret: file:a }",
                ".oidc: found oidc and proxy, allowed: one of them"
            ),
        ])
    func neighbours(settings: String, expected: String) {
        #expect(problems(Self.least, beside: settings) == [expected])
    }

    private func read(_ oidc: String) throws -> ConsoleOIDCSettings {
        let folder = try TemporaryFolder()
        let file = try folder.write(topology(oidc), to: "t.yaml")
        let node = try TopologyLoader.load(file, environment: [:]).topology["central"]
        guard case .console(let console)? = node?.presenters.first else {
            throw Failure(.software, "no console")
        }
        return try #require(console.oidc)
    }

    @Test("A provider is read with its defaults, and with all of its keys")
    func defaults() throws {
        let least = try read(Self.least)
        #expect(least.issuer.text == "https://login.example" && least.title == "login.example")
        #expect(least.nameClaim == "email" && least.scopes == ["openid", "email", "profile"])
        #expect(least.groups.isEmpty && least.session == .seconds(8 * 3_600))
        #expect(least.clientSecretFile.hasSuffix("/a"))
        let all = try read(
            "issuer: \"http://127.0.0.1:9000/a/\", clientID: a, clientSecret: file:b, label: Us, "
                + "name: sub, scopes: [openid], groups: roles, session: 1h, "
                + "may: { a b: [answer, silence], c: see }")
        #expect(all.issuer.text == "http://127.0.0.1:9000/a/" && all.title == "Us")
        #expect(all.nameClaim == "sub" && all.scopes == ["openid"] && all.groupsClaim == "roles")
        #expect(all.groups == ["a b": [.answer, .silence], "c": []])
        #expect(all.session == .seconds(3_600))
    }
}
