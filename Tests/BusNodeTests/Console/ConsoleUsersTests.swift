import ErrorBus
import Foundation
import Glibc
import HTTPTypes
import Logging
import Testing

@testable import BusNodeKit

/// The users of a console, and the file that they are in.
@Suite final class ConsoleUsersTests {
    private let folder: String
    private var path: String { "\(folder)/users.txt" }

    init() throws {
        folder = NSTemporaryDirectory() + "users-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private var file: UserFile { UserFile(path) }

    private func users() throws -> ConsoleUsers {
        try ConsoleUsers(path, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func refusal(_ text: String) -> String? {
        do throws(FileRefusal) {
            _ = try ConsoleUsers.list(text)
            return nil
        } catch { return error.text }
    }

    private func problem(_ work: () throws(APIProblem) -> Void) -> String? {
        do throws(APIProblem) {
            try work()
            return nil
        } catch { return "\(error.status.code) \(error.word)" }
    }

    @Test("A user is admitted by the token that was printed, and the file has its hash alone")
    func added() throws {
        let token = try file.add("anna", [.answer, .silence])
        let users = try users()
        let anna = try #require(try users.user(showing: token))
        #expect(anna.name == "anna" && anna.permissionText == "answer,silence")
        #expect(try users.user(showing: token + "x") == nil)
        #expect(try users.user(showing: "") == nil)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!text.contains(token) && text.contains("anna answer,silence sha256:"))
        // What is shown is no way in either.
        let hash = try #require(anna.tokenHash)
        #expect(try users.user(showing: hash) == nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("A running console follows the file: changed, removed, invalid, missing and back")
    func followed() throws {
        let first = try file.add("anna", [])
        let users = try users()
        let anna = try #require(try users.user(showing: first))
        #expect(users.has(anna))
        let second = try file.add("anna", [.answer])
        #expect(try users.user(showing: first) == nil && !users.has(anna))
        let bob = try file.add("bob", [])
        #expect(try users.user(showing: second)?.permissions == [.answer])
        try file.remove("bob")
        #expect(try users.user(showing: bob) == nil)
        #expect(throws: Failure.self) { try file.remove("bob") }
        let good = try String(contentsOfFile: path, encoding: .utf8)
        try PrivateFile.replace(path, "anna everything\n", mode: 0o600)
        #expect(
            problem { () throws(APIProblem) in _ = try users.user(showing: second) }
                == "503 noUsers")
        try FileManager.default.removeItem(atPath: path)
        #expect(
            problem { () throws(APIProblem) in _ = try users.user(showing: second) }
                == "503 noUsers")
        try PrivateFile.replace(path, good, mode: 0o644)
        #expect(
            problem { () throws(APIProblem) in _ = try users.user(showing: second) }
                == "503 noUsers")
        // The same file, with another mode.
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(try users.user(showing: second)?.name == "anna")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(
            problem { () throws(APIProblem) in _ = try users.user(showing: second) }
                == "503 noUsers")
    }

    @Test("A user who is shut out is in the file, and enters neither by a token nor by a name")
    func shutOut() throws {
        let token = try file.add("anna", [.answer])
        let users = try users()
        let anna = try #require(try users.user(showing: token))
        let text = try String(contentsOfFile: path, encoding: .utf8)
        // By hand, so that another change lets the user in again with the same token.
        try PrivateFile.replace(
            path, text.replacing("anna answer", with: "anna nothing"), mode: 0o600)
        #expect(try users.user(showing: token) == nil && users.user(named: "anna") == nil)
        #expect(try users.user(named: "anna", otherwise: [.answer]) == nil && !users.has(anna))
        #expect(try file.users().map(\.permissionText) == ["nothing"])
        try PrivateFile.replace(path, text, mode: 0o600)
        #expect(try users.user(showing: token) == anna)
        try file.shutOut("anna")
        #expect(try users.user(showing: token) == nil && users.user(named: "anna") == nil)
        #expect(try String(contentsOfFile: path, encoding: .utf8).contains("anna nothing proxy\n"))
        #expect(try users.user(named: "zoe", otherwise: [.answer])?.permissionText == "answer")
        #expect(refusal("anna nothing,see proxy")?.contains("allowed: nothing, see, or") == true)
    }

    @Test("A change by a link is one of the file, and the link stays")
    func symbolicLink() throws {
        let link = "\(folder)/link.txt"
        let token = try file.add("anna", [])
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        try UserFile(link).remove("anna")
        #expect(try users().user(showing: token) == nil)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    }

    @Test("A command that finds another one at work changes nothing")
    func locked() throws {
        let token = try file.add("anna", [])
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX) == 0)
        do throws(Failure) {
            try file.remove("anna")
            Issue.record("it was removed")
        } catch {
            #expect(error.status == .temporaryFailure && error.text.contains("run this one again"))
        }
        #expect(try users().user(showing: token) != nil)
        #expect(flock(descriptor, LOCK_UN) == 0)
        try file.remove("anna")
    }

