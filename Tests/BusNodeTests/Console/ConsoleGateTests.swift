import ErrorBus
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import BusNodeKit

struct ConsoleGateTests {
    private static let token = ConsoleToken.generated()

    private func gate(_ listen: String = "127.0.0.1:8080", hosts: [String] = []) throws
        -> ConsoleGate
    {
        var settings = ConsoleSettings(listen: try Endpoint("tcp://\(listen)"))
        settings.hosts = hosts
        return ConsoleGate(hosts: ConsoleHosts(settings, port: 8080), admission: .token(Self.token))
    }

    /// What a script sends.
    private func facts(_ method: String = "GET") -> ConsoleGate.Facts {
        var facts = ConsoleGate.Facts()
        facts.method = method
        facts.path = "/api/v1/inbox"
        facts.host = "127.0.0.1:8080"
        facts.authorization = "Bearer \(Self.token.text)"
        if method == "POST" { facts.contentType = "application/json" }
        return facts
    }

    /// `enter`, `keepToken`, or status and word of the refusal.
    private func verdict(_ gate: ConsoleGate, _ facts: ConsoleGate.Facts) -> String {
        do throws(APIProblem) {
            switch try gate.verdict(on: facts) {
            case .enter: return "enter"
            case .enterPage: return "enterPage"
            case .keepToken: return "keepToken"
            case .tokenIsKept: return "tokenIsKept"
            }
        } catch {
            return "\(error.status.code) \(error.word)"
        }
    }

    @Test(
        "Only the console's own names are accepted as Host",
        arguments: [
            ("127.0.0.1:8080", "enter"), ("localhost:8080", "enter"), ("LOCALHOST:8080", "enter"),
            ("evil.example", "403 host"), ("evil.example:8080", "403 host"),
            ("127.0.0.1", "403 host"), ("127.0.0.1:8081", "403 host"), ("", "403 host"),
            ("127.0.0.1:8080.evil.example", "403 host"),
            ("127.0.0.1.evil.example:8080", "403 host"),
            ("[::1]:8080", "403 host"), ("127.0.0.1:08080", "403 host"),
            (" 127.0.0.1:8080", "403 host"),
        ])
    func host(host: String, expected: String) throws {
        var facts = facts()
        facts.host = host
        #expect(verdict(try gate(), facts) == expected)
    }

    @Test("A second Host is refused, whichever comes first, even the same")
    func twoHosts() throws {
        for hosts in [["127.0.0.1:8080", "evil"], ["evil", "127.0.0.1:8080"]]
            + [["127.0.0.1:8080", "127.0.0.1:8080"]]
        {
            var fields = HTTPFields()
            let name = try #require(HTTPField.Name("Host"))
            fields.append(HTTPField(name: name, value: hosts[1]))
            fields[.authorization] = "Bearer \(Self.token.text)"
            let head = HTTPRequest(
                method: .get, scheme: "http", authority: hosts[0], path: "/api/v1/inbox",
                headerFields: fields)
            let facts = ConsoleGate.Facts(Request(head: head, body: .init(buffer: ByteBuffer())))
            #expect(verdict(try gate(), facts) == "403 host")
        }
    }

    @Test("A token in the wrong place of an address is not logged")
    func hidden() {
        #expect(Self.token.hidden(in: "/token=\(Self.token.text)") == "/token=TOKEN")
        #expect(Self.token.hidden(in: "/api/v1/inbox") == "/api/v1/inbox")
    }

    @Test("A request without Host is refused")
    func noHost() throws {
        var facts = facts()
        facts.host = nil
        #expect(verdict(try gate(), facts) == "403 host")
    }

    @Test(
        "Beyond loopback only the address itself and configured hosts are accepted",
        arguments: [
            ("10.0.0.5:8080", "10.0.0.5:8080", "enter"),
            ("10.0.0.5:8080", "localhost:8080", "403 host"),
            ("10.0.0.5:8080", "bus.example", "enter"),
            ("10.0.0.5:8080", "bus.example:8080", "403 host"),
            ("0.0.0.0:8080", "localhost:8080", "enter"),
            ("0.0.0.0:8080", "0.0.0.0:8080", "403 host"),
            ("[::1]:8080", "[::1]:8080", "enter"),
        ])
    func configured(listen: String, host: String, expected: String) throws {
        var facts = facts()
        facts.host = host
        #expect(verdict(try gate(listen, hosts: ["bus.example"]), facts) == expected)
    }

