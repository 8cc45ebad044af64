import ErrorBus
import ErrorBusTesting
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Testing

@testable import BusNodeKit

/// Users whom a reverse proxy names.
struct ConsoleProxyTests {
    private static let header = "X-Forwarded-User"
    private static let secret = "0123456789abcdef"

    private let folder: TemporaryFolder
    private let users: ConsoleUsers
    private let bobsToken: String
    private let proxy: ConsoleProxy

    init() throws {
        folder = try TemporaryFolder()
        let file = UserFile("\(folder.path)/users.txt")
        try file.addProxied("anna", [.answer])
        try file.addProxied("Kate", [])
        bobsToken = try file.add("bob", [])
        users = try ConsoleUsers(file.path, logger: .silent)
        let secretFile = "\(folder.path)/secret"
        try PrivateFile.create(secretFile, Self.secret + "\n", mode: 0o600)
        let ranges = ["10.0.0.0/8", "fd00::1"].compactMap { AddressRange($0) }
        proxy = try ConsoleProxy(
            ConsoleProxySettings(header: Self.header, from: ranges, secretFile: secretFile),
            logger: .silent)
    }

    private func gate(hasProxy: Bool = true) throws -> ConsoleGate {
        let settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080"))
        return ConsoleGate(
            hosts: ConsoleHosts(settings, port: 8080), admission: .users(users),
            proxy: hasProxy ? proxy : nil)
    }

    private func facts(
        _ fields: [(String, String)], from peer: String = "10.1.2.3", path: String = "/api/v1/me",
        method: HTTPRequest.Method = .get
    ) throws -> ConsoleGate.Facts {
        var headers = HTTPFields()
        for (name, value) in fields {
            headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        let head = HTTPRequest(
            method: method, scheme: "http", authority: "127.0.0.1:8080", path: path,
            headerFields: headers)
        return ConsoleGate.Facts(
            Request(head: head, body: .init(buffer: ByteBuffer())), from: peer, by: proxy)
    }

    /// The visitor's name, or status and word of the refusal.
    private func verdict(_ facts: ConsoleGate.Facts, hasProxy: Bool = true) throws -> String {
        let gate = try gate(hasProxy: hasProxy)
        do throws(APIProblem) {
            guard case .enter(let visitor) = try gate.verdict(on: facts) else { return "page" }
            return (visitor.user?.name ?? "unnamed") + (visitor.isProxied ? " by proxy" : "")
        } catch {
            return "\(error.status.code) \(error.word): \(error.message)"
        }
    }

    private func claim(_ name: String) -> [(String, String)] {
        [(Self.header, name), (ConsoleProxy.secretHeader, Self.secret)]
    }

    @Test("The proxy names a user, with that user's permissions")
    func named() throws {
        #expect(try verdict(facts(claim("anna"))) == "anna by proxy")
        #expect(try verdict(facts(claim("anna"), from: "fd00::1")) == "anna by proxy")
        #expect(try verdict(facts(claim("anna"), from: "::ffff:10.9.9.9")) == "anna by proxy")
        // One with a token as well.
        #expect(try verdict(facts(claim("bob"))) == "bob by proxy")
        guard case .enter(let anna) = try gate().verdict(on: try facts(claim("anna"))) else {
            Issue.record("not admitted")
            return
        }
        try anna.require(.answer)
        #expect(throws: APIProblem.self) { try anna.require(.destructive) }
        #expect(try anna.name(in: try BodyFields([:], of: "body", allowing: ["by"])) == "anna")
        #expect(ConsoleAdmission.users(users).admits(anna))
        try UserFile("\(folder.path)/users.txt").addProxied("anna", [])
        #expect(!ConsoleAdmission.users(users).admits(anna))
    }

    @Test("A token counts where the proxy names no one, and not beside a name")
    func token() throws {
        let bearer = ("Authorization", "Bearer \(bobsToken)")
        #expect(try verdict(facts([bearer])) == "bob")
        #expect(try verdict(facts([bearer], from: "192.0.2.1")) == "bob")
        #expect(try verdict(facts(claim("") + [bearer])) == "bob")
        #expect(try verdict(facts(claim("anna") + [bearer])) == "anna by proxy")
        #expect(try verdict(facts(claim(""))).hasPrefix("401 unauthorized"))
        // The sign of kelvin, equal to a K among strings, is another name.
        #expect(try verdict(facts(claim("Kate"))) == "Kate by proxy")
        #expect(try verdict(facts(claim("\u{212A}ate"))).hasPrefix("403 unknownUser"))
        // A wrong name is not made good by a token.
        #expect(try verdict(facts(claim("zoe") + [bearer])).hasPrefix("403 unknownUser"))
        let offered = try facts(claim("anna"), path: "/?token=\(bobsToken)")
        #expect(try verdict(offered) == "anna by proxy")
    }

    @Test("A name from another address is refused, with the secret too, and with a token")
    func address() throws {
        for peer in ["192.0.2.1", "127.0.0.1", "fd00::2", "11.0.0.1", "?", ""] {
            let found = try verdict(
                facts(claim("anna") + [("Authorization", "Bearer \(bobsToken)")], from: peer))
            #expect(
                found == "403 notProxy: X-Forwarded-User: found in a request from \(peer), allowed "
                    + "only from the proxy at 10.0.0.0/8, fd00::1; leave it out, or correct "
                    + "proxy.from")
        }
        let page = try facts(claim("anna"), from: "192.0.2.1", path: "/page/main.js")
        #expect(try verdict(page).hasPrefix("403 notProxy"))
        let secretAlone = try facts([(ConsoleProxy.secretHeader, "x")], from: "192.0.2.1")
        #expect(try verdict(secretAlone).hasPrefix("403 notProxy"))
    }

