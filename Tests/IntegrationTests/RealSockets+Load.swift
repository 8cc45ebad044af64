import ErrorBusTesting
import Synchronization
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    @Suite struct LoadTests {
        @Test("1 000 at once, through a relay over TCP: each asked once, attempted once, answered")
        func oneWorker() async throws {
            try await load(workers: 1, presentations: 1_000)
        }

        @Test("Three workers with 300 each, through one relay")
        func threeWorkers() async throws {
            try await load(workers: 3, presentations: 300)
        }

        @Test("F21 More at once than a parent accepts are all answered in the end")
        func aboveTheLimit() async throws {
            try await load(workers: 1, presentations: 60, openMax: 20)
        }

        @Test("While a node's journal is behind, its children wait; then they are answered")
        func journalBehind() async throws {
            let (bus, journal) = (Bus(), MemoryJournal())
            let presenter = ScriptedPresenter("person", .answer("retry"), .answer("retry"))
            let central = try bus.node(
                "central", presenters: [presenter], parts: { $0.journal = journal })
            let worker = try bus.node("worker", next: ["central"], listens: false)
            let attempts = Attempts()
            try await bus.run(central, worker) {
                #expect(await worker.uplink.presentError(attempts.saveFailed()).didRecover)
                journal.fallBehind()
                let asking = Task { await worker.uplink.presentError(attempts.saveFailed()) }
                try await journal.looks.next()
                #expect(presenter.prompts.count == 1)
                #expect(journal.catchUp() == 1)
                #expect(await asking.value.didRecover)
            }
            #expect(presenter.prompts.count == 2)
        }

        private func load(workers: Int, presentations: Int, openMax: Int = 1_024) async throws {
            let bus = Bus()
            let presenter = FixedPresenter(option: "retry")
            let attempts = Attempts()
            let outcomes = Recorder<Outcome>()
            let open = try Endpoint("tcp://127.0.0.1:*")
            let central = try await RunningNode(bus.tcpRoot("central", presenters: [presenter]))
            let relay = try await RunningNode(
                bus.node(
                    "relay", parents: await central.node.boundEndpoints,
                    settings: { $0.listen = [open] },
                    parts: { $0.limits.openPerChildMax = openMax }))
            var running: [RunningNode] = []
            for number in 0..<workers {
                let name = try #require(NodeName("worker-\(number)"))
                running.append(
                    try await RunningNode(
                        bus.node(name, parents: await relay.node.boundEndpoints, listens: false)))
            }
            await withTaskGroup(of: Void.self) { group in
                for worker in running {
                    for number in 0..<presentations {
                        group.addTask {
                            let option = "\(worker.node.name)-\(number)"
                            let outcome = await worker.node.uplink.presentError(
                                SaveFailed().recoverable {
                                    RecoveryOption("Retry", id: "retry") {
                                        attempts.note(option)
                                        return true
                                    }
                                })
                            outcomes.record(outcome)
                        }
                    }
                }
            }
            #expect(outcomes.elements.count == workers * presentations)
            #expect(outcomes.elements.allSatisfy { $0.didRecover })
            #expect(Set(attempts.all).count == workers * presentations)
            #expect(attempts.count == workers * presentations)
            #expect(presenter.counts.count == workers * presentations)
            #expect(presenter.counts.values.allSatisfy { $0 == 1 })
            for node in running + [relay, central] { try await node.stop() }
        }

        @Test("500 clients of one frame at once are all presented, none is refused as busy")
        func bareClients() async throws {
            let bus = Bus()
            let central = try bus.node("central", presenters: [FixedPresenter(option: "retry")])
            let replies = try await bus.run(central) {
                let clients = try (0..<500).map { _ in
                    try RawSocket.request(to: bus.endpoint("central"))
                }
                for client in clients {
                    try await client.send([Frame(Message.Present.clientReport.utf8)])
                }
                var replies: [String] = []
                for client in clients {
                    let frames = try await client.receive()
                    replies.append(String(decoding: frames.last ?? [], as: UTF8.self))
                }
                return replies
            }
            #expect(replies.count { $0.contains("\"option\":\"retry\"") } == 500)
        }

        @Test("A handler is called once, and never before the call that set it has returned")
        func completionHandler() async throws {
            let bus = Bus()
            let central = try bus.node("central", presenters: [FixedPresenter(option: "retry")])
            let worker = try bus.node("worker", next: ["central"], listens: false)
            let calls = Recorder<(recovered: Bool, returned: Bool)>()
            try await bus.run(central, worker) {
                for _ in 0..<100 {
                    // Held during the call: a handler on the caller's stack would deadlock here,
                    // and one on another thread waits until the call has returned.
                    let returned = Lock(false)
                    returned.state.withLock { value in
                        worker.uplink.presentError(Attempts().saveFailed()) { recovered in
                            calls.record((recovered, returned.state.withLock { $0 }))
                        }
                        value = true
                    }
                }
                for _ in 0..<100 {
                    let call = try await calls.next()
                    #expect(call.recovered)
                    #expect(call.returned)
                }
            }
            #expect(calls.elements.count == 100)
        }
    }
}

/// A lock that closures can share.
private final class Lock: Sendable {
    let state: Mutex<Bool>

    init(_ value: Bool) { state = Mutex(value) }
}
