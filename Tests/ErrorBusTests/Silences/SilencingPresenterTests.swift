import ErrorBusTesting
import Testing

@testable import ErrorBus

struct SilencingPresenterTests {
    private let silences = Silences()
    private let person = ScriptedPresenter("person", .answer("cancel"))
    private let attempts = Attempts()

    private func silence(_ pattern: JSONValue, option: String? = nil) throws -> Silence {
        try silences.add(
            Silence.Request(
                pattern: pattern, match: try RuleMatch(json: pattern), option: option, by: "ann",
                comment: "known"), for: .seconds(60))
    }

    private func outcome() async -> Outcome {
        let error = SampleError().recoverable {
            RecoveryOption("Retry", id: "retry") { attempts.run() }
            RecoveryOption.cancel
        }
        return await PresentingResponder(
            "central", presenters: [SilencingPresenter(silences), person], logger: .silent
        ).presentError(error)
    }

    @Test("What is silenced is withheld, and nobody is asked")
    func withheld() async throws {
        let silence = try silence(["domain": "*"])
        let outcome = await outcome()
        #expect(outcome.reason == .withheld)
        #expect(outcome.decidedBy == "silence \(silence.number) (ann)")
        #expect(!outcome.didRecover)
        #expect(person.prompts.isEmpty)
        #expect(try silences.silence(silence.number).withheldCount == 1)
        #expect(attempts.total == 0)
    }

    @Test("With an option that is offered it is answered")
    func answered() async throws {
        let silence = try silence(["domain": "*"], option: "retry")
        let outcome = await outcome()
        #expect(outcome.didRecover)
        #expect(outcome.answer?.by == "silence \(silence.number) (ann)")
        #expect(outcome.answer?.via == .policy)
        #expect(person.prompts.isEmpty)
        #expect(try silences.silence(silence.number).answeredCount == 1)
    }

    @Test("Everything else goes on to people")
    func declined() async throws {
        _ = try silence(["domain": "another"])
        #expect(await outcome().answer?.option == "cancel")
        #expect(person.prompts.count == 1)
    }
}
