import ErrorBus
import Testing

@testable import BusNodeKit

/// What `notify:` may hold.
struct NotifyProblemTests {
    private static let console = "console: { listen: 127.0.0.1:8080, url: https://console.example }"

    private func problems(_ hook: String, presenter: String = console) -> [String] {
        TestTopology.problems(
            """
            version: 1
            nodes:
              central:
                presenters: [{ \(presenter) }]
                notify: [{ \(hook) }]
            """
        ).map { $0.replacing("t.yaml:5: nodes.central.notify[0]", with: "") }
    }

    @Test(
        "A hook's mistakes",
        arguments: [
            (
                "name: a",
                ": found no url, allowed: url: https://HOST/PATH or http://HOST:PORT/PATH"
            ),
            ("url: http://h/", ": found no name, allowed: name: TEXT"),
            (
                "name: a b, url: http://h/",
                ".name: found \"a b\", allowed: 1 to 64 characters of A-Z a-z 0-9 . _ -"
            ),
            (
                "name: a, url: http://h/, ca: authorities.pem",
                ".ca: found ca with an http URL, allowed: an https URL"
            ),
            (
                "name: a, url: http://h/, on: [opend]",
                ".on[0]: found \"opend\", allowed: opened, aging, claimed, proposed, "
                    + "answered, ended; did you mean \"opened\"?"
            ),
            (
                "name: a, url: http://h/, on: []",
                ".on: found a list, allowed: one of opened, aging, claimed, proposed, "
                    + "answered, ended, or a list of them"
            ),
            (
                "name: a, url: http://h/, on: aging",
                ": found aging without after, allowed: after: DURATION, as in after: 5m"
            ),
            (
                "name: a, url: http://h/, after: 5m",
                ".after: found after without aging, allowed: aging among on"
            ),
            (
                "name: a, url: http://h/, match: { sevrity: error }",
                ".match.sevrity: found unknown key \"sevrity\", allowed: domain, code, severity, "
                    + "origin, userInfo; did you mean \"severity\"?"
            ),
            (
                "name: a, url: http://h/, secret: hunter2",
                ".secret: found a text without file:, allowed: file:PATH, a file that only its "
                    + "owner can read"
            ),
            (
                "name: a, url: http://h/, body: teams",
                ".body: found \"teams\", allowed: json, slack, ntfy, alertmanager"
            ),
            (
                "name: a, url: http://h/, body: ntfy",
                ".url: found a URL without a topic, allowed: https://HOST/TOPIC"
            ),
            (
                "name: a, url: http://h/, digest: 5",
                ".digest: found \"5\", allowed: a duration such as 250ms, 30s, 10m, 1h or 2d; "
                    + "a unit is missing, as in \"5s\""
            ),
            (
                "name: a, url: http://h/, perMinute: 0",
                ".perMinute: found \"0\", allowed: a whole number from 1 to 1000"
            ),
            (
                "name: a, url: http://h/, hosts: 3",
                ".hosts: found unknown key \"hosts\", allowed: name, url, on, after, match, "
                    + "secret, ca, body, digest, perMinute, tries, answerLinks"
            ),
            (
                "name: a, url: http://h/ }, { name: a, url: http://h/",
                "t.yaml:5: nodes.central.notify[1]: found the name \"a\" a second time, "
                    + "allowed: each name once"
            ),
        ])
    func hook(settings: String, expected: String) {
        #expect(problems(settings) == [expected])
    }