    @Test(
        "An Origin must be the console's own or absent, for reading and writing",
        arguments: [
            ("http://127.0.0.1:8080", "enter"), ("http://localhost:8080", "403 origin"),
            ("https://127.0.0.1:8080", "403 origin"), ("http://127.0.0.1", "403 origin"),
            ("http://evil.example", "403 origin"), ("null", "403 origin"), ("", "403 origin"),
        ], ["GET", "POST"])
    func origin(_ origin: (sent: String, expected: String), method: String) throws {
        var facts = facts(method)
        facts.origins = [origin.sent]
        #expect(verdict(try gate(), facts) == origin.expected)
        facts.origins = ["http://127.0.0.1:8080", "http://evil.example"]
        #expect(verdict(try gate(), facts) == "403 origin")
    }

    @Test("With TLS the Origin begins with https, and the cookie is another one")
    func secure() throws {
        var settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8443"))
        settings.hosts = ["bus.example"]
        settings.tls = ConsoleTLSSettings(certificateFile: "a", keyFile: "b")
        let gate = ConsoleGate(
            hosts: ConsoleHosts(settings, port: 8443), admission: .token(Self.token))
        for host in ["127.0.0.1:8443", "bus.example"] {
            var facts = facts("POST")
            facts.host = host
            facts.origins = ["https://\(host)"]
            #expect(verdict(gate, facts) == "enter")
            facts.origins = ["http://\(host)"]
            #expect(verdict(gate, facts) == "403 origin")
            facts.origins = []
            facts.authorization = nil
            let name = host == "bus.example" ? "errorbus" : "errorbus-8443"
            facts.cookies = ["\(name)=\(Self.token.text)"]
            #expect(verdict(gate, facts) == "401 unauthorized")
            facts.cookies = ["__Host-\(name)=\(Self.token.text)"]
            #expect(verdict(gate, facts) == "enter")
        }
        #expect(gate.hosts.pageAddress == "https://bus.example/")
        let standard = ConsoleHosts(settings, port: 443)
        #expect(standard.allows("127.0.0.1") && !standard.allows("127.0.0.1:8443"))
    }

    @Test(
        "Strict-Transport-Security is for names of a console with TLS alone",
        arguments: [
            ("bus.example", true), ("BUS.example:8443", true), ("127.0.0.1:8443", false),
            ("localhost:8443", false), ("[::1]:8443", false), ("bus.localhost", false),
            ("evil.example", false),
        ])
    func named(host: String, isNamed: Bool) throws {
        var settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8443"))
        settings.hosts = ["bus.example", "bus.example:8443", "[::1]:8443", "bus.localhost"]
        #expect(!ConsoleHosts(settings, port: 8443).isNamed(host))
        settings.tls = ConsoleTLSSettings(certificateFile: "a", keyFile: "b")
        #expect(ConsoleHosts(settings, port: 8443).isNamed(host) == isNamed)
    }

    @Test("Behind a proxy with TLS the Origin begins with https")
    func proxied() throws {
        var facts = facts("POST")
        facts.host = "bus.example"
        facts.origins = ["https://bus.example"]
        #expect(verdict(try gate(hosts: ["bus.example"]), facts) == "enter")
    }

    @Test(
        "Requests from another site are refused, for reading and writing",
        arguments: [
            ("same-origin", "enter"), ("none", "enter"), ("same-site", "403 crossSite"),
            ("cross-site", "403 crossSite"), ("", "403 crossSite"),
        ], ["GET", "POST"])
    func fetchSite(_ site: (sent: String, expected: String), method: String) throws {
        var facts = facts(method)
        facts.fetchSite = site.sent
        #expect(verdict(try gate(), facts) == site.expected)
    }

    @Test(
        "A link on another site opens only the page, which has no data",
        arguments: [
            ("GET", "/", "navigate", "document", "enterPage"),
            ("GET", "/", "navigate", "iframe", "403 crossSite"),
            ("GET", "/", "no-cors", "document", "403 crossSite"),
            ("POST", "/", "navigate", "document", "403 crossSite"),
            ("GET", "/answer", "navigate", "document", "enterPage"),
            ("GET", "/answer", "navigate", "iframe", "403 crossSite"),
            ("POST", "/api/v1/answer", "navigate", "document", "403 crossSite"),
            ("GET", "/api/v1/inbox", "navigate", "document", "403 crossSite"),
            ("GET", "/page/main.js", "navigate", "document", "403 crossSite"),
        ])
    func link(
        method: String, path: String, mode: String, destination: String, expected: String
    ) throws {
        var facts = facts(method)
        facts.path = path
        facts.authorization = nil
        facts.fetchSite = "cross-site"
        facts.fetchMode = mode
        facts.fetchDestination = destination
        #expect(verdict(try gate(), facts) == expected)
        facts.host = "evil.example"
        #expect(verdict(try gate(), facts) == "403 host")
    }

