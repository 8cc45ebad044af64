import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    /// Many connections that come to nothing, at a node with keys.
    @Suite struct BadConnectTests: KeyedSuite {
        let bus = Bus()
        let pairs: [NodeName: KeyPair]

        init() throws { pairs = try Self.makePairs() }

        /// A connection to be broken, or left where its handshake stopped.
        private enum Kind: Sendable {
            case broken(BrokenHandshake)
            case stopped(StoppedHandshake)

            /// All but the one whose megabyte would be most of the work.
            static let all: [Kind] =
                BrokenHandshake.allCases.filter { $0 != .tooMuchMetadata }.map(Kind.broken)
                + StoppedHandshake.allCases.map(Kind.stopped)
        }

        /// Makes so many, some at a time; each is gone at the end.
        private func make(_ count: Int, at endpoint: Endpoint, initiate: [UInt8]) async throws {
            let concurrent = 10
            try await withThrowingTaskGroup { group in
                for first in 0..<concurrent {
                    group.addTask {
                        for number in stride(from: first, to: count, by: concurrent) {
                            try await make(
                                Kind.all[number % Kind.all.count], at: endpoint, initiate)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        private func make(_ kind: Kind, at endpoint: Endpoint, _ initiate: [UInt8]) async throws {
            switch kind {
            case .broken(let fault):
                let peer = try peer(to: endpoint, own: fault.isKnown ? "relay" : "stranger")
                try await peer.run { try fault.commit(on: &$0, initiate: initiate) }
                try await peer.ended()
            case .stopped(let stage):
                let peer = try peer(to: endpoint, own: "relay")
                try await peer.run { try stage.stop(on: &$0) }
            }
        }

        @Test("F23, C8 A thousand bad connects harm no worker, and leave nothing behind")
        func thousand() async throws {
            let (central, endpoint) = try await central(KeyRing(try keys("central")))
            let ring = KeyRing(try keys("worker", parents: [endpoint: "central"]))
            let worker = try worker(ring, to: endpoint, waits: true)
            let running = try await RunningNode(worker)
            #expect(await worker.uplink.presentError(Attempts().saveFailed()).didRecover)
            let passed = try peer(to: endpoint, own: "relay")
            let initiate = try await passed.run { try $0.shakeHands() }
            let sockets = Resources.socketCount
            // What the first ones take for good, such as buffers of libzmq, is no leak.
            try await make(200, at: endpoint, initiate: initiate)
            let memory = ProcessFiles.residentByteCount()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await make(1_000, at: endpoint, initiate: initiate) }
                group.addTask {
                    for _ in 0..<100 {
                        let outcome = await worker.uplink.presentError(Attempts().saveFailed())
                        #expect(outcome.didRecover)
                    }
                }
                try await group.waitForAll()
            }
            await Resources.wait { Resources.socketCount <= sockets }
            await Resources.wait { ProcessFiles.residentByteCount() < memory + (32 << 20) }
            #expect(await central.node.status.children.map(\.name) == ["worker"])
            try await passed.tell(.ping(1))
            #expect(try await passed.hear(.pong) == .pong(1))
            try await running.stop()
            try await central.stop()
        }
    }
}
