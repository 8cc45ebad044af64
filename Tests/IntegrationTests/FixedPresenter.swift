import Synchronization

@testable import ErrorBus
@testable import ErrorBusCore

/// Answers every prompt with one option, and counts.
final class FixedPresenter: Presenter {
    let presenterName = "fixed"
    let option: String
    private let prompts = Mutex<[PresentationID: Int]>([:])

    init(option: String) { self.option = option }

    /// How often each presentation was put to it.
    var counts: [PresentationID: Int] { prompts.withLock { $0 } }

    func present(_ prompt: Prompt) async throws -> Answer? {
        prompts.withLock { $0[prompt.id, default: 0] += 1 }
        prompt.moved(to: .presented, by: "tester")
        return try prompt.answer(option, by: "tester", via: .policy)
    }
}
