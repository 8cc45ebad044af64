import CZMQ
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    /// Peers that speak CURVE by themselves and break its handshake, beside a worker with a key.
    @Suite struct HandshakeTests: KeyedSuite {
        let bus = Bus()
        let pairs: [NodeName: KeyPair]

        init() throws { pairs = try Self.makePairs() }

        /// Runs a node with keys and a worker with a link to it, which is served before and after.
        private func besideWorker(
            _ body: (_ central: Node, _ endpoint: Endpoint) async throws -> Void
        ) async throws {
            let (central, endpoint) = try await central(KeyRing(try keys("central")))
            let ring = KeyRing(try keys("worker", parents: [endpoint: "central"]))
            let worker = try worker(ring, to: endpoint, waits: true)
            let running = try await RunningNode(worker)
            #expect(await worker.uplink.presentError(Attempts().saveFailed()).didRecover)
            try await body(central.node, endpoint)
            #expect(await worker.uplink.presentError(Attempts().saveFailed()).didRecover)
            let children = await central.node.status.children
            #expect(children.contains { $0.name == "worker" && $0.state == .live })
            try await running.stop()
            try await central.stop()
        }

        @Test(
            "F23, F29 A broken handshake ends its connection, and a keyed worker goes on",
            arguments: BrokenHandshake.allCases)
        func broken(fault: BrokenHandshake) async throws {
            try await besideWorker { central, endpoint in
                let good = try peer(to: endpoint, own: "relay")
                let initiate = try await good.run { try $0.shakeHands() }
                let bad = try peer(to: endpoint, own: fault.isKnown ? "relay" : "stranger")
                try await bad.run { try fault.commit(on: &$0, initiate: initiate) }
                try await bad.ended()
                #expect(await central.status.children.map(\.name) == ["worker"])
                // The one that kept to the protocol is served on.
                try await good.tell(.ping(7))
                #expect(try await good.hear(.pong) == .pong(7))
            }
        }

        @Test("F24 Metadata below the frame's limit is read, and its peer is served")
        func metadata() async throws {
            try await besideWorker { central, endpoint in
                let peer = try peer(to: endpoint, own: "relay")
                try await peer.run {
                    try $0.sayHello()
                    let filler = [UInt8](repeating: 0, count: 100_000)
                    let metadata =
                        CurveHandshake.metadata() + CurveHandshake.property("X-Much", filler)
                    try $0.write(
                        CurveHandshake.command(
                            "INITIATE", $0.handshake.initiate(metadata: metadata)))
                    try $0.handshake.readied(try $0.command("READY"))
                }
                try await peer.tell(.ping(1))
                #expect(try await peer.hear(.pong) == .pong(1))
            }
        }

        // libzmq ends such a connection, or reads nothing more from it: a monitored socket may
        // forget why it refused the message.
        @Test(
            "F29 A changed or repeated message is not read, nor what follows it", arguments: [0, 1])
        func changed(count: Int) async throws {
            try await besideWorker { central, endpoint in
                let peer = try peer(to: endpoint, own: "relay")
                try await peer.run {
                    try $0.shakeHands()
                    var ping = $0.handshake.message([[]] + Message.ping(1).frames)
                    if count == 1 { try $0.write(ping) } else { ping[ping.count - 1] ^= 1 }
                    try $0.write(ping)
                    try? $0.send([[]] + Message.ping(2).frames)
                }
                // A good one after it is served.
                let good = try self.peer(to: endpoint, own: "relay")
                _ = try await good.run { try $0.shakeHands() }
                try await good.tell(.ping(3))
                #expect(try await good.hear(.pong) == .pong(3))
                for _ in 0..<count { #expect(try await peer.hear(.pong) == .pong(1)) }
                #expect(try await peer.run { $0.hasNothing })
            }
        }

        @Test("F23 Peers that stop within the handshake hold up no worker")
        func stopped() async throws {
            try await besideWorker { central, endpoint in
                var peers: [CurvePeer] = []
                for stage in StoppedHandshake.allCases {
                    let peer = try peer(to: endpoint, own: "relay")
                    try await peer.run { try stage.stop(on: &$0) }
                    peers.append(peer)
                }
                let ring = KeyRing(try keys("relay", parents: [endpoint: "central"]))
                let beside = try worker(ring, to: endpoint, named: "relay", waits: true)
                #expect(try await outcome(of: beside).didRecover)
                // One that goes on after a while is let in.
                let late = try #require(peers.first)
                try await late.run { _ = try $0.shakeHands() }
                try await late.tell(.ping(1))
                #expect(try await late.hear(.pong) == .pong(1))
            }
        }

        @Test("F23 A peer that stops within the handshake is let go at its limit")
        func letGo() async throws {
            let own = try #require(pairs["central"])
            let open = try Endpoint("tcp://127.0.0.1:*")
            let context = try ZMQContext(for: open)
            let socket = try ZMQSocket(
                .router, endpoint: open, keys: .listening(own: own, mark: ""), context: context)
            // A node's own limit is 40 s.
            #expect(
                SocketOptions.options(of: .router).contains {
                    if case (ZMQ_HANDSHAKE_IVL, .int(40_000)) = $0 { true } else { false }
                })
            var milliseconds: Int32 = 200
            zmq_setsockopt(
                socket.raw, ZMQ_HANDSHAKE_IVL, &milliseconds, MemoryLayout<Int32>.size)
            try socket.bind()
            let before = Resources.socketCount
            for stage in StoppedHandshake.allCases {
                let peer = try peer(to: socket.boundEndpoint, own: "relay")
                try await peer.run { try stage.stop(on: &$0) }
                try await peer.ended()
            }
            await Resources.wait { Resources.socketCount <= before }
            socket.close()
            context.terminate()
        }
    }
}