    @Test("Without the secret, with another or with two the proxy is not the proxy")
    func secret() throws {
        let name = (Self.header, "anna")
        let right = (ConsoleProxy.secretHeader, Self.secret)
        let wrong = (ConsoleProxy.secretHeader, String(Self.secret.dropLast()))
        for fields in [
            [name], [name, wrong], [wrong], [name, right, right], [name, wrong, right],
        ] {
            let found = try verdict(facts(fields))
            #expect(found.hasPrefix("403 proxySecret: ErrorBus-Proxy-Secret: found "))
            #expect(!found.contains(Self.secret.dropLast()))
        }
    }

    @Test("Two names are refused, and so is one that is not in the file, with what to do")
    func names() throws {
        let two = claim("anna") + [(Self.header, "bob")]
        #expect(
            try verdict(facts(two))
                == "403 proxyHeader: X-Forwarded-User: found 2 times, expected once; let the proxy "
                + "replace what clients send")
        #expect(
            try verdict(facts(claim("zoe")))
                == "403 unknownUser: X-Forwarded-User: found zoe, who is not in this console's "
                + "file of users; add the user with bus-node users add FILE zoe --proxy")
        #expect(
            try verdict(facts(claim("Anna")))
                .hasSuffix("bus-node users add FILE Anna --proxy"))
        #expect(
            try verdict(facts(claim("an na")))
                .hasSuffix("; a name has \(ConsoleUser.nameAllowed)"))
        // Added as it says there, one who was shut out would be admitted.
        try UserFile(users.file).shutOut("anna")
        #expect(
            try verdict(facts(claim("anna")))
                == "403 unknownUser: X-Forwarded-User: found anna, whom this console's file of "
                + "users shuts out; ask its administrator")
        for path in ["/healthz", "/readyz"] {
            #expect(try verdict(facts(claim("zoe"), path: path)) == "page")
        }
    }

    @Test("A name that is very long, or has characters that change a line, is refused and escaped")
    func oddNames() throws {
        let long = try verdict(facts(claim(String(repeating: "a", count: 8_000))))
        #expect(long.hasPrefix("403 unknownUser: ") && long.utf8.count < 1_000)
        let odd = try verdict(facts(claim("anna\u{202E}bob")))
        #expect(odd.hasPrefix("403 unknownUser: "))
        #expect(!odd.unicodeScalars.contains("\u{202E}"))
    }

    @Test("What other sites may not do they may not do with the proxy's name either")
    func crossSite() throws {
        let changing = try facts(claim("anna"), method: .post)
        #expect(try verdict(changing).hasPrefix("415 contentType"))
        let sites = try facts(claim("anna") + [("Sec-Fetch-Site", "cross-site")])
        #expect(try verdict(sites).hasPrefix("403 crossSite"))
        let origins = try facts(claim("anna") + [("Origin", "http://evil.example")])
        #expect(try verdict(origins).hasPrefix("403 origin"))
    }

    @Test("Without proxy in the topology its header never counts")
    func without() throws {
        let facts = try facts(claim("anna"))
        #expect(try verdict(facts, hasProxy: false).hasPrefix("401 unauthorized"))
        let fields: [(String, String)] = claim("anna") + [("Authorization", "Bearer \(bobsToken)")]
        #expect(try verdict(try self.facts(fields), hasProxy: false) == "bob")
    }

    @Test("A secret that others can read, or that is none, is refused")
    func secretFile() throws {
        let file = proxy.settings.secretFile
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
        let failure = #expect(throws: Failure.self) {
            try ConsoleProxy(proxy.settings, logger: .silent)
        }
        #expect(failure?.status == .badConfiguration)
        #expect(failure?.text.contains("secret: found mode 0640, allowed: 0600") == true)
    }

    @Test("The console follows the file of the secret; while it cannot be used no one is admitted")
    func secretChanges() throws {
        let file = proxy.settings.secretFile
        #expect(try verdict(try facts(claim("anna"))) == "anna by proxy")
        try PrivateFile.replace(file, "another-secret-0123456789\n", mode: 0o600)
        #expect(try verdict(try facts(claim("anna"))).hasPrefix("403 proxySecret"))
        try PrivateFile.replace(file, Self.secret + "\n", mode: 0o640)
        #expect(try verdict(try facts(claim("anna"))).hasPrefix("503 noProxySecret"))
        // Requests that the proxy did not send are not concerned.
        #expect(
            try verdict(try facts([("Authorization", "Bearer \(bobsToken)")])) == "bob")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        #expect(try verdict(try facts(claim("anna"))) == "anna by proxy")
    }

    @Test("A user of the proxy has no token, and is said to be one")
    func file() throws {
        let file = UserFile("\(folder.path)/users.txt")
        #expect(try file.users().map(\.isOnlyProxied) == [true, true, false])
        let text = try String(contentsOfFile: file.path, encoding: .utf8)
        #expect(text.contains("\nanna answer proxy\n"))
        #expect(try users.user(showing: "") == nil)
        #expect(try users.user(showing: "proxy") == nil)
        try file.addProxied("bob", [.silence])
        #expect(try users.user(showing: bobsToken) == nil)
        let again = try file.add("anna", [])
        #expect(try users.user(showing: again)?.name == "anna")
    }
}
