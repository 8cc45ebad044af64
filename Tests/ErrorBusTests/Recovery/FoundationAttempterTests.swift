import ErrorBusTesting
import Foundation
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("Attempts of Foundation's errors", .timeLimit(.minutes(10)))
struct FoundationAttempterTests {
    /// An error whose attempt never calls its handler.
    private struct Silent: RecoverableError {
        let begun: Recorder<Void>
        let recoveryOptions = ["One"]

        func attemptRecovery(
            optionIndex: Int, resultHandler handler: @escaping (_ recovered: Bool) -> Void
        ) {
            begun.record(())
        }

        func attemptRecovery(optionIndex: Int) -> Bool { false }
    }

    /// An error whose attempt succeeds at once.
    private struct Quick: RecoverableError {
        let begun: Recorder<Void>
        let recoveryOptions = ["One"]

        func attemptRecovery(
            optionIndex: Int, resultHandler handler: @escaping (_ recovered: Bool) -> Void
        ) {
            begun.record(())
            handler(true)
        }

        func attemptRecovery(optionIndex: Int) -> Bool { true }
    }

    @Test("A41 An option of Foundation's errors takes no values, as every option without fields")
    func values() async throws {
        let begun = Recorder<Void>()
        let attempter = try #require(FoundationAttempter(Quick(begun: begun)))
        let option = try #require(attempter.options.first)
        let result = await attempter.attemptRecovery(
            Answer(option: option.id, by: "ann", via: .person, values: ["path": "/srv"]))
        #expect(result.settled == .invalid && begun.elements.isEmpty)
        #expect(await attempter.attemptRecovery(answer(option.id)) == .recovered)
    }

    @Test("A cancelled attempt ends at once, although its handler is never called")
    func cancelled() async throws {
        let clock = ManualClock()
        // An attempt that waits for its limit ends with the test.
        defer { clock.advance(by: .seconds(5)) }
        let (begun, results) = (Recorder<Void>(), Recorder<AttemptResult>())
        let attempter = try #require(
            FoundationAttempter(Silent(begun: begun), timeLimit: .seconds(5), clock: clock))
        let option = try #require(attempter.options.first)
        let attempting = Task {
            results.record(await attempter.attemptRecovery(answer(option.id)))
        }
        try await begun.next()
        attempting.cancel()
        #expect(try await results.next() == .notRecovered)
    }
}
