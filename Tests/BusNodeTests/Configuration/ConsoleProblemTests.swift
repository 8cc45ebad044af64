import ErrorBus
import Testing

@testable import BusNodeKit

/// What `console:` may hold.
struct ConsoleProblemTests {
    private func topology(_ console: String) -> String {
        """
        version: 1
        nodes:
          central:
            presenters: [{ console: { \(console) } }]
        """
    }

    private func problems(_ console: String) -> [String] {
        TestTopology.problems(topology(console)).map {
            $0.replacing("t.yaml:4: nodes.central.presenters[0].console", with: "")
        }
    }

    @Test(
        "The mistakes of tls",
        arguments: [
            ("tls: { certificate: a }", ".tls: found no key, allowed: key: FILE, in PEM form"),
            (
                "tls: { key: a }",
                ".tls: found no certificate, allowed: certificate: FILE, in PEM form"
            ),
            (
                "tls: true",
                ".tls: found \"true\", allowed: a mapping with keys of: certificate, key"
            ),
            (
                "tls: { certificate: a, key: b, ca: c }",
                ".tls.ca: found unknown key \"ca\", allowed: certificate, key"
            ),
        ])
    func tls(settings: String, expected: String) {
        #expect(problems("listen: 127.0.0.1:8080, \(settings)") == [expected])
    }

    private static let users = "users: file:users, proxy:"
    private static let header =
        "allowed: the name of a header that the proxy sets, as in X-Forwarded-User"
    private static let range =
        "allowed: an address or a range, as in 10.0.0.5, 10.0.0.0/8 or fd00::/8"

    @Test(
        "The mistakes of proxy",
        arguments: [
            (
                "proxy: { header: X-User, from: 10.0.0.1, secret: file:a }",
                ".proxy: found proxy without users, allowed: users: file:PATH beside it, with the "
                    + "names that the proxy gives"
            ),
            (
                "\(users) { from: 10.0.0.1, secret: file:a }",
                ".proxy: found no header, allowed: header: NAME"
            ),
            (
                "\(users) { header: X-User, secret: file:a }",
                ".proxy: found no from, allowed: from: ADDRESS, that of the proxy"
            ),
            (
                "\(users) { header: X-User, from: 10.0.0.1 }",
                ".proxy: found no secret, allowed: secret: file:PATH"
            ),
            (
                "\(users) { header: Cookie, from: 10.0.0.1, secret: file:a }",
                ".proxy.header: found \"Cookie\", \(header)"
            ),
            (
                "\(users) { header: ErrorBus-Proxy-Secret, from: 10.0.0.1, secret: file:a }",
                ".proxy.header: found \"ErrorBus-Proxy-Secret\", \(header)"
            ),
            (
                "\(users) { header: \"X User\", from: 10.0.0.1, secret: file:a }",
                ".proxy.header: found \"X User\", \(header)"
            ),
            (
                "\(users) { header: X-User, from: proxy.example, secret: file:a }",
                ".proxy.from: found \"proxy.example\", \(range)"
            ),
            (
                "\(users) { header: X-User, from: [10.0.0.0/8, 10.0.0.1/8], secret: file:a }",
                ".proxy.from[1]: found \"10.0.0.1/8\", \(range)"
            ),
            (
                "\(users) { header: X-User, from: [], secret: file:a }",
                ".proxy.from: found a list, \(range), or a list of them"
            ),
            (
                "\(users) { header: X-User, from: 10.0.0.1, secret: hunter2 }",
                ".proxy.secret: found a text without file:, allowed: file:PATH, a file that only "
                    + "its owner can read"
            ),
            (
                "\(users) { header: X, from: 10.0.0.1, secret: file:a, signOut: \"javascript:1\" }",
                ".proxy.signOut: found \"javascript:1\", allowed: https://HOST/PATH, "
                    + "http://HOST/PATH or /PATH"
            ),
            (
                "\(users) { header: X, from: 10.0.0.1, secret: file:a, signOut: //evil.example }",
                ".proxy.signOut: found \"//evil.example\", allowed: https://HOST/PATH, "
                    + "http://HOST/PATH or /PATH"
            ),
        ])
    func proxy(settings: String, expected: String) {
        #expect(problems("listen: 127.0.0.1:8080, \(settings)") == [expected])
    }