    @Test("The page's parts need no token, and only the page itself loads them")
    func parts() throws {
        var facts = facts()
        facts.path = "/page/main.js"
        facts.authorization = nil
        #expect(verdict(try gate(), facts) == "enterPage")
        facts.fetchSite = "same-origin"
        #expect(verdict(try gate(), facts) == "enterPage")
        facts.fetchSite = "cross-site"
        #expect(verdict(try gate(), facts) == "403 crossSite")
        facts.fetchSite = nil
        facts.method = "POST"
        #expect(verdict(try gate(), facts) == "401 unauthorized")
    }

    @Test("A + that the address did not escape is part of the token")
    func plus() {
        let head = HTTPRequest(
            method: .get, scheme: "http", authority: "127.0.0.1:8080", path: "/?token=a+b%2Bc")
        let facts = ConsoleGate.Facts(Request(head: head, body: .init(buffer: ByteBuffer())))
        #expect(facts.offeredToken == "a+b+c")
    }

    @Test("Without the token no data is served; it comes as a header or a cookie")
    func tokens() throws {
        let gate = try gate()
        let text = Self.token.text
        func answer(_ authorization: String?, _ cookies: String...) -> String {
            var facts = facts()
            facts.authorization = authorization
            facts.cookies = cookies
            return verdict(gate, facts)
        }
        #expect(answer(nil) == "401 unauthorized")
        #expect(answer("Bearer") == "401 unauthorized")
        #expect(answer("Bearer \(text.dropLast())") == "401 unauthorized")
        #expect(answer("Bearer \(text)x") == "401 unauthorized")
        #expect(answer("Basic \(text)") == "401 unauthorized")
        #expect(answer("bearer \(text)") == "enter")
        #expect(answer(nil, "errorbus-8080=\(text)") == "enter")
        #expect(answer(nil, "a=b; errorbus-8080=old; errorbus-8080=\(text)") == "enter")
        #expect(answer(nil, "errorbus-8080=") == "401 unauthorized")
        #expect(answer(nil, "xerrorbus-8080=\(text)") == "401 unauthorized")
        // A wrong header is not made good by a cookie.
        #expect(answer("Bearer wrong", "errorbus-8080=\(text)") == "401 unauthorized")
    }

