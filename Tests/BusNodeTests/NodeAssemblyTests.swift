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
}