    @Test("A file with too much is refused, not cut")
    func tooLong() throws {
        try PrivateFile.create(path, String(repeating: "#", count: 1 << 20) + "#", mode: 0o600)
        #expect(throws: Failure.self) { try file.add("anna", []) }
    }

    @Test("The command changes one line, and keeps comments and others")
    func edited() throws {
        let hash = String(repeating: "a", count: 64)
        try PrivateFile.create(
            path, "# ours\nbob see sha256:\(hash) # until May\n", mode: 0o600)
        _ = try file.add("anna", [.administer])
        _ = try file.add("anna", [.answer])
        try file.remove("bob")
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2 && lines[0] == "# ours" && lines[1].hasPrefix("anna answer "))
    }

    @Test("What is not a user is refused with its line")
    func refused() {
        let hash = String(repeating: "a", count: 64)
        #expect(refusal("") == nil)
        #expect(refusal("# none\n\n  \n") == nil)
        #expect(refusal("anna see sha256:\(hash)") == nil)
        #expect(refusal("\nanna see")?.hasPrefix("found line 2: 2 words") == true)
        #expect(refusal("an/na see sha256:\(hash)")?.contains("the name an/na") == true)
        #expect(refusal("# with CR LF\r\nanna see,answer sha256:\(hash)\r\n") == nil)
        #expect(refusal("# with CR LF\r\nanna all sha256:\(hash)")?.contains("line 2") == true)
        #expect(refusal("anna answer, sha256:\(hash)")?.contains("answer,") == true)
        #expect(refusal("anna see \(hash)")?.contains("no hash of a token") == true)
        #expect(refusal("anna see sha256:\(hash.uppercased())")?.contains("no hash") == true)
        #expect(refusal("anna see sha256:\(hash.dropLast())")?.contains("no hash") == true)
        let twice = "anna see sha256:\(hash)\n"
        #expect(refusal(twice + "bob see sha256:\(hash)")?.contains("another user") == true)
        let other = "anna see sha256:\(String(repeating: "b", count: 64))"
        #expect(refusal(twice + other)?.contains("anna again") == true)
    }

    @Test("A file has as many users as are allowed, and no more")
    func tooMany() {
        let most = ConsoleUsers.countMax
        let zeros = String(repeating: "0", count: 60)
        let lines = (1_000...1_000 + most).map { "user-\($0) see sha256:\(zeros)\($0)" }
        #expect(refusal(lines.dropLast().joined(separator: "\n")) == nil)
        let refused = refusal(lines.joined(separator: "\n"))
        #expect(refused?.contains("more than \(most) users") == true)
    }

    @Test("The command adds no user above a limit: the file stays as it was, and in use")
    func full() throws {
        let users = (1_000..<1_000 + ConsoleUsers.countMax).map { "user-\($0) see proxy\n" }
        let comment = String(repeating: "#", count: (1 << 20) - 25) + "\n"
        for text in [users.joined(separator: ""), users[0] + comment] {
            try PrivateFile.replace(path, text, mode: 0o600)
            let refusal = #expect(throws: Failure.self) { try file.add("one-more", []) }
            #expect(refusal?.status == .badConfiguration)
            #expect(refusal?.text.contains("not changed: found") == true)
            let isUnchanged = try String(contentsOfFile: path, encoding: .utf8) == text
            #expect(isUnchanged)
            try file.addProxied("user-1000", [.answer])
            #expect(try ConsoleUsers.read(path).users.first?.permissions == [.answer])
        }
    }

    @Test("A visitor needs the permission, and is called what the token is called")
    func permissions() throws {
        let user = ConsoleUser(name: "anna", permissions: [.answer], token: "x")
        let anna = ConsoleVisitor(user: user)
        #expect(problem { () throws(APIProblem) in try anna.require(.answer) } == nil)
        for permission in [.destructive, .silence, .administer] as [ConsolePermission] {
            #expect(
                problem { () throws(APIProblem) in try anna.require(permission) }
                    == "403 notAllowed")
            #expect(!anna.may(permission) && ConsoleVisitor.unnamed.may(permission))
        }
        func name(_ visitor: ConsoleVisitor, _ body: JSONValue) throws(APIProblem) -> String {
            try visitor.name(in: try BodyFields(body, of: "body", allowing: ["by"]))
        }
        #expect(try name(anna, [:]) == "anna")
        #expect(try name(anna, ["by": "anna"]) == "anna")
        #expect(
            problem { () throws(APIProblem) in _ = try name(anna, ["by": "bob"]) }
                == "403 notYou")
        #expect(try name(.unnamed, ["by": "bob"]) == "bob")
        #expect(
            problem { () throws(APIProblem) in _ = try name(.unnamed, [:]) }
                == "400 badRequest")
    }

    @Test("A link with another user's token does not change who is signed in in a browser")
    func link() throws {
        let (anna, board) = (try file.add("anna", []), try file.add("board", []))
        let settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080"))
        let gate = ConsoleGate(
            hosts: ConsoleHosts(settings, port: 8080), admission: .users(try users()))
        func verdict(_ offered: String, signedIn: String?) -> String {
            var facts = ConsoleGate.Facts()
            facts.host = "127.0.0.1:8080"
            facts.offeredToken = offered
            facts.cookies = signedIn.map { ["errorbus-8080=\($0)"] } ?? []
            do throws(APIProblem) {
                return "\(try gate.verdict(on: facts))"
            } catch { return "\(error.status.code) \(error.word): \(error.message)" }
        }
        #expect(verdict(board, signedIn: nil).hasPrefix("keepToken"))
        #expect(verdict(anna, signedIn: anna).hasPrefix("keepToken"))
        let refusal = verdict(board, signedIn: anna)
        #expect(refusal.hasPrefix("409 signedIn: this browser is signed in as anna, and the link"))
        #expect(!refusal.contains(anna) && !refusal.contains(board))
        // A token that is no more is no one's.
        let renewed = try file.add("anna", [])
        #expect(verdict(board, signedIn: anna).hasPrefix("keepToken"))
        #expect(verdict(board + "x", signedIn: renewed).hasPrefix("401 unauthorized"))
    }

    @Test("A token in the wrong place of an address is not logged")
    func hidden() throws {
        let token = try file.add("anna", [])
        let admission = ConsoleAdmission.users(try users())
        #expect(admission.hidden(in: "/\(token)/x") == "/TOKEN/x")
        let path = "/api/v1/presentations/0197e2b4-0000-7000-8000-000000000001/answer"
        #expect(admission.hidden(in: path) == path)
    }

    @Test("A console has users or one token, not both")
    func notBoth() throws {
        let console = "console: { listen: 127.0.0.1:8080, token: file:a, users: file:b }"
        let topology = "\(folder)/topology.yaml"
        try "version: 1\nnodes: { central: { presenters: [{ \(console) }] } }\n"
            .write(toFile: topology, atomically: true, encoding: .utf8)
        do {
            _ = try TopologyLoader.load(topology)
            Issue.record("it was accepted")
        } catch {
            #expect(Failure(error).text.contains("console.token: found token and users"))
        }
    }
}