    @Test(
        "The cookie is that of the port in the address: browsers send it to all ports of a host",
        arguments: [
            ("127.0.0.1:8080", "errorbus-8080"), ("[::1]:8081", "errorbus-8081"),
            ("[::1]", "errorbus"), ("console.example", "errorbus"), ("localhost:", "errorbus"),
            ("localhost:80x", "errorbus"),
        ])
    func cookie(host: String, name: String) throws {
        var settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080"))
        let cookie = ConsoleCookie(at: host, of: settings)
        #expect(cookie.name == name)
        #expect(
            cookie.setting("t0k=n", "one")
                == "\(name)=t0k=n:one; HttpOnly; SameSite=Strict; Path=/")
        #expect(ConsoleSessions.newLabel() != ConsoleSessions.newLabel())
        #expect(cookie.removing == "\(name)=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0")
        settings.tls = ConsoleTLSSettings(certificateFile: "a", keyFile: "b")
        #expect(
            ConsoleCookie(at: host, of: settings).removing
                == "__Host-\(name)=; HttpOnly; SameSite=Strict; Path=/; Secure; Max-Age=0")
        let long = String(repeating: "x", count: 33)
        let values = cookie.values(in: ["a=b;\(name)=t0k=n:one", "\(name)=2", "\(name)=3:\(long)"])
        #expect(values.map(\.token) == ["t0k=n", "2"])
        #expect(values.map(\.session) == ["one", nil])
    }

    @Test("Links lead to `url`, else to the first of `hosts`, else to the console's own address")
    func links() throws {
        var settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080"))
        let own = ConsoleHosts(settings, port: 8080).pageAddress
        settings.hosts = ["bus.example", "other.example"]
        let proxied = ConsoleHosts(settings, port: 8080).pageAddress
        settings.url = "http://console.example:81"
        let given = ConsoleHosts(settings, port: 8080).pageAddress
        #expect(own == "http://127.0.0.1:8080/" && proxied == "https://bus.example/")
        #expect(given == "http://console.example:81/")
    }

    @Test("The cookie is a secure one where `url` says that a proxy has TLS, and only there")
    func proxiedCookie() throws {
        var settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080"))
        settings.hosts = ["inside.example"]
        settings.url = "https://Bus.example"
        for (host, name) in [
            ("bus.example", "__Host-errorbus"), ("127.0.0.1:8080", "errorbus-8080"),
            ("inside.example", "errorbus"),
        ] {
            let cookie = ConsoleCookie(at: host, of: settings)
            #expect(cookie.name == name)
            #expect(cookie.removing.contains("; Secure") == name.hasPrefix("__Host-"))
        }
        settings.url = "http://bus.example"
        #expect(ConsoleCookie(at: "bus.example", of: settings).name == "errorbus")
    }

    @Test("A link opened again leaves the sign-in of the browser's other tabs; another replaces it")
    func replaced() throws {
        var facts = facts()
        facts.authorization = nil
        facts.path = "/"
        facts.offeredToken = Self.token.text
        facts.cookies = ["errorbus-8080=\(Self.token.text):one"]
        let gate = try gate()
        #expect(try gate.verdict(on: facts) == .tokenIsKept)
        gate.sessions.end("one", of: nil)
        #expect(try gate.verdict(on: facts) == .keepToken(Self.token.text, replacing: nil))
        for cookies in [[], ["errorbus-8080=\(Self.token.text)"]] {
            facts.cookies = cookies
            #expect(try gate.verdict(on: facts) == .keepToken(Self.token.text, replacing: nil))
        }
    }

    @Test("After signing out the cookie is not taken; others with the same token are")
    func signedOut() throws {
        let gate = try gate()
        func answer(_ session: String) -> String {
            var facts = facts()
            facts.authorization = nil
            facts.cookies = ["errorbus-8080=\(Self.token.text)\(session)"]
            return verdict(gate, facts)
        }
        #expect(answer(":one") == "enter")
        gate.sessions.end("one", of: nil)
        #expect(answer(":one") == "401 unauthorized")
        #expect(answer(":two") == "enter")
        #expect(answer("") == "enter")
        // Above the limit all up to the oldest have ended, whether one by one or not.
        for number in 0..<ConsoleSessions.endedCountMax {
            gate.sessions.end("\(number)", of: nil)
        }
        #expect(["one", "0", "/"].map { gate.sessions.has($0, of: nil) } == [false, false, false])
        #expect(answer(":one") == "401 unauthorized" && answer(":/") == "401 unauthorized")
        #expect(answer(":two") == "enter")
    }

    @Test("A token in the address is accepted only for the page, and stored in a cookie")
    func address() throws {
        var facts = facts()
        facts.authorization = nil
        facts.offeredToken = Self.token.text
        #expect(verdict(try gate(), facts) == "401 unauthorized")
        facts.path = "/"
        #expect(verdict(try gate(), facts) == "keepToken")
        facts.offeredToken = "wrong"
        #expect(verdict(try gate(), facts) == "401 unauthorized")
        facts.offeredToken = Self.token.text
        facts.fetchSite = "cross-site"
        #expect(verdict(try gate(), facts) == "403 crossSite")
    }

    @Test(
        "A change requires JSON, which a form of another page cannot send",
        arguments: [
            ("application/json", "enter"), ("application/json; charset=utf-8", "enter"),
            ("Application/JSON", "enter"), ("text/plain", "415 contentType"),
            ("application/x-www-form-urlencoded", "415 contentType"), ("", "415 contentType"),
            ("text/plain; application/json", "415 contentType"),
        ])
    func contentType(type: String, expected: String) throws {
        var facts = facts("POST")
        facts.contentType = type
        #expect(verdict(try gate(), facts) == expected)
    }

    @Test("A body with a too large Content-Length is not read")
    func length() throws {
        var facts = facts("POST")
        facts.contentLength = String(ConsoleLimits.bodyByteMax)
        #expect(verdict(try gate(), facts) == "enter")
        facts.contentLength = String(ConsoleLimits.bodyByteMax + 1)
        #expect(verdict(try gate(), facts) == "413 tooLarge")
    }
}
