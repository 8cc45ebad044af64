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

    /// Puts a text into a name's public file, with the rights that keygen gives it.
    private func write(_ text: String, asPublicFileOf name: NodeName) throws {
        try parent.write(text, to: "keys/\(name).key")
        #expect(chmod(folder.publicFile(of: name), 0o644) == 0)
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

    @Test("A node has the keys of all, the nodes with children, the signers and the nodes' names")
    func keys() throws {
        let file = try parent.write(
            """
            version: 1
            keys: keys
            signers: hub
            nodes:
              hub: { listen: "ipc://hub", presenters: [terminal] }
              leaf: { next: hub }
              spare: { next: hub }
            """, to: "topology.yaml")
        let topology = try TopologyLoader.load(file).topology
        for name in ["hub", "leaf", "client"] as [NodeName] { _ = try folder.make(name) }
        let keys = try folder.keys(of: "hub", in: topology)
        #expect(Set(keys.known.keys) == ["hub", "leaf", "client"] && keys.former.isEmpty)
        // A leaf presents for itself alone, and a node without a key keeps its name.
        #expect(keys.relays == ["hub"])
        #expect(keys.places == topology.places(at: "hub"))
        #expect(Set(keys.places.keys) == ["hub", "leaf", "spare"])
        #expect(keys.signsAs == "hub" && Array(keys.signers.keys) == ["hub"])
        #expect(try folder.keys(of: "leaf", in: topology).signsAs == nil)
    }

    @Test("A node with the name of the key of commands may be anywhere, as these may")
    func clientNode() throws {
        let file = try parent.write(
            """
            version: 1
            keys: keys
            nodes:
              hub: { listen: "ipc://hub", presenters: [terminal] }
              client: { next: hub }
              leaf: { next: hub }
            """, to: "topology.yaml")
        for name in ["hub", "client", "leaf"] as [NodeName] { _ = try folder.make(name) }
        let keys = try folder.keys(of: "hub", in: try TopologyLoader.load(file).topology)
        #expect(keys.places["client"] == .anywhere)
        #expect(keys.places["leaf"] == .below(["hub"]))
    }

    @Test("Two names have no key in common, neither a present nor a former one")
    func sharedKey() throws {
        _ = try folder.make("worker")
        let former = try text(folder.publicFile(of: "worker"))
        try folder.replace("worker")
        let fresh = try text(folder.publicFile(of: "worker"))
        #expect(try folder.publicKeys().former["worker"] != nil)
        for shared in [former, fresh] {
            try write(shared, asPublicFileOf: "other")
            let found = #expect(throws: Failure.self) { try folder.publicKeys() }
            #expect(found?.status == .badConfiguration)
            #expect(found?.text == "keys \(folder.path): other and worker have the same key")
        }
    }

    @Test("A secret key in a public file is refused; then the pair is replaced for good")
    func secretInPublicFile() throws {
        for name in ["worker", "other"] as [NodeName] { _ = try folder.make(name) }
        let secret = try text(folder.secretFile(of: "worker"))
        try write(secret, asPublicFileOf: "worker")
        let found = #expect(throws: Failure.self) { try folder.publicKeys() }
        #expect(found?.status == .badConfiguration)
        #expect(found?.text.contains("worker.key: found a secret-key") == true)
        #expect(found?.text.contains("--replace worker") == true)
        // The key that others may have read does not become the former one.
        #expect(throws: Failure.self) { try folder.replace("worker") }
        #expect(try text(folder.secretFile(of: "worker")) == secret)
        try FileManager.default.removeItem(atPath: folder.publicFile(of: "worker"))
        try folder.replace("worker")
        let keys = try folder.publicKeys()
        #expect(keys.known["worker"] != nil && keys.former.isEmpty)
    }

    @Test("A public file of another pair does not get the signing key of this one")
    func completed() throws {
        for name in ["worker", "other"] as [NodeName] { _ = try folder.make(name) }
        let lines = try text(folder.publicFile(of: "other")).split(separator: "\n")
            .filter { !$0.contains("signing-key") }
        let early = lines.joined(separator: "\n") + "\n"
        for name in ["worker", "other"] as [NodeName] { try write(early, asPublicFileOf: name) }
        #expect(try folder.make("worker") == .kept)
        #expect(try text(folder.publicFile(of: "worker")) == early)
        #expect(try folder.make("other") == .completed)
        #expect(try text(folder.publicFile(of: "other")).contains("signing-key"))
    }

    @Test("What an interrupted replacement left behind does not hinder the next one")
    func interrupted() throws {
        _ = try folder.make("worker")
        let left = [folder.secretFile(of: "worker"), folder.publicFile(of: "worker")]
            .map { "\($0).new" }
        for file in left { try "half".write(toFile: file, atomically: true, encoding: .utf8) }
        try folder.replace("worker")
        #expect(try folder.publicKeys().former["worker"] != nil)
        for file in left { #expect(!FileManager.default.fileExists(atPath: file)) }
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
