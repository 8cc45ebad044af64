import ErrorBusTesting
import Foundation
import Glibc
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    @Suite struct NodeLifeTests {
        @Test("Fifty nodes, one after the other, leave no descriptor and no thread")
        func nothingLeaks() async throws {
            func round() async throws {
                // Its own folder: a process that another suite is just starting has, until it
                // runs, a copy of the former listener, and keeps its path in use.
                let bus = Bus()
                let central = try bus.node("central", presenters: [FixedPresenter(option: "retry")])
                let worker = try bus.node("worker", next: ["central"], listens: false)
                let centralRunning = try await RunningNode(central)
                let workerRunning = try await RunningNode(worker)
                let outcome = await worker.uplink.presentError(Attempts().saveFailed())
                #expect(outcome.didRecover)
                try await workerRunning.stop()
                try await centralRunning.stop()
            }
            try await round()
            await Resources.wait { Resources.threadCount(named: "errorbus") == 0 }
            let before = Resources.descriptorCount
            for _ in 0..<50 { try await round() }
            await Resources.wait { Resources.threadCount(named: "errorbus") == 0 }
            // Other suites in this process hold a few for a moment; a leak would be 50 or more.
            #expect(Resources.descriptorCount < before + 25)
        }

        @Test("A node that never runs leaves nothing, even when a caller presented to it")
        func neverRun() async throws {
            let bus = Bus()
            weak var dropped: Node?
            do {
                let node = try bus.node("worker", next: ["central"], listens: false)
                dropped = node
                let asking = Task { await node.uplink.presentError(SaveFailed()) }
                asking.cancel()
                #expect(await asking.value.reason == .withdrawn)
            }
            #expect(dropped == nil)
            await Resources.wait { Resources.threadCount(named: "errorbus") == 0 }
        }

        @Test("Running twice is refused, while it runs and afterwards")
        func runTwice() async throws {
            let node = try Bus().node("central")
            let running = try await RunningNode(node)
            await #expect(throws: NodeError.ranBefore("central")) { try await node.run() }
            try await running.stop()
            await #expect(throws: NodeError.ranBefore("central")) { try await node.run() }
            #expect(await node.boundEndpoints == [])
        }

        @Test("No node has the name of clients without a name")
        func reserved() async throws {
            let node = try Bus().node("bare")
            await #expect(throws: NodeError.reservedName("bare")) { try await node.run() }
        }

        @Test("A node listens beyond loopback only if its settings allow it")
        func unauthenticated() async throws {
            let open = try Endpoint("tcp://0.0.0.0:*")
            let node = try Bus().node("central", parents: [], settings: { $0.listen = [open] })
            await #expect(throws: NodeError.unauthenticated(open)) { try await node.run() }
            #expect(await node.boundEndpoints == [])
            let allowed = try Bus().node(
                "central", parents: [],
                settings: {
                    $0.listen = [open]
                    $0.allowUnauthenticated = true
                })
            let running = try await RunningNode(allowed)
            #expect(await allowed.boundEndpoints.count == 1)
            try await running.stop()
        }

        @Test("A node connects beyond loopback only if its settings allow it")
        func unauthenticatedParent() async throws {
            let far = try Endpoint("tcp://192.0.2.1:7700")
            let node = try Bus().node("worker", parents: [far])
            await #expect(throws: NodeError.unauthenticatedParent(far)) { try await node.run() }
            let route = Node(
                NodeSettings(name: "worker"), parents: [], routes: [("far", far)],
                parts: NodeParts(logger: .silent))
            await #expect(throws: NodeError.unauthenticatedParent(far)) { try await route.run() }
            let allowed = try Bus().node(
                "worker", parents: [far], settings: { $0.allowUnauthenticated = true })
            try await RunningNode(allowed).stop()
        }

        @Test("A deadline beyond any lifetime is sent, and answered before")
        func endlessDeadline() async throws {
            let bus = Bus()
            let central = try bus.node("central", presenters: [FixedPresenter(option: "retry")])
            let worker = try bus.node(
                "worker", next: ["central"], listens: false,
                settings: { $0.deadline = .seconds(Int64.max) })
            try await bus.run(central, worker) {
                let error = Attempts().saveFailed()
                #expect(await worker.uplink.presentError(error).didRecover)
            }
        }

        @Test("A presentation that begins before the node runs waits, and is answered")
        func askedEarly() async throws {
            let bus = Bus()
            let central = try bus.node("central", presenters: [FixedPresenter(option: "retry")])
            let worker = try bus.node("worker", next: ["central"], listens: false)
            let attempts = Attempts()
            let asking = Task { await worker.uplink.presentError(attempts.saveFailed()) }
            try await bus.run(central, worker) { #expect(await asking.value.didRecover) }
            #expect(attempts.count == 1)
        }

        @Test("A presentation to a node that does not run ends with its grace")
        func graceBeforeRun() async throws {
            let node = try Bus().node("worker", next: ["central"], listens: false) {
                $0.whenUnreachable = .fail
                $0.grace = .milliseconds(50)
            }
            let outcome = await node.uplink.presentError(SaveFailed())
            #expect(outcome.reason == .unreachable)
            #expect(outcome.detail?.contains("central") == true)
        }

        @Test("F31 Without a parent the local presenter is asked once the grace has passed")
        func presentLocally() async throws {
            let bus = Bus()
            let presenter = FixedPresenter(option: "retry")
            let worker = try bus.node(
                "worker", next: ["central"], presenters: [presenter], listens: false
            ) {
                $0.whenUnreachable = .presentLocally
                $0.grace = .milliseconds(50)
            }
            let attempts = Attempts()
            let outcome = try await bus.run(worker) {
                await worker.uplink.presentError(attempts.saveFailed())
            }
            #expect(outcome.didRecover)
            #expect(attempts.count == 1)
        }

        @Test("A30 Without a parent a relay that presents locally asks for its children too")
        func relayPresentsLocally() async throws {
            let bus = Bus()
            let presenter = FixedPresenter(option: "retry")
            let relay = try bus.node("relay", next: ["central"], presenters: [presenter]) {
                $0.whenUnreachable = .presentLocally
                $0.grace = .milliseconds(50)
            }
            let worker = try bus.node("worker", next: ["relay"], listens: false)
            let attempts = Attempts()
            let outcome = try await bus.run(relay, worker) {
                await worker.uplink.presentError(attempts.saveFailed())
            }
            #expect(outcome.didRecover)
            #expect(outcome.answer?.by == "tester")
            #expect(attempts.count == 1)
        }

        @Test("A deadline also ends a presentation that waits for a local presenter")
        func presentLocallyExpires() async throws {
            let bus = Bus()
            let presenter = ScriptedPresenter("person", .waitForCancellation)
            let worker = try bus.node(
                "worker", next: ["central"], presenters: [presenter], listens: false
            ) {
                $0.whenUnreachable = .presentLocally
                $0.grace = .milliseconds(20)
                $0.deadline = .milliseconds(200)
            }
            let outcome = try await bus.run(worker) {
                await worker.uplink.presentError(SaveFailed())
            }
            #expect(outcome.reason == .expired)
        }

        @Test("A28 no answer in time: the origin applies the declared option, the prompt ends")
        func defaultOnExpiry() async throws {
            let bus = Bus()
            let presenter = ScriptedPresenter("person", .waitForCancellation)
            let audit = RecordingAudit()
            let central = try bus.node(
                "central", presenters: [presenter], parts: { $0.audit = audit })
            let worker = try bus.node("worker", next: ["central"], listens: false)
            let attempts = Attempts()
            var options = PresentationOptions()
            options.deadline = .milliseconds(300)
            options.onExpiry = "skip"
            let error = SaveFailed().recoverable {
                attempts.option("skip")
            }
            let outcome = try await bus.run(central, worker) { [options] in
                await worker.uplink.presentError(error, options: options)
            }
            #expect(outcome.didRecover)
            #expect(outcome.answer?.via == .expiry)
            #expect(outcome.answer?.by == "worker")
            #expect(attempts.count == 1)
            let prompt = try #require(presenter.prompts.first)
            #expect(try await presenter.nextTakenAway() == prompt.id)
            #expect(prompt.report.onExpiry == "skip")
            #expect(
                audit.events.contains {
                    if case .ended(_, .expired, _, _, "skip") = $0.what { true } else { false }
                })
        }

        @Test("A node's deadline also applies to its own presenters")
        func ownPresenterExpires() async throws {
            let bus = Bus()
            let presenter = ScriptedPresenter("person", .waitForCancellation)
            let central = try bus.node("central", presenters: [presenter]) {
                $0.deadline = .milliseconds(100)
            }
            let outcome = try await bus.run(central) {
                await central.chain.presentError(SaveFailed())
            }
            #expect(outcome.reason == .expired)
        }

        @Test("After the end every caller returns at once")
        func askedLate() async throws {
            let bus = Bus()
            let worker = try bus.node("worker", next: ["central"], listens: false)
            try await bus.run(worker) {}
            let outcome = await worker.uplink.presentError(SaveFailed())
            #expect(outcome.reason == .shutDown)
            #expect(outcome.decidedBy == "worker")
        }

        @Test("An endpoint in use is refused as such", arguments: ["ipc", "tcp"])
        func inUse(kind: String) async throws {
            let bus = Bus()
            let open = try kind == "ipc" ? bus.endpoint("x") : Endpoint("tcp://127.0.0.1:*")
            let first = try bus.node("first", parents: [], settings: { $0.listen = [open] })
            try await bus.run(first) {
                let taken = await first.boundEndpoints
                #expect(taken.count == 1)
                let second = try bus.node("second", parents: [], settings: { $0.listen = taken })
                let error = await #expect(throws: NodeError.self) { try await second.run() }
                guard case .transport(let reason) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(reason.isInUse)
                #expect(reason.endpoint == taken.first)
                // The first is still there: libzmq would have deleted its socket.
                let worker = try bus.node("worker", parents: taken, listens: false)
                let running = try await RunningNode(worker)
                let outcome = await worker.uplink.presentError(SaveFailed())
                #expect(outcome.reason == .detached)
                try await running.stop()
            }
        }

        @Test(
            "A node that cannot listen ends what waits for its parent", .timeLimit(.minutes(10)))
        func callerOfFailedNode() async throws {
            let bus = Bus()
            let endpoint = try Endpoint("ipc://\(bus.folder)/no/such/folder")
            let node = try bus.node(
                "worker", next: ["central"], settings: { $0.listen = [endpoint] })
            async let outcome = node.uplink.presentError(SaveFailed())
            await #expect(throws: NodeError.self) { try await node.run() }
            #expect(await outcome.reason == .shutDown)
        }

        @Test("An impossible path, a file that is not a socket, and a host name are refused")
        func badEndpoints() async throws {
            let bus = Bus()
            let file = bus.folder + "/diary"
            #expect(FileManager.default.createFile(atPath: file, contents: Data("dear".utf8)))
            for text in [
                "ipc://\(bus.folder)/no/such/folder", "ipc://\(file)", "tcp://192.0.2.1:7701",
                "tcp://no-such-host.invalid:7701",
            ] {
                let endpoint = try Endpoint(text)
                let node = try bus.node(
                    "central", parents: [],
                    settings: {
                        $0.listen = [endpoint]
                        $0.allowUnauthenticated = true
                    })
                let error = await #expect(throws: NodeError.self) { try await node.run() }
                guard case .transport(let reason) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(reason.endpoint == endpoint)
                #expect(!reason.isInUse)
            }
            #expect(FileManager.default.contents(atPath: file) == Data("dear".utf8))
        }

        @Test("A socket is made in no folder in which every user may put another in its place")
        func openFolder() async throws {
            let bus = Bus()
            for (mode, isOpen) in [
                (0o777, true), (0o702, true), (0o1777, false), (0o770, false), (0o755, false),
                (0o700, false),
            ] as [(mode_t, Bool)] {
                try #require(chmod(bus.folder, mode) == 0)
                let endpoint = try bus.endpoint("central-\(mode)")
                let node = try bus.node("central", settings: { $0.listen = [endpoint] })
                guard isOpen else {
                    try await RunningNode(node).stop()
                    continue
                }
                let error = await #expect(throws: NodeError.self) { try await node.run() }
                guard case .transport(let reason) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(reason.endpoint == endpoint && !reason.isInUse)
                let digits = String(mode, radix: 8)
                #expect(reason.reason.contains("folder \(bus.folder) (mode \(digits))"))
                #expect(reason.reason.contains("chmod o-w"))
            }
            #expect(SocketFile.danger(at: "/tmp/central") == nil)
            #expect(SocketFile.danger(at: "\(bus.folder)/none/central") == nil)
        }

        @Test("A socket left by a dead process is replaced")
        func staleSocket() async throws {
            let bus = Bus()
            let path = bus.folder + "/central"
            #expect(SocketFile(path) == .none)
            try StaleSocket.leave(at: path)
            #expect(SocketFile(path) == .stale)
            // Of another kind: it cannot be asked, and is not libzmq's to delete.
            let other = bus.folder + "/other"
            let descriptor = try StaleSocket.bound(to: other, SOCK_DGRAM)
            defer { close(descriptor) }
            #expect(SocketFile(other) == .live)
            let central = try bus.node("central")
            try await bus.run(central) { #expect(SocketFile(path) == .live) }
        }

        @Test("localhost can be listened on, and is reached as 127.0.0.1")
        func localhost() async throws {
            let bus = Bus()
            let open = try Endpoint("tcp://localhost:*")
            let central = try bus.node(
                "central", parents: [], presenters: [FixedPresenter(option: "retry")],
                settings: { $0.listen = [open] })
            try await bus.run(central) {
                let bound = try #require(await central.boundEndpoints.first)
                guard case .tcp("localhost", let port) = bound.address else {
                    Issue.record("\(bound)")
                    return
                }
                let numeric = try Endpoint("tcp://127.0.0.1:\(port)")
                let worker = try bus.node("worker", parents: [numeric], listens: false)
                let running = try await RunningNode(worker)
                let outcome = await worker.uplink.presentError(Attempts().saveFailed())
                #expect(outcome.didRecover)
                try await running.stop()
            }
        }
    }
}
