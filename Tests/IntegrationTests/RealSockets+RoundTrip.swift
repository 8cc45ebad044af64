import ErrorBusTesting
import Foundation
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    @Suite struct RoundTripTests {
        @Test(
            "A01 A02 An error climbs three nodes; the option chosen above runs at its origin",
            arguments: [("retry", true), ("cancel", false)])
        func climbs(option: String, recovers: Bool) async throws {
            let bus = Bus()
            let central = try bus.node("central", presenters: [FixedPresenter(option: option)])
            let relay = try bus.node("relay", next: ["central"])
            let worker = try bus.node("worker", next: ["relay"], listens: false)
            let attempts = Attempts()
            let outcome = try await bus.run(central, relay, worker) {
                await worker.uplink.presentError(attempts.saveFailed())
            }
            #expect(outcome.didRecover == recovers)
            #expect(outcome.reason == .answered)
            #expect(outcome.answer?.option == option)
            #expect(outcome.decidedBy == "tester")
            #expect(attempts.all == (recovers ? ["origin:retry"] : []))
        }

        @Test("A01 The caller's action is repeated once it recovered")
        func repeats() async throws {
            let bus = Bus()
            let central = try bus.node("central", presenters: [FixedPresenter(option: "retry")])
            let worker = try bus.node("worker", next: ["central"], listens: false)
            let attempts = Attempts()
            let calls = Attempts()
            try await bus.run(central, worker) {
                try await worker.uplink.withRecovery {
                    calls.note("call")
                    if calls.count < 3 { throw attempts.saveFailed() }
                }
            }
            #expect(calls.count == 3)
            #expect(attempts.all == ["origin:retry", "origin:retry"])
        }

        @Test("A03 A failed attempt differs from a cancelled one")
        func attemptFails() async throws {
            let outcome = try await outcome(
                of: RecoveryOption("Retry", id: "retry") { false }, chosen: "retry")
            #expect(!outcome.didRecover)
            #expect(outcome.reason == .answered)
            #expect(outcome.answer?.option == "retry")
        }

        @Test("A04 An attempt that throws is reported, and the hops above are released")
        func attemptThrows() async throws {
            let outcome = try await outcome(
                of: RecoveryOption("Retry", id: "retry") { throw SaveFailed() }, chosen: "retry")
            #expect(!outcome.didRecover)
            #expect(outcome.reason == .recoveryFailed)
        }

        @Test("A04 An attempt that does not end within its limit is given up")
        func attemptHangs() async throws {
            let hanging = RecoveryOption("Retry", id: "retry") {
                _ = try? await Recorder<Never>().next()
                return true
            }
            let outcome = try await outcome(
                of: hanging, chosen: "retry", timeLimit: .milliseconds(20))
            #expect(!outcome.didRecover)
            #expect(outcome.reason == .recoveryTimedOut)
        }

        /// Presents an error with one option through a relay, and waits until central has
        /// its result.
        private func outcome(
            of option: RecoveryOption, chosen: String, timeLimit: Duration = .seconds(60)
        ) async throws -> Outcome {
            let bus = Bus()
            let audit = RecordingAudit()
            let central = try bus.node(
                "central", presenters: [FixedPresenter(option: chosen)],
                parts: { $0.audit = audit })
            let relay = try bus.node("relay", next: ["central"])
            let worker = try bus.node("worker", next: ["relay"], listens: false)
            return try await bus.run(central, relay, worker) {
                let outcome = await worker.uplink.presentError(
                    SaveFailed().recoverable(timeLimit: timeLimit) { option })
                let result = try await audit.nextResult()
                #expect(result == .failed)
                return outcome
            }
        }

        @Test("A22 An option that is not offered is refused, and the prompt stays open")
        func badChoice() async throws {
            let bus = Bus()
            let presenter = ScriptedPresenter("person", .waitForCancellation)
            let central = try bus.node("central", presenters: [presenter])
            let worker = try bus.node("worker", next: ["central"], listens: false)
            let attempts = Attempts()
            let outcome = try await bus.run(central, worker) {
                async let outcome = worker.uplink.presentError(attempts.saveFailed())
                let prompt = try await presenter.nextPrompt()
                #expect(
                    throws: AnswerRefusal.notOffered(
                        option: "format-disk", offered: ["retry", "cancel"])
                ) { try prompt.answer("format-disk", by: "ada", via: .person) }
                #expect(prompt.isOpen)
                #expect(attempts.count == 0)
                _ = try prompt.answer("retry", by: "ada", via: .person)
                return await outcome
            }
            #expect(outcome.decidedBy == "ada")
            #expect(attempts.all == ["origin:retry"])
        }

        @Test("A19 Options without an attempter are shown and do not recover")
        func noAttempter() async throws {
            let bus = Bus()
            let central = try bus.node("central", presenters: [FixedPresenter(option: "retry")])
            let worker = try bus.node("worker", next: ["central"], listens: false)
            let outcome = try await bus.run(central, worker) {
                await worker.uplink.presentError(ReportOnly())
            }
            #expect(!outcome.didRecover)
            #expect(outcome.reason == .noAttempter)
            #expect(outcome.answer?.option == "retry")
        }
    }
}

/// An error with choices and nothing behind them.
private struct ReportOnly: ReportableError {
    var report: ErrorReport {
        ErrorReport(
            domain: "test", description: "It failed.",
            options: [.init(id: "retry", title: "Retry", role: nil)])
    }
}
