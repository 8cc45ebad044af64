import ErrorBusTesting
import Glibc
import Logging
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    /// A connection that fails before any message leaves a trace at the parent.
    @Suite struct FailedConnectionTests {
        private let bus = Bus()
        private let own: KeyPair
        private let other: KeyPair
        private let said = Recorder<String>()

        init() throws {
            own = try #require(KeyPair.make())
            other = try #require(KeyPair.make())
        }

        /// Runs a node that listens, with keys or without.
        private func central(
            isKeyed: Bool, _ endpoint: String = "tcp://127.0.0.1:*",
            _ body: @escaping @Sendable (Node, Endpoint) async throws -> Void
        ) async throws {
            let listen = try Endpoint(endpoint)
            let known = ["worker": other.publicKey] as [NodeName: PublicKey]
            let keys = KeyRing(LinkKeys(own: own, known: known))
            let logger = Logger(label: "central") { [said] label in
                RecordingHandler(label: label, said: said)
            }
            let node = try bus.node(
                "central", parents: [], settings: { $0.listen = [listen] },
                parts: { parts in
                    parts = NodeParts(logger: logger)
                    if isKeyed { parts.keys = keys }
                })
            try await bus.run(node) {
                try await body(node, try #require(await node.boundEndpoints.first))
            }
        }

        private func count(_ kinds: [String], at node: Node) async -> Int {
            let dropped = await node.status.dropped
            return kinds.reduce(0) { $0 + (dropped[$1] ?? 0) }
        }

        @Test("F29 A client without keys at a port with them is counted and logged")
        func withoutKeys() async throws {
            try await central(isKeyed: true) { node, endpoint in
                try PlainConnection.greet(endpoint, mechanism: "NULL")
                while await count(["noKeys"], at: node) == 0 { await Task.yield() }
                let fault = await node.status.faults.first
                #expect(fault?.text.contains("give the other side keys") == true)
                #expect(fault?.source == .connection)
                // libzmq's own client may find out first, and leave.
                let before = await count(["noKeys", "leftEarly"], at: node)
                let client = try RawSocket.dealer(to: endpoint)
                while await count(["noKeys", "leftEarly"], at: node) == before {
                    await Task.yield()
                }
                withExtendedLifetime(client) {}
                #expect(said.elements[0].hasPrefix("warning central: connections failed detail="))
            }
        }

        @Test("F29 A child that expects another key of its parent is counted; its address is known")
        func wrongKey() async throws {
            try await central(isKeyed: true) { node, endpoint in
                let keys = LinkKeys(
                    own: other, known: ["central": other.publicKey],
                    parents: [endpoint: "central"])
                let worker = try bus.node(
                    "worker", parents: [endpoint], listens: false,
                    parts: { $0.keys = KeyRing(keys) })
                let running = try await RunningNode(worker)
                // It tries again and again, and is gone at times before its address is read.
                while await node.status.faults.allSatisfy({
                    !$0.text.contains("from 127.0.0.1: another key")
                }) { await Task.yield() }
                #expect(await count(["wrongServerKey"], at: node) > 0)
                try await running.stop()
            }
        }

        @Test("F23 What is no ZeroMQ at a port with keys is counted")
        func rubbish() async throws {
            try await central(isKeyed: true) { node, endpoint in
                try PlainConnection.get(endpoint)
                while await count(["notZMTP"], at: node) == 0 { await Task.yield() }
                #expect(await count(["notZMTP"], at: node) == 1)
            }
        }

        @Test("F29 A client with keys at a port without them is counted")
        func needlessKeys() async throws {
            try await central(isKeyed: false) { node, endpoint in
                try PlainConnection.greet(endpoint, mechanism: "CURVE")
                while await count(["unexpectedKeys"], at: node) == 0 { await Task.yield() }
                #expect(await count(["unexpectedKeys"], at: node) == 1)
            }
        }

        @Test("Connections over ipc that fail are counted")
        func ipc() async throws {
            try await central(isKeyed: false, bus.endpoint("central").description) {
                node, endpoint in
                try PlainConnection.greet(endpoint, mechanism: "CURVE")
                while await count(["unexpectedKeys"], at: node) == 0 { await Task.yield() }
                #expect(await count(["unexpectedKeys"], at: node) == 1)
            }
        }

        @Test("The other side of a connection is its address, and over ipc its process")
        func origin() throws {
            let (made, accepted) = try PlainConnection.pair()
            #expect(PeerConnection(descriptor: accepted).origin == "127.0.0.1")
            var ends: [Int32] = [-1, -1]
            let status = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
            #expect(status == 0)
            #expect(
                PeerConnection(descriptor: ends[0]).origin
                    == "process \(getpid()) of user \(getuid())")
            for descriptor in [made, accepted] + ends { close(descriptor) }
            #expect(PeerConnection(descriptor: -1).origin == nil)
        }

        @Test("F23 Two thousand are counted one by one, and are a line or two in the log")
        func many() async throws {
            try await central(isKeyed: true) { node, endpoint in
                for _ in 0..<2_000 { try PlainConnection.greet(endpoint, mechanism: "NULL") }
                while await count(["noKeys"], at: node) < 2_000 { await Task.yield() }
                #expect(await count(["noKeys"], at: node) == 2_000)
                // One at once, and one for each ten seconds that it took.
                #expect(said.elements.count < 10)
                #expect(await node.status.faults.count < 10)
            }
        }

        @Test("A child that comes and goes is no failed connection")
        func good() async throws {
            try await central(isKeyed: false) { node, endpoint in
                for _ in 0..<5 {
                    let worker = try bus.node("worker", parents: [endpoint], listens: false)
                    let running = try await RunningNode(worker)
                    while await worker.status.parents.first?.state != .up { await Task.yield() }
                    try await running.stop()
                }
                // Reported after all before it.
                try PlainConnection.greet(endpoint, mechanism: "CURVE")
                while await count(["unexpectedKeys"], at: node) == 0 { await Task.yield() }
                let kinds = FailedConnections.Cause.allCases.map(\.rawValue)
                #expect(await count(kinds, at: node) == 1)
            }
        }
    }
}
