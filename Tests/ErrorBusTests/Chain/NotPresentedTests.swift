import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("The notice of an error that is not presented")
struct NotPresentedTests {
    /// A responder that rewrites each error, and passes its notices to a closure.
    private struct Rewriting: Responder {
        let following: (any Responder)?
        let notice: @Sendable (any Error, PresentationContext) async -> Void

        var next: (any Responder)? { get async { following } }

        func willPresentError(
            _ error: any Error, in context: PresentationContext
        ) async throws -> (any Error)? {
            error.rewriting { $0.description = "In other words." }
        }

        func willNotPresentError(
            _ error: any Error, reason: Outcome.Reason, in context: PresentationContext
        ) async {
            await notice(error, context)
        }
    }

    @Test("It has the error that the responder passed on, not the one that came")
    func passedOn() async {
        let texts = Recorder<String>()
        let responder = Rewriting(
            following: nil,
            notice: { error, _ in texts.record(ErrorReport(describing: error).description) })
        #expect(await responder.presentError(SampleError()).reason == .detached)
        #expect(texts.elements == ["In other words."])
    }

    @Test("An error that a responder presents with the context of a notice is a new presentation")
    func presentedThen() async {
        let presenter = ScriptedPresenter("screen", .answer("ok"))
        let aside = PresentingResponder.asking(presenter)
        let responder = Rewriting(
            following: nil,
            notice: { error, context in
                let outcome = await aside.presentError(error, in: context)
                #expect(outcome.reason == .answered)
            })
        let outcome = await responder.presentError(SampleError())
        #expect(outcome.reason == .detached)
        #expect(presenter.prompts.count == 1)
        #expect(presenter.prompts.first?.id != outcome.presentation)
    }
}
