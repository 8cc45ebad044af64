import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("What a presentation keeps", .timeLimit(.minutes(10)))
struct PresentingMemoryTests {
    /// A prompt with a deadline of a day is answered.
    private func answer(_ freed: Recorder<Void>) async {
        let token = LifeToken(freed)
        var options = PresentationOptions()
        options.deadline = .seconds(86_400)
        // The prompt keeps its context, and that this closure.
        options.stateChanged = { [token] _ in withExtendedLifetime(token) {} }
        let presenter = ScriptedPresenter("screen", .answer("ok"))
        let outcome = await PresentingResponder.asking(presenter)
            .presentError(SampleError(), options: options)
        #expect(outcome.answer?.option == "ok")
    }

    @Test("An answered prompt is gone at once, and not at its deadline")
    func answered() async throws {
        let freed = Recorder<Void>()
        await answer(freed)
        // A timer that was left would keep the prompt until the day is over.
        try await freed.next()
    }
}
