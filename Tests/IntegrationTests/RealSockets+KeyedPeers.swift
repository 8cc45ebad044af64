import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    /// Peers with a known key and no `Node` behind it, which say what a node never would.
    @Suite struct KeyedPeerTests: KeyedSuite {
        let bus = Bus()
        let pairs: [NodeName: KeyPair]

        init() throws { pairs = try Self.makePairs() }

        /// Answers what the worker presents, and holds all else.
        private struct ForWorker: Presenter {
            let presenterName = "for worker"

            func present(_ prompt: Prompt) async throws -> Answer? {
                guard prompt.origin == "worker" else {
                    // Nothing is ever recorded: only cancellation ends the wait.
                    _ = try? await Recorder<Never>().next()
                    return nil
                }
                return try prompt.answer("retry", by: "tester", via: .policy)
            }
        }

        /// A linked peer with the key of `name`.
        private func linked(_ name: NodeName, to endpoint: Endpoint) async throws -> CurvePeer {
            let peer = try peer(to: endpoint, own: name)
            try await peer.run { _ = try $0.shakeHands() }
            try await peer.tell(.hello(.init(from: name, boot: .make())))
            _ = try await peer.hear(.welcome)
            return peer
        }

        /// The next refusal that this peer gets.
        private func refusal(of peer: CurvePeer) async throws -> Message.Reject? {
            guard case .reject(let reject) = try await peer.hear(.reject) else { return nil }
            return reject
        }

        @Test("F22 One key's flood of presentations is refused above its limit; another's is not")
        func flood() async throws {
            let ring = KeyRing(try keys("central"))
            let (central, endpoint) = try await central(ring, presenter: ForWorker()) {
                $0.limits.openPerChildMax = 8
            }
            let own = KeyRing(try keys("worker", parents: [endpoint: "central"]))
            let worker = try worker(own, to: endpoint, waits: true)
            let running = try await RunningNode(worker)
            let bad = try await linked("relay", to: endpoint)
            for _ in 0..<10 {
                try await bad.run { connection in
                    for _ in 0..<100 {
                        let present = Message.Present.client(origin: "relay", wait: nil)
                        try connection.send([[]] + Message.present(present).frames)
                    }
                }
                #expect(await worker.uplink.presentError(Attempts().saveFailed()).didRecover)
            }
            for _ in 0..<(1_000 - 8) {
                #expect(try await refusal(of: bad)?.code == .busy)
            }
            #expect(await central.node.status.children.map(\.name).sorted() == ["relay", "worker"])
            try await running.stop()
            try await central.stop()
        }

        @Test("F24 A message of thousands of frames under a known key is refused as one")
        func manyFrames() async throws {
            let (central, endpoint) = try await central(KeyRing(try keys("central")))
            let peer = try peer(to: endpoint, own: "worker")
            let reply = try await peer.run { connection in
                try connection.shakeHands()
                let frames = Array(repeating: Frame(repeating: 0x78, count: 200), count: 5_000)
                try connection.send([[]] + frames)
                return try connection.receive()
            }
            let text = reply.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
            #expect(text.contains("400"), "\(text)")
            // The next reply is to the next message: no part of the first one was one by itself.
            try await peer.tell(.present(.client(origin: "worker")))
            let next = try await peer.run { try $0.receive() }
            #expect(try Message(frames: next.dropFirst()).verb == .answer)
            try await central.stop()
        }

        @Test("F25 Garbage under a known key is refused by its number; the same peer may go on")
        func garbage() async throws {
            let (central, endpoint) = try await central(KeyRing(try keys("central")))
            let peer = try peer(to: endpoint, own: "worker")
            try await peer.run { _ = try $0.shakeHands() }
            for garbage in Garbage.all {
                try await peer.run { try $0.send([[]] + garbage.frames) }
                let frames = try await peer.run { try $0.receive() }
                if frames.count == 2 {
                    let reply = String(decoding: frames[1], as: UTF8.self)
                    #expect(reply.contains("\"code\":400"), "\(garbage)")
                } else if case .reject(let reject) = try Message(frames: frames.dropFirst()) {
                    // Some have a header that names another than the key's.
                    #expect([garbage.code, .notYours].contains(reject.code), "\(garbage)")
                } else {
                    Issue.record("\(garbage) is answered by \(frames)")
                }
            }
            try await peer.tell(.present(.client(origin: "worker")))
            _ = try await peer.hear(.answer)
            try await central.stop()
        }

        @Test(
            "F26 A routing id of another peer, or one as libzmq gives out, steals no message",
            arguments: [Array("worker".utf8), [0, 1, 2, 3, 4]])
        func routingID(_ identity: [UInt8]) async throws {
            let gate = Recorder<Void>()
            let presenter = ScriptedPresenter(
                "gate",
                .run {
                    try await gate.next()
                    return try $0.answer("retry", by: "tester", via: .policy)
                })
            let (central, endpoint) = try await central(
                KeyRing(try keys("central")), presenter: presenter)
            let owner = try peer(to: endpoint, own: "worker")
            try await owner.run { _ = try $0.shakeHands(identity: identity) }
            let present = Message.Present.client(origin: "worker")
            try await owner.tell(.present(present))
            _ = try await presenter.nextPrompt()
            let thief = try peer(to: endpoint, own: "relay")
            try await thief.run { _ = try $0.shakeHands(identity: identity) }
            try await thief.tell(.hello(.init(from: "relay", boot: .make())))
            try await thief.tell(.await(id: present.id, waitMilliseconds: 20_000))
            gate.record(())
            guard case .answer(let id, _, _) = try await owner.hear(.answer) else { return }
            #expect(id == present.id)
            // A reply to the thief would have come before this one.
            try await owner.tell(.ping(1))
            #expect(try await owner.hear(.pong) == .pong(1))
            #expect(try await thief.run { $0.isSilent })
            #expect(await central.node.status.children.isEmpty)
            try await central.stop()
        }

        @Test("F27 A name, a hop or an origin that is not its key's is refused at the first node")
        func names() async throws {
            let (central, endpoint) = try await central(KeyRing(try keys("central")))
            let peer = try peer(to: endpoint, own: "worker")
            try await peer.run { _ = try $0.shakeHands() }
            try await peer.tell(.hello(.init(from: "relay", boot: .make())))
            #expect(try await refusal(of: peer)?.code == .notYours)
            try await peer.tell(.hello(.init(from: "worker", boot: .make())))
            _ = try await peer.hear(.welcome)
            for (origin, path) in [
                ("relay", ["relay"]), ("relay", ["worker"]), ("worker", ["worker", "relay"]),
                ("billing", ["billing", "worker"]),
            ] as [(NodeName, [NodeName])] {
                var present = Message.Present.client(origin: origin)
                present.path = path
                try await peer.tell(.present(present))
                let refusal = try await refusal(of: peer)
                #expect(refusal?.code == .notYours && refusal?.id == present.id)
            }
            #expect(await central.node.status.children.map(\.name) == ["worker"])
            try await central.stop()
        }

        @Test("F28 An answer, result or withdrawal by a sibling counts for nothing")
        func sibling() async throws {
            let gate = Recorder<Void>()
            let presenter = ScriptedPresenter(
                "gate",
                .run {
                    try await gate.next()
                    return try $0.answer("cancel", by: "tester", via: .person)
                })
            let (central, endpoint) = try await central(
                KeyRing(try keys("central")), presenter: presenter)
            let worker = try await linked("worker", to: endpoint)
            let present = Message.Present.client(origin: "worker", wait: nil)
            try await worker.tell(.present(present))
            _ = try await presenter.nextPrompt()
            let sibling = try await linked("relay", to: endpoint)
            let forged = Answer(option: "retry", by: "relay", via: .person)
            try await sibling.tell(.answer(present.id, forged, digest: nil))
            #expect(try await refusal(of: sibling)?.code == .notYours)
            try await sibling.tell(
                .settled(.init(id: present.id, answer: forged.id, result: .recovered)))
            try await sibling.tell(.withdraw(id: present.id, reason: .origin, asked: nil))
            try await sibling.tell(.ping(1))
            _ = try await sibling.hear(.pong)
            let status = await central.node.status
            #expect(status.dropped["wrongDirection"] == 1)
            #expect(presenter.prompts.allSatisfy { $0.isOpen })
            gate.record(())
            guard case .answer(let id, let answer, _) = try await worker.hear(.answer) else {
                return
            }
            #expect(id == present.id && answer.option == "cancel")
            try await central.stop()
        }

        @Test("F29 A silent connection ends once its key is revoked, and another key's stays")
        func silent() async throws {
            let ring = KeyRing(try keys("central"))
            let (central, endpoint) = try await central(ring)
            let worker = try await linked("worker", to: endpoint)
            let relay = try await linked("relay", to: endpoint)
            ring.replace(with: try keys("central", unknown: ["stranger", "worker"]))
            try await worker.ended()
            while await central.node.status.dropped["unknownKey"] != 1 { await Task.yield() }
            try await relay.tell(.ping(1))
            #expect(try await relay.hear(.pong) == .pong(1))
            try await central.stop()
        }

        @Test("F29 A connection without a message ends some time after the keys were replaced")
        func neverSpoke() async throws {
            let ring = KeyRing(try keys("central"))
            let reactor = Reactor(keys: ring, keyed: KeyedConnections(silenceMax: 100))
            let parent = TestReceiver(reactor)
            try reactor.start()
            _ = try await parent.listen(try Endpoint("tcp://127.0.0.1:*"))
            let endpoint = try #require(await reactor.boundEndpoints().first)
            let peer = try peer(to: endpoint, own: "worker")
            try await peer.run { _ = try $0.shakeHands() }
            ring.replace(with: try keys("central", unknown: ["stranger", "worker"]))
            try await peer.ended()
            await reactor.shutDown()
        }

        @Test("F29 An unknown key gets ERROR in place of READY, and the node counts it")
        func unknown() async throws {
            let (central, endpoint) = try await central(KeyRing(try keys("central")))
            let peer = try peer(to: endpoint, own: "stranger")
            let error = try await peer.run {
                try $0.sayHello()
                let initiate = CurveHandshake.command("INITIATE", $0.handshake.initiate())
                try $0.write(initiate)
                return try $0.command("ERROR")
            }
            #expect(error == [3] + Array("400".utf8))
            while await central.node.status.dropped["unknownKey"] != 1 { await Task.yield() }
            try await central.stop()
        }
    }
}
