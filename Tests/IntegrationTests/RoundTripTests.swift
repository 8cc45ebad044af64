import ErrorBusTesting
import Logging
import Synchronization
import Testing

@testable import ErrorBus

struct SaveFailed: Error {}

/// Answers every prompt with one option.
struct FixedPresenter: Presenter {
    let presenterName = "fixed"
    let option: String
    func present(_ prompt: Prompt) async throws -> Answer? {
        prompt.moved(to: .presented, by: "tester")
        return try prompt.answer(option, by: "tester", via: .person)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct RoundTripTests {
    @Test("A01 An error climbs three processes' worth of nodes and its recovery runs at its origin")
    func climbs() async throws {
        let bus = Bus()
        let central = try bus.node("central", presenters: [FixedPresenter(option: "retry")])
        let relay = try bus.node("relay", next: ["central"])
        let worker = try bus.node("worker", next: ["relay"], listens: false)
        let attempts = Atomic(0)
        let outcome = try await bus.run(central, relay, worker) {
            await worker.uplink.presentError(
                SaveFailed().recoverable {
                    RecoveryOption("Retry", id: "retry", role: .default) {
                        attempts.add(1, ordering: .relaxed)
                        return true
                    }
                    RecoveryOption.cancel
                })
        }
        #expect(outcome.didRecover)
        #expect(outcome.reason == .answered)
        #expect(outcome.decidedBy == "tester")
        #expect(attempts.load(ordering: .relaxed) == 1)
    }
}
