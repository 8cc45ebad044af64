import Foundation
import Logging
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

struct NodeAssemblyTests {
    @Test("An unreadable topology leaves the nodes where the last readable one has them")
    func places() throws {
        let folder = try TemporaryFolder()
        func write(next: String) throws -> String {
            try folder.write(
                """
                version: 1
                keys: keys
                nodes:
                  hub: { listen: "ipc://hub", presenters: [terminal] }
                  relay: { listen: "ipc://relay", next: hub }
                  leaf: { next: \(next) }
                """, to: "topology.yaml")
        }
        let file = try write(next: "hub")
        for name in ["hub", "relay", "leaf"] as [NodeName] {
            _ = try KeyFolder("\(folder.path)/keys").make(name)
        }
        let assembly = try NodeAssembly(
            topology: file, node: "hub", logger: Logger(label: "test"))
        let ring = try #require(try assembly.parts().keys)
        #expect(ring.keys?.places["leaf"] == .below(["hub"]))
        _ = try write(next: "relay")
        assembly.reload()
        #expect(ring.keys?.places["leaf"] == .below(["relay", "hub"]))
        _ = try write(next: "[")
        assembly.reload()
        #expect(ring.keys?.places["leaf"] == .below(["relay", "hub"]))
    }

    @Test("A key that its own file no longer has ends, also if another file cannot be used")
    func removedKeys() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            """
            version: 1
            keys: keys
            signers: leaf
            nodes:
              hub: { listen: "ipc://hub", presenters: [terminal] }
              leaf: { next: hub }
            """, to: "topology.yaml")
        let keys = KeyFolder("\(folder.path)/keys")
        for name in ["hub", "leaf", "gone"] as [NodeName] { _ = try keys.make(name) }
        let (hub, leaf) = (try keys.pair(of: "hub"), try keys.pair(of: "leaf"))
        let gone = try keys.pair(of: "gone")
        let assembly = try NodeAssembly(
            topology: file, node: "hub", logger: Logger(label: "test"))
        let ring = try #require(try assembly.parts().keys)
        let signer = try #require(SigningKey(of: leaf)?.signerKey)
        #expect(ring.keys?.signers["leaf"]?.contains(signer) == true)
        try folder.write("broken", to: "keys/other.key")
        try FileManager.default.removeItem(atPath: keys.publicFile(of: "gone"))
        // The former key stays as long as the file has it.
        try keys.replace("leaf")
        assembly.reload()
        #expect(ring.holder(of: gone.publicKey) == nil)
        for pair in [hub, leaf] { #expect(ring.holder(of: pair.publicKey) != nil) }
        #expect(try keys.retire("leaf"))
        assembly.reload()
        #expect(ring.holder(of: leaf.publicKey) == nil)
        #expect(ring.holder(of: hub.publicKey)?.name == "hub")
        #expect(ring.keys?.signers["leaf"]?.contains(signer) == false)
        // A new key needs a folder that can be used as a whole.
        let fresh = try keys.pair(of: "leaf").publicKey
        #expect(ring.holder(of: fresh) == nil)
        try FileManager.default.removeItem(atPath: "\(folder.path)/keys/other.key")
        assembly.reload()
        #expect(ring.holder(of: fresh)?.name == "leaf")
    }

    @Test("A running node keeps its pair while the folder has it as the former one")
    func ownPair() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            """
            version: 1
            keys: keys
            signers: leaf
            nodes:
              hub: { listen: "ipc://hub", presenters: [terminal] }
              leaf: { next: hub }
            """, to: "topology.yaml")
        let keys = KeyFolder("\(folder.path)/keys")
        for name in ["hub", "leaf"] as [NodeName] { _ = try keys.make(name) }
        let own = try keys.pair(of: "leaf")
        func assembled() throws -> (NodeAssembly, KeyRing) {
            let assembly = try NodeAssembly(
                topology: file, node: "leaf", logger: Logger(label: "test"))
            return (assembly, try #require(try assembly.parts().keys))
        }
        let (assembly, ring) = try assembled()
        try keys.replace("leaf")
        let fresh = try keys.pair(of: "leaf")
        assembly.reload()
        #expect(ring.keys?.own == own && ring.keys?.known["leaf"] == fresh.publicKey)
        // The next start takes the new one, and so does SIGHUP once the former one is retired.
        #expect(try assembled().1.keys?.own == fresh)
        #expect(try keys.retire("leaf"))
        assembly.reload()
        #expect(ring.keys?.own == fresh)
    }
}
