import ErrorBus
import Foundation
import Glibc
import Testing

@testable import BusNodeKit

struct KeyFolderTests {
    private let parent: TemporaryFolder
    private let folder: KeyFolder

    init() throws {
        parent = try TemporaryFolder()
        folder = KeyFolder("\(parent.path)/keys")
    }

    private func text(_ file: String) throws -> String {
        try String(contentsOfFile: file, encoding: .utf8)
    }

    @Test("A pair whose public file was deleted is not made, but replaced without a former key")
    func revoked() throws {
        #expect(try folder.make("worker") == .made)
        let secret = try text(folder.secretFile(of: "worker"))
        try FileManager.default.removeItem(atPath: folder.publicFile(of: "worker"))
        let found = #expect(throws: Failure.self) { try folder.make("worker") }
        #expect(found?.text.contains("--replace worker") == true)
        try folder.replace("worker")
        #expect(try text(folder.secretFile(of: "worker")) != secret)
        #expect(try !text(folder.publicFile(of: "worker")).contains("former"))
    }

    @Test("A replacement makes the folder, and keeps the former keys for a public file of any age")
    func replaced() throws {
        try folder.replace("worker")
        let file = folder.publicFile(of: "worker")
        #expect(try !text(file).contains("former"))
        let lines = try text(file).split(separator: "\n").filter { !$0.contains("signing-key") }
        try FileManager.default.removeItem(atPath: file)
        try parent.write(lines.joined(separator: "\n") + "\n", to: "keys/worker.key")
        #expect(chmod(file, 0o644) == 0)
        try folder.replace("worker")
        #expect(try text(file).contains("former-key"))
        #expect(try text(file).contains("former-signing-key"))
    }

    @Test("A name to replace is one of the topology, the client, a new client, or has a file")
    func checkReplaced() throws {
        let file = try parent.write(
            """
            version: 1
            keys: keys
            nodes: { hub: { listen: "ipc://hub", presenters: [terminal] } }
            """, to: "topology.yaml")
        let topology = try TopologyLoader.load(file).topology
        try folder.checkReplaced(["hub", "client", "deploy"], in: topology, making: ["deploy"])
        _ = try folder.make("worker")
        try folder.checkReplaced(["worker"], in: topology, making: [])
        let found = #expect(throws: Failure.self) {
            try folder.checkReplaced(["workr"], in: topology, making: ["deploy"])
        }
        #expect(found?.status == .usage)
        #expect(
            found?.text
                == "--replace: found \"workr\", which has no pair in \(folder.path); pairs: "
                + "hub, client, deploy, worker; for a new client give --name workr")
        try FileManager.default.removeItem(atPath: folder.publicFile(of: "worker"))
        try folder.checkReplaced(["worker"], in: topology, making: [])
    }

    @Test("A missing secret file is refused with the command that makes it")
    func missing() throws {
        let file = folder.secretFile(of: "worker")
        let found = #expect(throws: Failure.self) { try folder.pair(of: "worker") }
        #expect(found?.status == .noInput)
        #expect(
            found?.text.hasPrefix(
                "key \(file): No such file or directory; bus-node keygen makes it") == true)
        _ = try folder.make("worker")
        #expect(chmod(file, 0o644) == 0)
        let open = #expect(throws: Failure.self) { try folder.pair(of: "worker") }
        #expect(open?.text.contains("keygen") == false)
        // A folder that is a file: the system refuses this as well.
        let below = KeyFolder(folder.publicFile(of: "worker"))
        let other = #expect(throws: Failure.self) { try below.pair(of: "worker") }
        #expect(other?.status == .noInput && other?.text.contains("keygen") == false)
    }

    @Test("The refusal of a file says by its number that it is missing, in whatever words")
    func numbered() {
        let missing = FileRefusal(status: .noInput, number: ENOENT)
        #expect(missing.isMissing && missing.text == String(cString: strerror(ENOENT)))
        #expect(!FileRefusal(status: .noInput, number: ENOTDIR).isMissing)
        #expect(!FileRefusal(status: .noInput, found: missing.found).isMissing)
    }
}
