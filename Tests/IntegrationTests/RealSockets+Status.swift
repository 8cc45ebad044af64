import CZMQ
import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    @Suite struct StatusTests {
        @Test("With an open presentation every node reports its links and open counts")
        func duringQuestion() async throws {
            let bus = Bus()
            let inAttempt = Recorder<[Result<NodeStatus, StatusFailure>]>()
            let endpoints = [try bus.endpoint("central"), try bus.endpoint("relay")]
            let central = try bus.node(
                "central", presenters: [FixedPresenter(option: "retry")],
                parts: { $0.version = "7.7" })
            let relay = try bus.node("relay", next: ["central"])
            let worker = try bus.node("worker", next: ["relay"], listens: false)
            #expect(await worker.status == NodeStatus(node: "worker"))
            try await bus.run(central, relay, worker) {
                _ = await worker.uplink.presentError(
                    SaveFailed().recoverable {
                        RecoveryOption("Retry", id: "retry") {
                            inAttempt.record(await NodeStatus.ask(endpoints))
                            return true
                        }
                    })
                let told = try await inAttempt.next().map { try $0.get() }
                #expect(told.map(\.node) == ["central", "relay"])
                #expect(told.map(\.version) == ["7.7", ""])
                #expect(told[0].boot != told[1].boot)
                #expect(told[0].children.map(\.name) == ["relay"])
                #expect(told[1].children.map(\.name) == ["worker"])
                #expect(told[1].children.map(\.state) == [.live])
                // Being attempted: decided, and not settled.
                #expect(told.map { $0.children.map(\.answeredCount) } == [[1], [1]])
                #expect(told.map(\.openCount) == [0, 0])
                #expect(told.map(\.counters.presentedBelow) == [1, 1])
                #expect(told[1].parents.map(\.state) == [.up])
                #expect(told[1].parents.map(\.node) == ["central"])
                #expect(told[1].parents.map(\.endpoint) == [endpoints[0].description])
                #expect(told[0].parents.isEmpty)
                #expect(told[1].tables.attempts == 1)
                let own = await relay.status
                #expect(own.counters.answeredAbove == 1)
                #expect(own.faults.isEmpty)
            }
        }

        @Test("Refusals that a node sent, and those it got, are reported with their number")
        func faults() async throws {
            let bus = Bus()
            let central = try bus.node("central", presenters: [FixedPresenter(option: "x")])
            try await bus.run(central) {
                let client = try RawSocket.request(to: try bus.endpoint("central"))
                for _ in 0..<3 {
                    let reply = try await client.ask(
                        .await(id: PresentationID.make(), waitMilliseconds: 0))
                    #expect(reply.verb == .reject)
                }
                let status = await central.status
                #expect(status.faults.map(\.text) == ["404 no such id"])
                #expect(status.faults.map(\.count) == [3])
                #expect(status.counters.refusedBelow == 3)
            }
        }

        @Test("A plain REQ client asks without HELLO; the twenty-first time in a second is 429")
        func plainClient() async throws {
            let bus = Bus()
            let central = try bus.node("central", presenters: [FixedPresenter(option: "x")])
            try await bus.run(central) {
                let client = try RawSocket.request(to: try bus.endpoint("central"))
                guard case .state(let payload) = try await client.ask(.status) else {
                    Issue.record("no STATE")
                    return
                }
                #expect(try NodeStatus(payload: payload).children.isEmpty)
                var refused: Message.Reject?
                // Two seconds' worth and one more: some of them fall into one second.
                for _ in 0...40 {
                    if case .reject(let reject) = try await client.ask(.status) { refused = reject }
                }
                #expect(refused?.code == .busy)
                #expect(refused?.retryMilliseconds ?? 0 <= 1_000)
            }
        }

        @Test("Of more nodes than are asked at once each has its result")
        func manyNodes() async throws {
            let own = try #require(KeyPair.make())
            let endpoints = try (0..<130).map { try Endpoint("tcp://127.0.0.1:\(7_000 + $0)") }
            // No key of these nodes is known: each fails at once.
            let keys = KeyRing(LinkKeys(own: own, known: [:]))
            let results = await NodeStatus.ask(endpoints, keys: keys)
            let unknown = Result<NodeStatus, StatusFailure>.failure(
                .unreachable("no public key of that node is known"))
            #expect(results == Array(repeating: unknown, count: endpoints.count))
        }

        @Test("No node, a silent one, an earlier version: each is reported in time")
        func noAnswer() async throws {
            let bus = Bus()
            let silent = try RawSocket(ZMQ_ROUTER)
            try silent.bind(try bus.endpoint("silent"))
            let old = try RawSocket(ZMQ_ROUTER)
            try old.bind(try bus.endpoint("old"))
            let answering = Task {
                let question = try await old.receive()
                let reject = Message.reject(.init(.version, "verb \"STATUS\" is not one of EB1's"))
                try await old.send(Array(question.prefix(2)) + reject.frames)
            }
            let endpoints = try ["nothing", "silent", "old"].map { try bus.endpoint($0) }
            let told = await NodeStatus.ask(endpoints, within: .milliseconds(700))
            #expect(
                told == [
                    .failure(.unreachable("no answer within 700 ms")),
                    .failure(.unreachable("connected, but no answer within 700 ms")),
                    .failure(
                        .refused(code: 505, reason: "verb \"STATUS\" is not one of EB1's")),
                ])
            #expect(await NodeStatus.ask([]).isEmpty)
            try await answering.value
        }
    }
}
