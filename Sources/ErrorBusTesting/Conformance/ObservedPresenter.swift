import ErrorBus

/// A presenter between a chain and the one under test, that notes what goes in and comes out.
final class ObservedPresenter: Presenter {
    /// How one call of `present` ended.
    enum Ending: Sendable {
        case returned(Answer?)
        case threw(any Error)
    }

    let presenterName = "observed"
    let begun = Recorder<Prompt>()
    let endings = Recorder<Ending>()
    private let base: any Presenter

    init(_ base: any Presenter) { self.base = base }

    func present(_ prompt: Prompt) async throws -> Answer? {
        begun.record(prompt)
        do {
            let answer = try await base.present(prompt)
            endings.record(.returned(answer))
            return answer
        } catch {
            endings.record(.threw(error))
            throw error
        }
    }
}