    @Test("The mistakes of a console are reported together")
    func together() {
        let file = "found a text without file:, allowed: file:PATH, a file that only its owner can "
        #expect(
            problems(
                "listen: '8080', token: hunter2, tls: { certificate: a }, "
                    + "proxy: { header: Cookie, from: proxy.example, secret: hunter2 }") == [
                    ".listen: found \"8080\", allowed: HOST:PORT, or HOST:* to let the system "
                        + "choose the port",
                    ".token: \(file)read",
                    ".tls: found no key, allowed: key: FILE, in PEM form",
                    ".proxy.header: found \"Cookie\", \(Self.header)",
                    ".proxy.from: found \"proxy.example\", \(Self.range)",
                    ".proxy.secret: \(file)read",
                ])
    }

    @Test("A proxy is read with its defaults")
    func proxyRead() throws {
        let proxy = "header: X-User, from: [10.0.0.0/8, \"::1\"], secret: file:run/secret"
        for signOut in [nil, "/oauth2/sign_out?rd=%2F", "https://sso.example:8443/out"] {
            let more = signOut.map { ", signOut: \"\($0)\"" } ?? ""
            let folder = try TemporaryFolder()
            let file = try folder.write(
                topology("listen: 127.0.0.1:8080, \(Self.users) { \(proxy)\(more) }"), to: "t.yaml")
            let node = try TopologyLoader.load(file, environment: [:]).topology["central"]
            guard case .console(let console)? = node?.presenters.first else {
                Issue.record("no console")
                return
            }
            let found = try #require(console.proxy)
            #expect(found.header == "X-User" && found.signOut == signOut)
            #expect(found.from.map(\.description) == ["10.0.0.0/8", "::1"])
            #expect(found.secretFile == "\(folder.path)/run/secret")
        }
    }

    @Test("The times and names of a console are read as they are written, hosts in lower case")
    func settings() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            topology(
                "listen: 0.0.0.0:8443, users: file:users, escalateAfter: 5m, "
                    + "hosts: [Console.example, \"a.example:8443\"], "
                    + "tls: { certificate: c.pem, key: k.pem }"), to: "t.yaml")
        let node = try TopologyLoader.load(file, environment: [:]).topology["central"]
        guard case .console(let console)? = node?.presenters.first else {
            Issue.record("no console")
            return
        }
        #expect(console.escalateAfter == .seconds(300))
        #expect(console.hosts == ["console.example", "a.example:8443"])
        #expect(console.tls?.certificateFile == "\(folder.path)/c.pem")
        #expect(console.tls?.keyFile == "\(folder.path)/k.pem")
        #expect(console.usersFile == "\(folder.path)/users" && console.tokenFile == nil)
    }

    @Test(
        "Plain HTTP beyond loopback is a warning that says what to do",
        arguments: [
            ("listen: 0.0.0.0:8080, token: file:a", true),
            ("listen: console.example:8080, users: file:a", true),
            ("listen: 127.0.0.1:8080", false),
            ("listen: 0.0.0.0:8080, token: file:a, tls: { certificate: b, key: c }", false),
        ])
    func plain(settings: String, isWarned: Bool) {
        let address = settings.split(separator: " ")[1].dropLast()
        let warning =
            "t.yaml:4: nodes.central.presenters[0].console.listen: warning: \"\(address)\" speaks "
            + "plain HTTP beyond loopback: every host on the way can read tokens and answers; add "
            + "tls: { certificate: FILE, key: FILE }, or listen on loopback behind a proxy with TLS"
        #expect(problems(settings).isEmpty)
        #expect(TestTopology.warnings(topology(settings)) == (isWarned ? [warning] : []))
    }
}
