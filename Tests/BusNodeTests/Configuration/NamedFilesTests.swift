import ErrorBus
import Foundation
import Glibc
import Testing

@testable import BusNodeKit

struct NamedFilesTests {
    private let folder: TemporaryFolder
    private let unreadable = "the file cannot be read: No such file or directory"

    init() throws { folder = try TemporaryFolder() }

    private func files(_ nodes: String) throws -> NamedFiles {
        let file = try folder.write("version: 1\nnodes:\n\(nodes)\n", to: "t.yaml")
        return NamedFiles(try TopologyLoader.load(file).topology, file)
    }

    private func problems(
        _ nodes: String
    ) throws -> [(text: String, status: BusNodeKit.ExitStatus)] {
        try files(nodes).problems.map { (short($0.problem.description), $0.status) }
    }

    private func short(_ text: String) -> String { text.replacing(folder.path + "/", with: "") }

    @Test("A console's token that run could not use is a problem of the topology")
    func token() throws {
        let nodes = """
              central:
                listen: tcp://127.0.0.1:7700
                presenters:
                  - terminal
                  - console:
                      listen: 127.0.0.1:8080
                      token: file:token
            """
        let field = "t.yaml:9: nodes.central.presenters[1].console.token: "
        var found = try problems(nodes)
        #expect(found.map(\.status) == [.noInput])
        #expect(
            found.map(\.text) == [
                field + "found \"token\", allowed: a file that only its owner can read; "
                    + unreadable
            ])
        let token = try folder.write("0123456789abcdef", to: "token")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: token)
        found = try problems(nodes)
        #expect(found.map(\.status) == [.badConfiguration])
        #expect(
            found.map(\.text) == [
                field + "found mode 0644 (token), allowed: 0600, and this user or root as its "
                    + "owner; chmod 600 sets the mode"
            ])
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token)
        #expect(try problems(nodes).isEmpty)
    }

    @Test("A folder or another file at the path of a journal or a ledger is a problem")
    func stores() async throws {
        let nodes = """
              central:
                presenters: [terminal]
                journal: store
                events: events
            """
        #expect(try problems(nodes).isEmpty)
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/events", withIntermediateDirectories: false)
        _ = try folder.write("a letter, and no database", to: "store")
        let found = try problems(nodes)
        #expect(found.map(\.status) == [.badConfiguration, .badConfiguration])
        #expect(
            found.map(\.text) == [
                "t.yaml:5: nodes.central.journal: found a file that is no journal (store), "
                    + "allowed: a journal, or no file yet: move this one away",
                "t.yaml:6: nodes.central.events: found a folder (events), allowed: a file, or no "
                    + "file yet",
            ])
        try FileManager.default.removeItem(atPath: "\(folder.path)/store")
        try FileManager.default.removeItem(atPath: "\(folder.path)/events")
        _ = try SQLiteJournal("\(folder.path)/store", of: "central")
        #expect(try problems(nodes).isEmpty)
    }

    @Test("A certificate or a key that run could not use is a problem of the topology")
    func certificate() async throws {
        let nodes = """
              central:
                presenters:
                  - console:
                      listen: 127.0.0.1:8080
                      tls:
                        certificate: console.pem
                        key: console.key
            """
        let field = ": nodes.central.presenters[0].console.tls."
        var found = try problems(nodes)
        #expect(found.map(\.status) == [.noInput])
        #expect(
            found.map(\.text) == [
                "t.yaml:8\(field)certificate: found \"console.pem\", "
                    + "allowed: a file of certificates in PEM form; \(unreadable)"
            ])
        let authority = try await TestAuthority()
        _ = try await authority.certificate()
        for name in ["console.pem", "console.key"] {
            try folder.write(
                try String(contentsOfFile: "\(authority.folder.path)/\(name)", encoding: .utf8),
                to: name)
        }
        #expect(chmod("\(folder.path)/console.key", 0o640) == 0)
        found = try problems(nodes)
        #expect(found.map(\.status) == [.badConfiguration])
        #expect(
            found.map(\.text) == [
                "t.yaml:9\(field)key: found mode 0640 (console.key), allowed: 0600, and this user "
                    + "or root as its owner; chmod 600 sets the mode"
            ])
        #expect(chmod("\(folder.path)/console.key", 0o600) == 0)
        #expect(try problems(nodes).isEmpty)
    }

    @Test("A hook's secret that run could not use is a problem of the topology")
    func secret() throws {
        let found = try problems(
            """
              central:
                presenters: [{ console: { listen: "127.0.0.1:8080", url: "http://c" } }]
                notify:
                  - { name: a, url: "http://h" }
                  - name: b
                    url: http://h
                    secret: file:none
            """)
        #expect(found.map(\.status) == [.noInput])
        #expect(
            found.map(\.text) == [
                "t.yaml:9: nodes.central.notify[1].secret: found \"none\", allowed: a "
                    + "file that only its owner can read; \(unreadable)"
            ])
    }

    @Test("The key of links, and a user who cannot answer by them, are problems of the topology")
    func answerLinks() throws {
        let nodes = """
              central:
                journal: central.sqlite
                presenters:
                  - console:
                      listen: 127.0.0.1:8080
                      url: https://c.example
                      users: file:users
                      linkKey: file:links
                notify:
                  - name: a
                    url: http://h
                    answerLinks:
                      as: oncall
            """
        var found = try problems(nodes)
        let usersField = "console.users: found \"users\", "
        #expect(
            found.contains {
                $0.text.contains(usersField)
                    && $0.text.hasSuffix("\(unreadable); bus-node users add makes it")
            })
        let users = UserFile("\(folder.path)/users")
        _ = try users.add("oncall", [.answer])
        found = try problems(nodes)
        #expect(found.map(\.status) == [.noInput])
        #expect(
            found.map(\.text) == [
                "t.yaml:10: nodes.central.presenters[0].console.linkKey: found \"links\", "
                    + "allowed: a file that only its owner can read; \(unreadable)"
            ])
        try PrivateFile.create("\(folder.path)/links", "0123456789abcdef", mode: 0o600)
        #expect(try problems(nodes).isEmpty)
        let user = "t.yaml:15: nodes.central.notify[0].answerLinks.as: found \"oncall\", "
        let allowed =
            ", allowed: a name in the console's file of users, with the permission to answer "
            + "(bus-node users add)"
        _ = try users.add("oncall", [.silence])
        found = try problems(nodes)
        #expect(found.map(\.text) == [user + "who may silence" + allowed])
        try users.remove("oncall")
        found = try problems(nodes)
        #expect(found.map(\.status) == [.badConfiguration])
        #expect(found.map(\.text) == [user + "no user of the console" + allowed])
    }

    @Test("A secret of a proxy or a provider that run could not use is a problem of the topology")
    func consoleSecret() throws {
        for (key, secret, settings) in [
            ("proxy", "secret", "header: X, from: 10.0.0.1"),
            ("oidc", "clientSecret", "issuer: \"https://a.example\", clientID: a"),
        ] {
            let found = try problems(
                """
                  central:
                    presenters:
                      - console:
                          listen: 127.0.0.1:8080
                          users: file:users
                          url: https://console.example
                          \(key): { \(settings), \(secret): file:none }
                """)
            #expect(found.map(\.status) == [.noInput])
            #expect(
                found.map(\.text) == [
                    "t.yaml:9: nodes.central.presenters[0].console.\(key).\(secret): found "
                        + "\"none\", allowed: a file that only its owner can read; \(unreadable)"
                ])
        }
    }

    @Test("Authorities that run could not use are a problem of the topology")
    func authorities() throws {
        let nodes = """
              central:
                presenters: [{ console: { listen: "127.0.0.1:8080", url: "http://c" } }]
                notify: [{ name: a, url: "https://h", ca: ca.pem }]
            """
        let place = "t.yaml:5: nodes.central.notify[0].ca: "
        let allowed = "allowed: a file of certificates in PEM form"
        var found = try problems(nodes)
        #expect(found.map(\.status) == [.noInput])
        #expect(found.map(\.text) == [place + "found \"ca.pem\", \(allowed); \(unreadable)"])
        try folder.write("-----BEGIN PRIVATE KEY-----", to: "ca.pem")
        found = try problems(nodes)
        #expect(found.map(\.status) == [.badConfiguration])
        #expect(found.map(\.text) == [place + "found no certificate (ca.pem), \(allowed)"])
    }

    @Test("A program that is missing, or cannot be run, is a problem of the topology")
    func programs() throws {
        let nodes = """
              central:
                presenters:
                  - command: [./page-oncall]
                  - policy: policy.yaml
                responders:
                  - match: { code: 1 }
                    addOption: { id: mend, title: Mend, run: [no-such-program-anywhere] }
            """
        let rule = """
            rules:
              - match: {}
                addOption: { id: sleep, title: Sleep, run: [./sleep, "1"] }

            """
        try folder.write(rule, to: "policy.yaml")
        let missing = "allowed: a program that can be run; No such file or directory"
        #expect(
            try problems(nodes).map(\.text) == [
                "t.yaml:5: nodes.central.presenters[0].command: found \"page-oncall\", "
                    + missing,
                "t.yaml:8: nodes.central.responders[0].addOption.run: "
                    + "found \"no-such-program-anywhere\", allowed: a program that can be run; "
                    + "command not found",
                "policy.yaml:2: rules[0].addOption.run: found \"sleep\", " + missing,
            ])
        #expect(try problems(nodes).allSatisfy { $0.status == .noInput })
        let program = try folder.write("#!/bin/sh\n", to: "page-oncall")
        #expect(try problems(nodes).map(\.status) == [.badConfiguration, .noInput, .noInput])
        #expect(chmod(program, 0o755) == 0)
        #expect(try problems(nodes).count == 2)
    }

    @Test("A journal or ledger that cannot be written here is a warning with the reason")
    func written() throws {
        try folder.write("", to: "file")
        let files = try files(
            """
              central:
                presenters: [terminal]
                journal: file/central.sqlite
                events: new/folder/central.jsonl
              other:
                presenters: [terminal]
                events: /dev/null/x.jsonl
            """)
        #expect(
            files.warnings.map { short($0.description) } == [
                "t.yaml:5: nodes.central.journal: warning: file/central.sqlite cannot be written "
                    + "here: Not a directory",
                "t.yaml:9: nodes.other.events: warning: /dev/null/x.jsonl cannot be written here: "
                    + "Not a directory",
            ])
        #expect(files.problems.isEmpty)
    }
}
