import CZMQ
import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    /// A40: what is no message is refused, and the next good client is served.
    @Suite struct GarbageTests {
        @Test(
            "A40 Garbage is refused by its number, and the next client is served",
            arguments: Garbage.all)
        func refusal(garbage: Garbage) async throws {
            try await withCentral { endpoint in
                let client = try RawSocket.dealer(to: endpoint)
                try await client.send([[]] + garbage.frames)
                let frames = try await client.receive()
                #expect(frames.first == [])
                if frames.count == 2 {
                    // One frame that is no EB1 is read as a bare client's.
                    #expect(String(decoding: frames[1], as: UTF8.self).contains("\"code\":400"))
                } else {
                    guard case .reject(let reject) = try Message(frames: frames[1...]) else {
                        Issue.record("\(frames)")
                        return
                    }
                    #expect(reject.code == garbage.code)
                    #expect(!reject.reason.isEmpty)
                }
                try await Self.expectService(endpoint)
            }
        }

        @Test("A40 Garbage without the empty frame in front is refused as well")
        func undelimited() async throws {
            try await withCentral { endpoint in
                let client = try RawSocket.dealer(to: endpoint)
                try await client.send([Frame("EB1".utf8), Frame("PING".utf8)])
                guard case .reject(let reject) = try await client.hear() else {
                    Issue.record("not refused")
                    return
                }
                #expect(reject.code == .malformed)
                #expect(reject.reason.contains("no empty frame"))
                try await Self.expectService(endpoint)
            }
        }

        @Test("A40 An envelope that is too deep, or a frame of it too long, is refused")
        func envelopes() async throws {
            try await withCentral { endpoint in
                for envelope in [
                    Array(repeating: Frame([1]), count: 12), [Frame(repeating: 1, count: 256)],
                ] {
                    let client = try RawSocket.dealer(to: endpoint)
                    try await client.send(envelope + [[]] + Message.ping(1).frames)
                    let frames = try await client.receive()
                    let body = try #require(frames.firstIndex(of: Frame("EB1".utf8)))
                    guard case .reject(let reject) = try Message(frames: frames[body...]) else {
                        Issue.record("\(frames)")
                        return
                    }
                    #expect(reject.code == .malformed)
                }
                try await Self.expectService(endpoint)
            }
        }

        /// Runs a node that holds its peers back beyond so many bytes.
        private func withBound(
            _ byteCountMax: Int, _ body: @escaping @Sendable (Node, Endpoint) async throws -> Void
        ) async throws {
            let backlog = ConnectionBacklog(
                watchByteCount: 0, byteCountMax: byteCountMax, stoppedMax: 100)
            var settings = NodeSettings(name: "central")
            settings.listen = [try Endpoint("tcp://127.0.0.1:*")]
            var parts = NodeParts(logger: .silent)
            parts.presenters = [FixedPresenter(option: "retry")]
            let node = Node(
                settings, parents: [], parts: parts, transport: Reactor(backlog: backlog))
            try await Bus().run(node) {
                try await body(node, try #require(await node.boundEndpoints.first))
            }
        }

        @Test("F24 A message without an end is cut off; others are served meanwhile")
        func endless() async throws {
            let byteCountMax = 8 << 20
            try await withBound(byteCountMax) { node, endpoint in
                async let sent = PlainConnection.endless(endpoint, byteCountMax: 64 * byteCountMax)
                for _ in 0..<10 { try await Self.expectService(endpoint) }
                #expect(try await sent < 64 * byteCountMax)
                let dropped = await node.status.dropped
                #expect(dropped["flood"] == 1)
                try await Self.expectService(endpoint)
            }
        }

        @Test("F22 A message that has no room is read to its end, and the next one is whole")
        func notWanted() async throws {
            let endpoint = try Bus().endpoint("unwanted")
            let context = try ZMQContext(for: endpoint)
            let socket = try ZMQSocket(.router, endpoint: endpoint, context: context)
            try socket.bind()
            let client = try RawSocket.dealer(to: endpoint)
            let sent: [[Frame]] = [
                [[1], [2], [3]], [[4], [5]], Array(repeating: [6], count: 10_000), [[7]],
                [[8], [9]],
            ]
            for message in sent { try await client.send(message) }
            var wanted: [[Frame]] = []
            var (wholeCount, askedCount) = (0, 0)
            while wholeCount < sent.count {
                var item = zmq_pollitem_t(
                    socket: socket.raw, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
                #expect(zmq_poll(&item, 1, 20_000) == 1)
                let message = try #require(
                    socket.receive { peer, _ in
                        askedCount += 1
                        return peer?.isEmpty == false && [2, 4, 5].contains(askedCount)
                    })
                wholeCount += message.isWhole ? 1 : 0
                if message.isWanted { wanted.append(Array(message.frames.dropFirst())) }
            }
            // All but the first and the one of many frames, which was asked about once.
            #expect(askedCount == sent.count)
            #expect(wanted == [[[4], [5]], [[7]], [[8], [9]]])
            socket.close()
            context.terminate()
        }

        @Test("F24 A message of many frames is read in parts, and those beside it are whole")
        func manyFrames() async throws {
            let bus = Bus()
            let endpoint = try bus.endpoint("many")
            let context = try ZMQContext(for: endpoint)
            let socket = try ZMQSocket(.router, endpoint: endpoint, context: context)
            try socket.bind()
            let client = try RawSocket.dealer(to: endpoint)
            let sent: [[Frame]] = [
                [[1]], Array(repeating: [2], count: 100_000), [[3], [4]],
                Array(repeating: [5], count: 4_095), Array(repeating: [6], count: 4_096), [[7]],
            ]
            for message in sent { try await client.send(message) }
            var received: [[Frame]] = []
            var frameCounts: [Int] = []
            while received.count < sent.count {
                var item = zmq_pollitem_t(
                    socket: socket.raw, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
                #expect(zmq_poll(&item, 1, 20_000) == 1)
                let message = try #require(socket.receive(withSource: true))
                frameCounts.append(message.source?.frameCount ?? 0)
                if message.isWhole { received.append(Array(message.frames.dropFirst())) }
            }
            #expect(received == sent.map { Array($0.prefix(15)) })
            // Each with the frame that libzmq puts in front.
            #expect(frameCounts.reduce(0, +) == sent.reduce(0) { $0 + $1.count + 1 })
            #expect(frameCounts.filter { $0 == 4_096 }.count == 26 && frameCounts.max() == 4_096)
            socket.close()
            context.terminate()
        }

        @Test("F22 A burst beyond the bound waits, and all of it is answered")
        func burst() async throws {
            try await withBound(256 << 10) { node, endpoint in
                let client = try RawSocket.dealer(to: endpoint)
                let text = String(repeating: "x", count: 2_000)
                let report =
                    #"{"domain":"d","description":"\#(text)","#
                    + #""recoveryOptions":[{"id":"retry","title":"Retry"}]}"#
                for _ in 0..<2_000 { try await client.send([[], Frame(report.utf8)]) }
                for _ in 0..<2_000 {
                    let reply = String(decoding: try await client.receive()[1], as: UTF8.self)
                    #expect(reply.contains(#""option":"retry""#))
                }
                let dropped = await node.status.dropped
                #expect(dropped["flood"] == nil)
            }
        }

        @Test("A40 A frame above libzmq's limit ends the connection")
        func oversize() async throws {
            try await withCentral { endpoint in
                let (limit, byteCountMax) = (4 * WireLimits.standard.payloadByteCountMax, 64 << 20)
                let sent = try await PlainConnection.oversize(
                    endpoint, frameByteCount: limit + 1, byteCountMax: byteCountMax)
                #expect(sent < byteCountMax)
                try await Self.expectService(endpoint)
            }
        }

        @Test("A40 A report above the limit is refused; that client may go on")
        func tooLarge() async throws {
            try await withCentral { endpoint in
                let client = try RawSocket.request(to: endpoint)
                var present = Message.Present.client()
                present.payload = Frame(repeating: UInt8(ascii: " "), count: 300 * 1_024)
                try await client.send(Message.present(present).frames)
                try await Self.expectService(endpoint)
                let reply = try await client.ask(.present(.client()))
                #expect(reply.verb == .answer)
            }
        }

        @Test("A40 770 connections of browsers do not stop the node")
        func browsers() async throws {
            try await withCentral { endpoint in
                let worker = try Bus().node("worker", parents: [endpoint], listens: false)
                let running = try await RunningNode(worker)
                for _ in 0..<770 { try PlainConnection.get(endpoint) }
                #expect(await worker.uplink.presentError(Attempts().saveFailed()).didRecover)
                try await Self.expectService(endpoint)
                try await running.stop()
            }
        }

        @Test("A valid request after refused garbage on the same REQ is answered")
        func sameSocket() async throws {
            try await withCentral { endpoint in
                let client = try RawSocket.request(to: endpoint, isStrict: true)
                try await client.send([Frame("garbage".utf8)])
                _ = try await client.receive()
                try await client.send([Frame("EB1".utf8), []])
                _ = try await client.receive()
                #expect(try await client.ask(.present(.client())).verb == .answer)
            }
        }

        private func withCentral(
            _ body: @escaping @Sendable (Endpoint) async throws -> Void
        ) async throws {
            let bus = Bus()
            let central = try bus.tcpRoot("central", presenters: [FixedPresenter(option: "retry")])
            try await bus.run(central) {
                try await body(try #require(await central.boundEndpoints.first))
            }
        }

        private static func expectService(_ endpoint: Endpoint) async throws {
            let good = try RawSocket.request(to: endpoint)
            #expect(try await good.ask(.present(.client())).verb == .answer)
        }
    }
}
