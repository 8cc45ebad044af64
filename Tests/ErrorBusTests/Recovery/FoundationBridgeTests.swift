import ErrorBusTesting
import Foundation
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("Recoverable errors and Foundation's protocols")
struct FoundationBridgeTests {
    @Test("Code that knows only Foundation reads a Recoverable and runs it by index")
    func asRecoverableError() async {
        let attempts = Recorder<String>()
        let error: any Error = SampleError("What happened.").recoverable {
            RecoveryOption("Retry", id: "retry") {
                attempts.record("retry")
                return true
            }
            RecoveryOption.cancel
        }
        let foundation = error as? any RecoverableError & LocalizedError
        #expect(foundation?.errorDescription == "What happened.")
        #expect(foundation?.recoveryOptions == ["Retry", "Cancel"])
        let results = Recorder<Bool>()
        for index in [0, 1, 2, -1] {
            await withCheckedContinuation { continuation in
                foundation?.attemptRecovery(optionIndex: index) { recovered in
                    results.record(recovered)
                    continuation.resume()
                }
            }
        }
        #expect(results.elements == [true, false, false, false])
        #expect(attempts.elements == ["retry"])
    }

    @Test("Code that knows only Foundation reads each text of a Recoverable")
    func texts() {
        var sample = SampleError("What happened.")
        sample.report.failureReason = "Why."
        sample.report.recoverySuggestion = "What to do."
        sample.report.helpAnchor = "runbook"
        let error: any Error = sample.recoverable { RecoveryOption.cancel }
        let foundation = error as? any LocalizedError
        #expect(foundation?.errorDescription == "What happened.")
        #expect(foundation?.failureReason == "Why.")
        #expect(foundation?.recoverySuggestion == "What to do.")
        #expect(foundation?.helpAnchor == "runbook")
    }

    @Test("The blocking form waits for the attempt", .timeLimit(.minutes(10)))
    func blocking() async {
        let error = SampleError().recoverable { RecoveryOption("Retry", id: "retry") { true } }
        let result = await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: error.attemptRecovery(optionIndex: 0)) }.start()
        }
        #expect(result)
    }

    @Test("A handler that Foundation code never calls is given up at the limit")
    func handlerNeverCalled() async throws {
        let clock = ManualClock()
        let error = Indexed(behaviour: .never)
        let attempter = try #require(
            FoundationAttempter(error, timeLimit: .seconds(5), clock: clock))
        let first = try #require(attempter.options.first)
        let task = Task { await attempter.attemptRecovery(answer(first.id)) }
        _ = try await clock.nextSleep()
        clock.advance(by: .seconds(5))
        #expect(await task.value == .timedOut)
    }

    @Test("A handler that Foundation code calls twice counts once")
    func handlerCalledTwice() async throws {
        let attempter = try #require(FoundationAttempter(Indexed(behaviour: .twice)))
        let first = try #require(attempter.options.first)
        #expect(await attempter.attemptRecovery(answer(first.id)) == .recovered)
        #expect(await attempter.attemptRecovery(answer("option-9")) == .notOffered)
    }
}

extension FoundationBridgeTests {
    @Test("A11 A rewritten and moved title still runs its option")
    func rewritten() async {
        let presenter = ScriptedPresenter("screen", .answer("option-0"))
        let responder = ClosureResponder(
            "M", next: PresentingResponder.asking(presenter),
            willPresent: { error, _ in
                error.rewriting { report in
                    report.options.reverse()
                    report.options[1].title = "Eins"
                }
            })
        #expect(await responder.presentError(Indexed(behaviour: .twice)).didRecover)
        #expect(presenter.prompts.map { $0.report.options.map(\.title) } == [["Two", "Eins"]])
    }
}

private struct Indexed: RecoverableError {
    enum Behaviour { case never, twice }
    let behaviour: Behaviour
    let recoveryOptions = ["One", "Two"]

    func attemptRecovery(
        optionIndex: Int, resultHandler handler: @escaping (_ recovered: Bool) -> Void
    ) {
        guard behaviour == .twice else { return }
        handler(optionIndex == 0)
        handler(false)
    }

    func attemptRecovery(optionIndex: Int) -> Bool { false }
}
