import ErrorBus
import ErrorBusTesting
import HTTPTypes
import Logging
import Testing

@testable import BusNodeKit

/// The token in a browser's cookie, which is sealed.
struct ConsoleCookieTests {
    private let folder: TemporaryFolder
    private let file: UserFile

    init() throws {
        folder = try TemporaryFolder()
        file = UserFile("\(folder.path)/users.txt")
    }

    private func gate() throws -> ConsoleGate {
        let settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080"))
        let users = try ConsoleUsers(file.path, logger: .silent)
        return ConsoleGate(hosts: ConsoleHosts(settings, port: 8080), admission: .users(users))
    }

    /// The user whom the cookie admits, or the refusal.
    private func found(_ cookie: String, at gate: ConsoleGate) -> String {
        var facts = ConsoleGate.Facts()
        facts.path = "/api/v1/inbox"
        facts.host = "127.0.0.1:8080"
        facts.cookies = ["errorbus-8080=\(cookie)"]
        do throws(APIProblem) {
            guard case .enter(let visitor) = try gate.verdict(on: facts) else { return "page" }
            return "\(visitor.user?.name ?? "unnamed") \(visitor.session ?? "without a label")"
        } catch { return "\(error.status.code) \(error.word)" }
    }

    @Test("A separator counts also with a combining scalar after it")
    func combining() throws {
        let settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080"))
        let cookie = ConsoleCookie(at: "127.0.0.1:8080", of: settings)
        let found = cookie.values(in: ["a=b;\u{301}c=d; errorbus-8080=x:\u{301}y;\u{301}z"])
        #expect(found.map(\.token) == ["x"])
        #expect(found.map(\.session) == ["\u{301}y"])
        // U+037E is equal to a semicolon, and separates nothing.
        let one = cookie.values(in: ["errorbus-8080=x\u{37E}y"])
        #expect(one.map { Array($0.token.unicodeScalars) } == [["x", "\u{37E}", "y"]])
        let query = try QueryFields("a=1&\u{301}b=2")
        #expect(query.text("a") == "1" && query.text("\u{301}b") == "2")
    }

    @Test("A cookie admits its user in its own sign-in, and shows no token")
    func sealed() throws {
        let (anna, bob) = (try file.add("anna", []), try file.add("bob", []))
        let gate = try gate()
        let text = try gate.admission.sealed(anna, in: "one")
        #expect(text.hasPrefix("!anna!") && !text.contains(anna))
        #expect(text.wholeMatch(of: /[A-Za-z0-9._@+!-]+/) != nil)
        #expect(try text != gate.admission.sealed(anna, in: "one"))
        #expect(found("\(text):one", at: gate) == "anna one")
        // A copy is of no other sign-in, be it without the label.
        #expect(found("\(text):two", at: gate) == "401 unauthorized")
        #expect(found(text, at: gate) == "401 unauthorized")
        #expect(found("\(text.replacing("anna", with: "bob")):one", at: gate) == "401 unauthorized")
        #expect(found("\(text.dropLast()):one", at: gate) == "401 unauthorized")
        for text in ["!", "!!", "!anna!", "!anna!x", "!anna!AAAA!", "!!\(text)", "!zoe!AAAA"] {
            #expect(found("\(text):one", at: gate) == "401 unauthorized", "\(text)")
        }
        let other = try gate.admission.sealed(bob, in: "three")
        #expect(found("\(other):three", at: gate) == "bob three")
        gate.sessions.end("one", of: "anna")
        #expect(found("\(text):one", at: gate) == "401 unauthorized")
        // Scripts and earlier versions have the token itself there.
        #expect(found(anna, at: gate) == "anna without a label")
        #expect(throws: APIProblem.self) { try gate.admission.sealed(anna + "x", in: "one") }
    }

    @Test("A cookie ends with its token: replaced, taken away, or removed with its user")
    func replaced() throws {
        _ = try file.add("anna", [])
        let gate = try gate()
        let changes: [() throws -> Void] = [
            { _ = try file.add("anna", []) }, { try file.addProxied("anna", []) },
            { try file.remove("anna") },
        ]
        for change in changes {
            let text = try gate.admission.sealed(try file.add("anna", []), in: "one")
            #expect(found("\(text):one", at: gate) == "anna one")
            try change()
            #expect(found("\(text):one", at: gate) == "401 unauthorized")
        }
    }

    @Test("With one token for all it is sealed as well")
    func shared() throws {
        let own = ConsoleToken.generated()
        let (admission, other) = (
            ConsoleAdmission.token(own), ConsoleAdmission.token(.generated())
        )
        let text = try admission.sealed(own.text, in: "one")
        #expect(text.hasPrefix("!!") && !text.contains(own.text))
        #expect(try admission.token(in: text[...], of: "one").map { String($0) } == own.text)
        #expect(try admission.token(in: text[...], of: nil) == nil)
        #expect(try other.token(in: text[...], of: "one") == nil)
        #expect(try admission.token(in: "!anna!\(text.dropFirst(2))", of: "one") == nil)
    }
}
