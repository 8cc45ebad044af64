import CZMQ
import ErrorBusTesting
import Foundation
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    @Suite struct RefusalTests {
        @Test(
            "A36 F30 Nodes in a circle: the one that finds itself refuses; the origin completes")
        func cycle() async throws {
            let bus = Bus()
            let central = try bus.node("central", next: ["relay"])
            let relay = try bus.node("relay", next: ["central"])
            let worker = try bus.node("worker", next: ["relay"], listens: false)
            let outcome = try await bus.run(central, relay, worker) {
                await worker.uplink.presentError(SaveFailed())
            }
            #expect(!outcome.didRecover)
            #expect(outcome.reason == .cycle)
            #expect(outcome.refusalCode == 482)
            // One number and one path, however many hops passed it on.
            #expect(
                outcome.detail
                    == "482 relay is in the path already: worker,relay,central")
        }

        @Test("F30 More hops than 16 are rejected, and the origin gets the reason")
        func tooManyHops() async throws {
            let bus = Bus()
            var nodes: [RunningNode] = []
            for number in 0..<17 {
                let next = number == 0 ? [] : ["n\(number - 1)"]
                let name = try #require(NodeName("n\(number)"))
                nodes.append(try await RunningNode(try bus.node(name, next: next)))
            }
            let worker = try bus.node("worker", next: ["n16"], listens: false)
            let outcome = try await bus.run(worker) {
                await worker.uplink.presentError(SaveFailed())
            }
            for node in nodes.reversed() { try await node.stop() }
            #expect(outcome.reason == .tooManyHops)
            #expect(outcome.refusalCode == 483)
        }

        @Test("F31 A root without presenters refuses with 503, through a relay as well")
        func noListener() async throws {
            let bus = Bus()
            let central = try bus.node("central")
            let relay = try bus.node("relay", next: ["central"])
            let worker = try bus.node("worker", next: ["relay"], listens: false)
            let outcome = try await bus.run(central, relay, worker) {
                await worker.uplink.presentError(SaveFailed())
            }
            #expect(outcome.reason == .detached)
            #expect(outcome.refusalCode == 503)
            #expect(outcome.detail == "503 no responder at central and above")
        }

        @Test("F31 A responder whose own node has stopped refuses with 503")
        func otherNodeStopped() async throws {
            let former = Bus()
            let other = try former.node("other", next: ["elsewhere"], listens: false)
            try await former.run(other) {}
            let bus = Bus()
            let central = try bus.node("central", parts: { $0.chain = { _ in other.uplink } })
            let worker = try bus.node("worker", next: ["central"], listens: false)
            let outcome = try await bus.run(central, worker) {
                await worker.uplink.presentError(SaveFailed())
            }
            #expect(outcome.reason == .detached)
            #expect(outcome.detail == "503 node other is going down")
        }

        @Test("A report that is too large is refused before it is sent")
        func tooLarge() async throws {
            let bus = Bus()
            let presenter = FixedPresenter(option: "ok")
            let central = try bus.node("central", presenters: [presenter])
            let worker = try bus.node("worker", next: ["central"], listens: false)
            let outcome = try await bus.run(central, worker) {
                await worker.uplink.presentError(
                    SaveFailed().rewriting {
                        $0.description = String(repeating: "x", count: 256 * 1024)
                    })
            }
            #expect(outcome.reason == .rejected)
            #expect(outcome.refusalCode == 413)
            #expect(presenter.counts.isEmpty)
        }

        @Test("A report that fits exactly passes")
        func largest() async throws {
            let bus = Bus()
            let central = try bus.node("central", presenters: [FixedPresenter(option: "ok")])
            let worker = try bus.node("worker", next: ["central"], listens: false)
            let error = SaveFailed().rewriting { report in
                report.description = ""
                let rest = 256 * 1024 - report.payload().count
                report.description = String(repeating: "x", count: rest)
            }
            #expect(error.report.payload().count == 256 * 1024)
            let outcome = try await bus.run(central, worker) {
                await worker.uplink.presentError(error)
            }
            #expect(outcome.reason == .answered)
        }

        @Test("A report that cannot be read passes a relay and is refused by its reader")
        func unreadable() async throws {
            let bus = Bus()
            let presenter = FixedPresenter(option: "ok")
            let central = try bus.node("central", presenters: [presenter])
            let relay = try bus.node("relay", next: ["central"])
            let reply = try await bus.run(central, relay) {
                let client = try RawSocket.request(to: bus.endpoint("relay"))
                return try await client.ask(.present(.client(payload: "{\"domain\":1}")))
            }
            guard case .reject(let reject) = reply else {
                Issue.record("\(reply)")
                return
            }
            #expect(reject.code == .malformed)
            #expect(reject.reason.contains("domain"))
            #expect(presenter.counts.isEmpty)
        }

        @Test("Another process under a name in use is refused with 403; the first continues")
        func sameName() async throws {
            let bus = Bus()
            let central = try bus.node("central", presenters: [FixedPresenter(option: "retry")])
            let worker = try bus.node("worker", next: ["central"], listens: false)
            let attempts = Attempts()
            try await bus.run(central, worker) {
                #expect(await worker.uplink.presentError(attempts.saveFailed()).didRecover)
                let intruder = try RawSocket.dealer(to: bus.endpoint("central"))
                try await intruder.tell(.hello(.init(from: "worker", boot: .make())))
                guard case .reject(let reject) = try await intruder.hear() else {
                    Issue.record("no refusal")
                    return
                }
                #expect(reject.code == .notYours)
                #expect(reject.reason == "worker is held by another live link")
                #expect(await worker.uplink.presentError(attempts.saveFailed()).didRecover)
            }
            #expect(attempts.count == 2)
        }

        @Test("A node under a name in use gets the reason for its refusal")
        func sameNameNode() async throws {
            let bus = Bus()
            let central = try bus.node("central", presenters: [FixedPresenter(option: "retry")])
            let first = try bus.node("worker", next: ["central"], listens: false)
            let second = try bus.node("worker", next: ["central"], listens: false) {
                $0.whenUnreachable = .fail
                $0.grace = .milliseconds(500)
            }
            try await bus.run(central, first) {
                #expect(await first.uplink.presentError(Attempts().saveFailed()).didRecover)
                let running = try await RunningNode(second)
                let outcome = await second.uplink.presentError(SaveFailed())
                #expect(outcome.reason == .unreachable)
                #expect(outcome.detail?.contains("403 worker is held") == true)
                try await running.stop()
                #expect(await first.uplink.presentError(Attempts().saveFailed()).didRecover)
            }
        }
    }
}
