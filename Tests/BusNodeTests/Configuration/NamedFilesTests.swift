import ErrorBus
import Foundation
import Testing

@testable import bus_node

struct NamedFilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func problems() throws -> [(text: String, status: bus_node.ExitStatus)] {
        let file = try folder.write(
            """
            version: 1
            nodes:
              central:
                listen: tcp://127.0.0.1:7700
                presenters:
                  - terminal
                  - console:
                      listen: 127.0.0.1:8080
                      token: file:token
            """, to: "t.yaml")
        return NamedFiles.problems(of: try TopologyLoader.load(file).topology, file).map {
            ($0.problem.description.replacing(folder.path + "/", with: ""), $0.status)
        }
    }

    @Test("A console's token that run would not find, or not take, is a problem of the topology")
    func token() throws {
        let field = "t.yaml:9: nodes.central.presenters[1].console.token: "
        var found = try problems()
        #expect(found.map(\.status) == [.noInput])
        #expect(
            found.map(\.text) == [
                field + "found No such file or directory (token), "
                    + "allowed: a file that only its owner can read"
            ])
        let token = try folder.write("0123456789abcdef", to: "token")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: token)
        found = try problems()
        #expect(found.map(\.status) == [.badConfiguration])
        #expect(
            found.map(\.text) == [
                field + "found mode 0644 (token), allowed: 0600, and this user as its owner"
            ])
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token)
        #expect(try problems().isEmpty)
    }
}