    @Test("The mistakes of a hook are reported together")
    func together() {
        #expect(
            problems("name: a b, url: 'ftp://h/', on: [opend], answerLinks: { for: 25h }") == [
                ".name: found \"a b\", allowed: 1 to 64 characters of A-Z a-z 0-9 . _ -",
                ".url: found the scheme \"ftp\", allowed: https://HOST/PATH or "
                    + "http://HOST:PORT/PATH",
                ".on[0]: found \"opend\", allowed: opened, aging, claimed, proposed, answered, "
                    + "ended; did you mean \"opened\"?",
                ".answerLinks: found answerLinks without opened and aging, allowed: opened or "
                    + "aging among on",
                ".answerLinks: found no as, allowed: as: NAME, a user of the console",
                ".answerLinks.for: found \"25h\", allowed: 1m to 24h",
            ])
    }

    @Test(
        "A hook's URL is refused with what was found, but for what may be secret in it",
        arguments: [
            ("ftp://h/secret", "the scheme \"ftp\""), ("/secret", "no URL"),
            ("http://user:secret@h/", "a URL with a user"),
            ("http://h/#secret", "a URL with a fragment (#)"),
            ("http:/secret", "a URL without a host"),
            ("http://h:0/secret", "the host \"h\", port 0"),
        ])
    func url(text: String, found: String) {
        #expect(
            problems("name: a, url: '\(text)'") == [
                ".url: found \(found), allowed: https://HOST/PATH or http://HOST:PORT/PATH"
            ])
    }

    @Test(
        "The mistakes of answerLinks",
        arguments: [
            ("{ for: 1h }", "", ": found no as, allowed: as: NAME, a user of the console"),
            ("{ as: oncall, for: 25h }", "", ".for: found \"25h\", allowed: 1m to 24h"),
            ("{ as: oncall, for: 30s }", "", ".for: found \"30s\", allowed: 1m to 24h"),
            (
                "{ as: oncall, to: bob }", "",
                ".to: found unknown key \"to\", allowed: as, for"
            ),
            (
                "{ as: oncall }", ", body: alertmanager",
                ": found answerLinks with alertmanager, which sends an alert to many, again, "
                    + "allowed: body: json, slack or ntfy"
            ),
            (
                "{ as: oncall }", ", on: [answered, ended]",
                ": found answerLinks without opened and aging, allowed: opened or aging among on"
            ),
        ])
    func answerLinks(links: String, more: String, expected: String) {
        let found = linked("answerLinks: \(links)\(more)")
        #expect(found == ["t.yaml:6: nodes.central.notify[0].answerLinks\(expected)"])
    }

    /// The problems of a hook at a node that has what links need.
    private func linked(
        _ hook: String = "answerLinks: { as: oncall }", url: String = "https://console.example",
        more: String = ", users: file:users, linkKey: file:links",
        node: String = "journal: central.sqlite", secret: String = "hook"
    ) -> [String] {
        TestTopology.problems(
            """
            version: 1
            nodes:
              central:
                \(node)
                presenters: [{ console: { listen: 127.0.0.1:8080, url: "\(url)"\(more) } }]
                notify: [{ name: a, url: http://h/, secret: file:\(secret), \(hook) }]
            """)
    }

    @Test("Links that answer need users, a key of their own, a journal, and a safe address")
    func answerLinksElsewhere() {
        #expect(linked() == [])
        #expect(linked(url: "http://127.0.0.1:8080") == [])
        let hook = "t.yaml:6: nodes.central.notify[0].answerLinks: found answerLinks at a "
        let console = "t.yaml:5: nodes.central.presenters[0].console"
        #expect(
            linked(more: ", token: file:token, linkKey: file:links") == [
                hook + "console without users, allowed: users: file:PATH at the console, with the "
                    + "name of as"
            ])
        #expect(
            linked(more: ", users: file:users") == [
                hook + "console without linkKey, allowed: linkKey: file:PATH at the console, a "
                    + "file of its own"
            ])
        #expect(
            linked(node: "deadline: 1h") == [
                hook + "node without a journal, allowed: journal: FILE at the node, by which a "
                    + "link is used once, also after a restart"
            ])
        #expect(
            linked(url: "http://console.example") == [
                "\(console).url: found \"http://console.example\", allowed: https://HOST with "
                    + "answerLinks, or http:// on this machine"
            ])
        for more in [", users: file:links, linkKey: file:./links", nil] {
            let found =
                more.map { linked(more: $0) } ?? linked(secret: "links")
            #expect(
                found == [
                    "\(console).linkKey: found a file that holds another secret as well, allowed: "
                        + "a file of its own: with its content anyone can make links"
                ])
        }
    }

    @Test(
        "A hook's node has one console, which says where it is reached",
        arguments: [
            (
                "command: [x]",
                "t.yaml:5: nodes.central.notify: found 0 consoles at this node, "
                    + "allowed: one console among its presenters"
            ),
            (
                "console: { listen: 127.0.0.1:8080 } }, { console: { listen: 127.0.0.1:8081 }",
                "t.yaml:5: nodes.central.notify: found 2 consoles at this node, "
                    + "allowed: one console among its presenters"
            ),
            (
                "console: { listen: 127.0.0.1:8080 }",
                "t.yaml:4: nodes.central.presenters[0].console: found no url, which links of "
                    + "notify begin with, allowed: url: http://HOST or https://HOST, as browsers "
                    + "reach this console"
            ),
            (
                "console: { listen: 127.0.0.1:8080, url: https://console.example/errors }",
                "t.yaml:4: nodes.central.presenters[0].console.url: "
                    + "found \"https://console.example/errors\", "
                    + "allowed: http://HOST or https://HOST, as browsers reach this console"
            ),
        ])
    func console(presenter: String, expected: String) {
        #expect(problems("name: a, url: http://h/", presenter: presenter) == [expected])
    }

    @Test("What is left out has its default, and the console takes requests for its url")
    func defaults() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            """
            version: 1
            nodes:
              central:
                journal: central.sqlite
                presenters:
                  - console:
                      listen: 127.0.0.1:8080
                      url: https://C.example/
                      users: file:users
                      linkKey: file:links
                notify:
                  - { name: plain, url: "http://[::1]/a%20b?c=d" }
                  - { name: linked, url: "http://h/", answerLinks: { as: oncall, for: 10m } }
                  - name: whole
                    url: ${HOOK:-https://h}
                    ca: authorities.pem
                    on: [aging, ended]
                    after: 5m
                    match: { severity: ">=error" }
                    secret: file:secret
                    body: alertmanager
                    digest: 0s
                    perMinute: 100
                    tries: 3
            """, to: "t.yaml")
        let node = try #require(
            try TopologyLoader.load(file, environment: [:]).topology["central"])
        let plain = HookSettings(
            name: "plain", url: HookURL(host: "::1", port: 80, path: "/a%20b?c=d"))
        #expect(node.notify.first == plain)
        #expect(plain.url.address == "http://[::1]:80")
        #expect([plain.digest, .seconds(plain.perMinute)] == [.seconds(5), .seconds(30)])
        #expect(plain.events == [.opened])
        let whole = try #require(node.notify.last)
        #expect(whole.url == HookURL(isSecure: true, host: "h", port: 443, path: "/"))
        #expect(whole.url.address == "https://h:443")
        #expect(whole.authorityFile?.hasSuffix("/authorities.pem") == true)
        #expect(whole.events == [.aging, .ended])
        #expect(whole.after == .seconds(300))
        #expect(whole.match.severity == [.error, .critical])
        #expect(whole.secretFile?.hasSuffix("/secret") == true)
        #expect(whole.body == .alertmanager)
        #expect(whole.digest == .zero)
        #expect([whole.perMinute, whole.tries] == [100, 3])
        var links = AnswerLinkSettings(user: "oncall")
        #expect(links.time == .seconds(3_600))
        links.time = .seconds(600)
        #expect(node.notify.map(\.answerLinks) == [nil, links, nil])
        guard case .console(let console)? = node.presenters.first else { return }
        #expect(console.url == "https://c.example")
        #expect(console.linkKeyFile == "\(folder.path)/links")
        let hosts = ConsoleHosts(console, port: 8_080)
        #expect(hosts.allows("c.example"))
        #expect(hosts.allows(origin: "https://c.example", at: "c.example"))
        #expect(!hosts.allows("d.example"))
    }
}
