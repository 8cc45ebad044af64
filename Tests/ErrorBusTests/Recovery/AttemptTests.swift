import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("Results of attempts")
struct AttemptTests {
    /// Presents an error with one option `retry` that does `attempt`, and picks `option`.
    private func outcome(
        picking option: String = "retry", attempt: @escaping RecoveryOption.Attempt
    ) async -> Outcome {
        let error = SampleError().recoverable {
            RecoveryOption("Retry", id: "retry", attempt: attempt)
            RecoveryOption.cancel
        }
        let presenter = ScriptedPresenter("screen", .answer(option))
        return await PresentingResponder.asking(presenter).presentError(error)
    }

    @Test("A01 A retry that succeeds recovers, and runs once")
    func recovered() async {
        let attempts = Recorder<Void>()
        let outcome = await outcome {
            attempts.record(())
            return true
        }
        #expect(outcome.didRecover)
        #expect(outcome.reason == .answered)
        #expect(attempts.elements.count == 1)
    }

    @Test("A02 A03 Cancel and a retry that fails differ by the option")
    func notRecovered() async {
        let cancelled = await outcome(picking: "cancel") { true }
        let failed = await outcome { false }
        for outcome in [cancelled, failed] {
            #expect(!outcome.didRecover)
            #expect(outcome.reason == .answered)
        }
        #expect(cancelled.answer?.option == "cancel")
        #expect(failed.answer?.option == "retry")
    }

    @Test("A04 An attempt that throws reports its error")
    func threw() async {
        let outcome = await outcome { throw SampleError("The server is gone.") }
        #expect(!outcome.didRecover)
        #expect(outcome.reason == .recoveryFailed)
        #expect(outcome.detail == "The server is gone.")
    }

    @Test("A04 An attempt that never returns releases the caller at its limit")
    func timedOut() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let wasCancelled = Recorder<Bool>()
        let attempter = OptionAttempter(
            [
                RecoveryOption("Retry", id: "retry") {
                    await gate.wait()
                    wasCancelled.record(Task.isCancelled)
                    return true
                }
            ], timeLimit: .seconds(600), clock: clock)
        let presenter = ScriptedPresenter("screen", .answer("retry"))
        let chain = PresentingResponder.asking(presenter)
        let task = Task { await chain.presentError(SampleError().recoverable(by: attempter)) }
        // In steps, so that a sleep that is cancelled is not kept for ten minutes.
        var slept = Duration.zero
        while slept < .seconds(600) {
            let step = try await clock.nextSleep()
            #expect(step <= .seconds(5))
            clock.advance(by: step)
            slept += step
        }
        let outcome = await task.value
        #expect(!outcome.didRecover)
        #expect(outcome.reason == .recoveryTimedOut)
        gate.open()
        #expect(try await wasCancelled.next())
        #expect(clock.sleeperCount == 0)
    }

    @Test("A19 Options without an attempter are shown, and choosing one has that result")
    func noAttempter() async {
        var error = SampleError()
        error.report.options = [.init(id: "fix", title: "Fix")]
        let presenter = ScriptedPresenter("screen", .answer("fix"), .answer("fix"))
        let chain = PresentingResponder.asking(presenter)
        for error in [error as any Error, error.rewriting { $0.code = 2 }] {
            let outcome = await chain.presentError(error)
            #expect(!outcome.didRecover)
            #expect(outcome.reason == .noAttempter)
        }
        #expect(presenter.prompts.map { $0.report.options.map(\.title) } == [["Fix"], ["Fix"]])
    }

    @Test("An attempt that presents an error begins a new presentation")
    func nested() async {
        let presenter = ScriptedPresenter("screen", .answer("retry"), .answer("ok"))
        let chain = PresentingResponder.asking(presenter)
        let error = SampleError().recoverable {
            RecoveryOption("Retry", id: "retry") {
                await chain.presentError(SampleError("from the attempt")).didRecover
            }
        }
        let outcome = await chain.presentError(error)
        #expect(outcome.reason == .answered)
        #expect(Set(presenter.prompts.map(\.id)).count == 2)
    }

    @Test("An answer with an option that the error does not offer runs nothing")
    func notOffered() async {
        let attempts = Recorder<Void>()
        let error = SampleError().recoverable {
            RecoveryOption("Retry", id: "retry") {
                attempts.record(())
                return true
            }
        }
        for option in ["wipe", "Retry", ""] {
            let result = await error.attempter.attemptRecovery(answer(option))
            #expect(result == .notOffered && result.settled == .invalid)
        }
        #expect(attempts.elements.isEmpty)
    }

    @Test("Of two options with one id the first counts")
    func doubleID() async {
        let attempter = OptionAttempter([
            RecoveryOption("First", id: "same") { true },
            RecoveryOption("Second", id: "same") { false },
        ])
        #expect(attempter.options.map(\.title) == ["First"])
        #expect(await attempter.attemptRecovery(answer("same")) == .recovered)
        #expect(await attempter.attemptRecovery(answer("other")) == .notOffered)
    }

    @Test("A10 Combined attempters run each option where it came from")
    func combined() async {
        let ran = Recorder<String>()
        func option(_ id: String, _ owner: String) -> RecoveryOption {
            RecoveryOption(id, id: id) {
                ran.record(owner)
                return true
            }
        }
        let origin = SampleError().recoverable {
            option("retry", "O"); option("skip", "O")
        }
        let middle = origin.addingRecoveryOptions {
            option("cache", "M"); option("skip", "M")
        }
        let top = middle.addingRecoveryOptions(.first) { option("abort", "P") }
        #expect(top.report.options.map(\.id) == ["abort", "retry", "cache", "skip"])
        #expect(top.attempter.options == top.report.options)
        for id in ["retry", "skip", "cache", "abort"] {
            #expect(await top.attempter.attemptRecovery(answer(id)) == .recovered)
        }
        #expect(ran.elements == ["O", "M", "M", "P"])
        #expect(await top.attempter.attemptRecovery(answer("none")) == .notOffered)
        let onNothing = SampleError().addingRecoveryOptions { option("cache", "M") }
        #expect(await onNothing.attempter.attemptRecovery(answer("none")) == .noAttempter)
    }

    @Test(
        "Every result has one reason, and only `recovered` recovers",
        arguments: [
            (AttemptResult.recovered, true, "answered"), (.notRecovered, false, "answered"),
            (.threw("x"), false, "recoveryFailed"), (.timedOut, false, "recoveryTimedOut"),
            (.noAttempter, false, "noAttempter"), (.notOffered, false, "noAttempter"),
            (.badValue(FieldFault("f", found: "x", expected: "y")), false, "badValue"),
            (.remote(.recovered), true, "answered"), (.remote(.failed), false, "answered"),
            (.remote(.late), false, "answered"), (.remote(.withdrawn), false, "withdrawn"),
            (.remote(.invalid), false, "noAttempter"), (.remote(.unknown), false, "undelivered"),
        ])
    func reasons(result: AttemptResult, didRecover: Bool, reason: String) {
        let outcome = Outcome(answer: answer("retry"), result: result, decidedBy: "P")
        #expect(outcome.didRecover == didRecover)
        #expect(outcome.reason.rawValue == reason)
        #expect(result.didRecover == (result.settled == .recovered))
    }
}

/// An answer as a presenter would have given it.
func answer(_ option: String) -> Answer {
    Answer(option: option, by: "test", via: .person)
}
