import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("The public checks of presenters")
struct PresenterConformanceTests {
    @Test("A presenter that follows the rules passes")
    func good() async {
        let choices = Recorder<String>()
        let checks = PresenterConformance(Keyboard(choices: choices), clock: ManualClock()) {
            choices.record($0)
        }
        #expect(await checks.violations() == [])
    }

    @Test("A presenter that ignores cancellation fails")
    func deaf() async throws {
        let gate = Gate()
        let cancelled = Recorder<Void>()
        let deaf = ScriptedPresenter(
            "deaf",
            .run { try $0.answer("retry", by: "deaf", via: .person) },
            .run { _ in
                await withTaskCancellationHandler {
                    await gate.wait()
                } onCancel: {
                    cancelled.record(())
                }
                return nil
            },
            .run { prompt in try prompt.answer("cancel", by: "deaf", via: .person) })
        let clock = ManualClock()
        async let violations = PresenterConformance(deaf, clock: clock) { _ in }.violations()
        try await cancelled.next()
        // From here on it is only waited for.
        let passing = Task { while true { clock.advance(by: try await clock.nextSleep()) } }
        #expect(await violations.first?.found == "present did not return")
        passing.cancel()
        gate.open()
    }

    @Test("A presenter with an invented outcome fails")
    func declining() async {
        let declining = ScriptedPresenter("declining")
        let found = await PresenterConformance(declining, clock: ManualClock()) { _ in }
            .violations()
        #expect(found.first?.rule == "a choice completes its presentation once, with that option")
    }

    /// Waits for the end of a prompt, whatever becomes of its task.
    private static func end(of prompt: Prompt) async {
        while prompt.isOpen { await Task.yield() }
    }

    @Test("A presenter that throws after its answer fails")
    func throwsAfterwards() async {
        let faulty = ScriptedPresenter(
            "faulty",
            .run { prompt in
                _ = try prompt.answer("retry", by: "faulty", via: .person)
                throw SampleError("The screen is gone.")
            }, .waitForCancellation,
            .run { prompt in
                await Self.end(of: prompt)
                return nil
            })
        let found = await PresenterConformance(faulty, clock: ManualClock()) { _ in }.violations()
        #expect(found.map(\.found) == ["present did not return the answer"])
    }

    @Test("A presenter that returns an answer of its own to an answered prompt fails")
    func stubborn() async {
        let stubborn = ScriptedPresenter(
            "stubborn", .answer("retry"), .waitForCancellation,
            .run { prompt in
                await Self.end(of: prompt)
                return Answer(option: "retry", by: "stubborn", via: .person)
            })
        let found = await PresenterConformance(stubborn, clock: ManualClock()) { _ in }
            .violations()
        #expect(found.map(\.found) == ["returned retry"])
        let rules = found.map(\.rule)
        #expect(rules == ["a prompt that was answered elsewhere ends without another answer"])
    }
}

/// Takes choices from a recorder, as a terminal takes lines.
private struct Keyboard: Presenter {
    let presenterName = "keyboard"
    let choices: Recorder<String>

    func present(_ prompt: Prompt) async throws -> Answer? {
        let option: String
        do { option = try await choices.next() } catch { return nil }
        do {
            return try prompt.answer(option, by: "keyboard", via: .person)
        } catch AnswerRefusal.alreadyAnswered(let answer) {
            return answer
        }
    }
}
