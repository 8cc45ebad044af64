import ErrorBusTesting
import Logging
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    /// What a node's own log says of its parent.
    @Suite struct ParentLogTests {
        private let said = Recorder<String>()

        private func logger(_ node: String) -> Logger {
            Logger(label: node) { label in RecordingHandler(label: label, said: said) }
        }

        @Test("A parent's arrival, loss and absence are in the node's log at info and above")
        func comesAndGoes() async throws {
            let bus = Bus()
            let logger = logger("relay")
            let relay = try bus.node(
                "relay", next: ["central"],
                parts: { parts in
                    var times = parts.times
                    times.parentMissing = 1
                    parts = NodeParts(logger: logger)
                    parts.times = times
                })
            try await bus.run(relay) {
                let missing = try await said.next()
                #expect(missing.hasPrefix("warning relay: no parent for 0 s reason=tried ipc://"))
                let central = try await RunningNode(bus.node("central"))
                #expect(try await said.next() == "info relay: parent is up parent=central")
                try await central.stop()
                #expect(
                    try await said.next()
                        == "info relay: parent is lost parent=central reason=parent left: shutdown")
            }
        }

        @Test("A second process of one name is refused in its own log and in its parent's")
        func refused() async throws {
            let bus = Bus()
            let (centrals, others) = (logger("central"), logger("other"))
            let central = try bus.node("central", parts: { $0 = NodeParts(logger: centrals) })
            let first = try bus.node("worker", next: ["central"], listens: false)
            let second = try bus.node(
                "worker", next: ["central"], listens: false,
                parts: { $0 = NodeParts(logger: others) })
            try await bus.run(central, first) {
                #expect(try await said.next() == "info central: child is up child=worker")
                let running = try await RunningNode(second)
                let lines = [try await said.next(), try await said.next()]
                #expect(
                    Set(lines.map { $0.replacing(#/ reason=.*/#, with: "") }) == [
                        "warning central: link refused code=403",
                        "warning other: parent refuses this node code=403",
                    ])
                try await running.stop()
            }
        }
    }
}
