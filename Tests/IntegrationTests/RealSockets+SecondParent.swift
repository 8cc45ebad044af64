import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    /// A second parent, for as long as the first is away.
    @Suite struct SecondParentTests {
        private let bus = Bus()
        private let first = ScriptedPresenter("first", .waitForCancellation)
        private let again = ScriptedPresenter("again", .waitForCancellation)
        private let second = ScriptedPresenter("second", .waitForCancellation)

        private func worker() throws -> Node {
            try bus.node(
                "worker", next: ["central", "reserve"], listens: false, settings: { _ in },
                parts: { $0.times.returnEvery = 200 })
        }

        @Test("A presentation moves to the second parent and back, with one answer and one attempt")
        func thereAndBack() async throws {
            let worker = try worker()
            let reserve = try bus.node("reserve", presenters: [second])
            let attempts = Attempts()
            try await bus.run(reserve, worker) {
                let central = try await RunningNode(
                    try bus.node("central", presenters: [first]))
                let asking = Task { await worker.uplink.presentError(attempts.saveFailed()) }
                let shown = try await first.nextPrompt()
                try await central.stop()
                let moved = try await second.nextPrompt()
                #expect(moved.id == shown.id)

                let restarted = try await RunningNode(
                    try bus.node("central", presenters: [again]))
                let back = try await again.nextPrompt()
                #expect(back.id == shown.id)
                // No prompt stays for what is asked elsewhere.
                #expect(try await second.nextTakenAway() == shown.id)
                #expect(throws: AnswerRefusal.self) {
                    try moved.answer("retry", by: "eve", via: .person)
                }
                _ = try back.answer("retry", by: "ada", via: .person)
                let outcome = await asking.value
                #expect(outcome.didRecover)
                #expect(outcome.decidedBy == "ada")
                try await restarted.stop()
            }
            #expect(attempts.all == ["origin:retry"])
        }

        @Test("A relay that lost the child leaves the prompt to the one that has it, for good")
        func oneLinkCut() async throws {
            func quick(_ parts: inout NodeParts) {
                parts.times.pingAfter = 500
                parts.times.silenceMax = 2_000
                parts.times.awaitEvery = 300
            }
            let top = try bus.node("top", presenters: [first])
            func soon(_ settings: inout NodeSettings) { settings.abandonAfter = .seconds(10) }
            let losing = try bus.node("losing", next: ["top"], settings: soon, parts: quick)
            let having = try bus.node("having", next: ["top"], settings: soon, parts: quick)
            let worker = try bus.node(
                "worker", next: ["door", "having"], listens: false, parts: quick)
            let attempts = Attempts()
            try await bus.run(top, losing, having) { [bus, first] in
                let door = try QueueProxy(
                    from: try bus.endpoint("door"), to: try bus.endpoint("losing"))
                let running = try await RunningNode(worker)
                let asking = Task { await worker.uplink.presentError(attempts.saveFailed()) }
                let prompt = try await first.nextPrompt()
                #expect(await losing.tableSizes.openBelow == 1)
                door.stop()
                while await having.tableSizes.openBelow == 0 { await Task.yield() }
                while await losing.tableSizes.openBelow > 0 { await Task.yield() }
                // Both relays have asked the top whether it still has it.
                #expect(first.prompts.count == 1)
                _ = try prompt.answer("retry", by: "ada", via: .person)
                let outcome = await asking.value
                #expect(outcome.didRecover)
                #expect(outcome.decidedBy == "ada")
                try await running.stop()
            }
            #expect(first.prompts.count == 1)
            #expect(attempts.all == ["origin:retry"])
        }

        @Test("A presentation relayed by two relays stays while its child moves")
        func sameTop() async throws {
            let top = try bus.node("top", presenters: [first])
            let reserve = try bus.node("reserve", next: ["top"])
            let worker = try worker()
            let attempts = Attempts()
            try await bus.run(top, reserve, worker) {
                let relay = try await RunningNode(try bus.node("central", next: ["top"]))
                let asking = Task { await worker.uplink.presentError(attempts.saveFailed()) }
                let prompt = try await first.nextPrompt()
                try await relay.stop()
                let passed = Recorder<Void>()
                let restarted = try await RunningNode(
                    try bus.node("central", next: ["top"]) { _ in
                    } parts: {
                        $0.chain = { next in
                            ClosureResponder(
                                "noticing", next: next,
                                willPresent: { error, _ in
                                    passed.record(())
                                    return error
                                })
                        }
                    })
                _ = try await passed.next()
                _ = try prompt.answer("retry", by: "ada", via: .person)
                #expect(await asking.value.didRecover)
                try await restarted.stop()
            }
            #expect(first.prompts.count == 1)
            #expect(attempts.all == ["origin:retry"])
        }
    }
}
