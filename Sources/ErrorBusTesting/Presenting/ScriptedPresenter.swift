public import ErrorBus
import Synchronization

/// A presenter that answers by a script, one step for each prompt, and records every prompt.
public final class ScriptedPresenter: Presenter {
    /// The reaction to one prompt.
    public enum Step: Sendable {
        /// Choose the option with this id.
        case answer(String, by: String = "script", via: Answer.Via = .person)
        /// Decline to the next presenter.
        case decline
        /// Throw this error.
        case fail(any Error)
        /// Show the prompt until it ends.
        case waitForCancellation
        /// Run any code.
        case run(@Sendable (Prompt) async throws -> Answer?)
    }

    public let presenterName: String
    private let steps: Mutex<ArraySlice<Step>>
    private let record = Recorder<Prompt>()
    private let takenAway = Recorder<PresentationID>()

    /// A presenter with these steps.
    ///
    /// - Parameters:
    ///   - name: The name in logs.
    ///   - steps: One for each prompt, in order; after the last one it declines.
    public init(_ name: String = "script", _ steps: Step...) {
        presenterName = name
        self.steps = Mutex(steps[...])
    }

    /// Every prompt so far, in order.
    public var prompts: [Prompt] { record.elements }

    /// The next prompt that no earlier call returned; waits for it.
    public func nextPrompt() async throws -> Prompt { try await record.next() }

    /// The next prompt that ended while a ``Step/waitForCancellation`` showed it.
    public func nextTakenAway() async throws -> PresentationID { try await takenAway.next() }

    public func present(_ prompt: Prompt) async throws -> Answer? {
        // Taken before the prompt is recorded, so that a test that waits for the n-th prompt knows
        // its step.
        let step = steps.withLock { $0.popFirst() } ?? .decline
        record.record(prompt)
        switch step {
        case .answer(let option, let by, let via):
            return try prompt.answer(option, by: by, via: via)
        case .decline:
            return nil
        case .fail(let error):
            throw error
        case .waitForCancellation:
            // Nothing is ever recorded: only cancellation ends the wait.
            _ = try? await Recorder<Never>().next()
            takenAway.record(prompt.id)
            return nil
        case .run(let body):
            return try await body(prompt)
        }
    }
}
