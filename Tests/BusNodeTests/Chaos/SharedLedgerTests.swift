import ErrorBus
import Testing

@testable import BusLab
@testable import BusNodeKit

/// Nodes in containers have the same process id in every life.
struct SharedLedgerTests {
    private let folder: TemporaryFolder
    private let topology: Topology

    init() throws {
        folder = try TemporaryFolder()
        let file = try folder.write(
            """
            version: 1
            nodes:
              central: { listen: [ipc://c], presenters: [terminal], journal: c.sqlite }
              worker: { next: central }
            """, to: "topology.yaml")
        topology = try TopologyLoader.load(file).topology
    }

    private func log(_ node: NodeName) throws -> ChaosLog {
        try ChaosLog(ChaosFolder(path: folder.path).log(of: node), node: node)
    }

    private func read() -> SharedLedger {
        var ledger = SharedLedger(topology, folder: ChaosFolder(path: folder.path))
        ledger.read()
        return ledger
    }

    @Test("A presentation of an earlier life died with it, one of the latest life is open")
    func lives() throws {
        let worker = try log("worker")
        worker.record(.start, .make())
        worker.record(.report, .make())
        #expect(read().counts.openAtEnd == 1)
        #expect(read().counts.originDied == 0)
        worker.record(.start, .make())
        #expect(read().counts.openAtEnd == 0)
        #expect(read().counts.originDied == 1)
        worker.record(.report, .make())
        #expect(read().counts.openAtEnd == 1)
        #expect(read().counts.presented == 2)
        #expect(read().lifeCounts.map(\.count) == [0, 2])
    }

    @Test("A later life of a presenter may show an undecided presentation again, the same may not")
    func prompts() throws {
        let id = PresentationID.make()
        let central = try log("central")
        central.record(.start, .make())
        central.record(.prompt, id)
        central.record(.start, .make())
        central.record(.prompt, id)
        #expect(read().counts.duplicatePrompts == 0)
        central.record(.prompt, id)
        #expect(read().counts.duplicatePrompts == 1)
    }

    @Test("A presenter with a journal may not show a decided presentation in any life")
    func decided() throws {
        let id = PresentationID.make()
        let central = try log("central")
        central.record(.start, .make())
        central.record(.prompt, id)
        central.record(.gone, id, ["reason": "answered"])
        central.record(.decide, id, ["answer": "1", "option": "retry"])
        central.record(.start, .make())
        central.record(.prompt, id)
        #expect(read().counts.duplicatePrompts == 1)
    }
}
