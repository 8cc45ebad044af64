import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    @Suite struct ParentReturnsTests {
        private static let count = 10_000

        @Test("F16 A parent returns: 10 000 open presentations are presented again and answered")
        func tenThousand() async throws {
            let bus = Bus()
            let inbox = Inbox("before")
            let presenter = FixedPresenter(option: "retry")
            let attempts = Attempts()
            func central(_ presenter: any Presenter) throws -> Node {
                try bus.node(
                    "central", presenters: [presenter],
                    parts: { $0.limits.openPerChildMax = Self.count })
            }
            let before = try await RunningNode(central(inbox))
            let worker = try await RunningNode(
                bus.node("worker", next: ["central"], listens: false))
            let took = try await withThrowingTaskGroup(of: Outcome.self) { group in
                for _ in 0..<Self.count {
                    group.addTask {
                        await worker.node.uplink.presentError(attempts.saveFailed())
                    }
                }
                for await _ in inbox.changes() where inbox.openCount == Self.count { break }
                try await before.stop()
                let after = try await RunningNode(central(presenter))
                let begin = ContinuousClock.now
                for try await outcome in group { #expect(outcome.didRecover) }
                let took = ContinuousClock.now - begin
                try await after.stop()
                return took
            }
            #expect(attempts.count == Self.count)
            #expect(presenter.counts.count == Self.count)
            #expect(presenter.counts.values.allSatisfy { $0 == 1 })
            // Promised are 5 s on a machine of its own; beside other tests it takes what it takes.
            print("10 000 asked again and answered in \(took)")
            try await worker.stop()
        }
    }
}
