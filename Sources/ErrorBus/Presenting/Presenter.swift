public import Logging

/// A way to get an answer from a person or a policy: a terminal, a console, a command, a rule file.
public protocol Presenter: Sendable {
    /// The name in logs and outcomes.
    var presenterName: String { get }

    /// Shows the prompt and returns its answer, made by
    /// ``Prompt/answer(_:by:via:id:values:comment:)``, or nil to decline, so that the next
    /// presenter gets the prompt.
    ///
    /// Cancellation means that the prompt has ended (withdrawn, expired, answered elsewhere):
    /// remove it and return nil.
    ///
    /// An error that the presenter itself presents is a new presentation: begin it from
    /// `prompt.context`.
    ///
    /// - Throws: When the prompt cannot be shown. ``PresentingResponder`` logs the fault and asks
    ///   the next presenter; the origin does not get the fault.
    func present(_ prompt: Prompt) async throws -> Answer?
}

/// Several presenters that show each prompt at once, such as a console and a terminal on one desk.
/// The first answer counts; the others' prompts close and name its author (A35).
///
/// Declines when all of them do. A presenter that fails counts as declining, and is logged.
public struct FirstOfPresenters: Presenter {
    public let presenterName: String
    private let presenters: [any Presenter]
    private let logger: Logger

    /// A presenter of all these presenters.
    ///
    /// - Parameters:
    ///   - presenters: In the order of their names in ``presenterName``; the order does not affect
    ///     which answer is first.
    ///   - logger: The logger for presenters that fail.
    public init(_ presenters: [any Presenter], logger: Logger) {
        presenterName = presenters.map(\.presenterName).joined(separator: ", ")
        self.presenters = presenters
        self.logger = logger
    }

    public func present(_ prompt: Prompt) async throws -> Answer? {
        await withTaskGroup(of: Void.self) { group in
            for presenter in presenters { group.addTask { await ask(presenter, prompt) } }
            for await _ in group where !prompt.isOpen { group.cancelAll() }
        }
        return prompt.answer
    }

    private func ask(_ presenter: any Presenter, _ prompt: Prompt) async {
        do {
            // Accepted here rather than after the group, since the others may be slow to end.
            if let answer = try await presenter.present(prompt), prompt.isOpen {
                try prompt.take(answer)
            }
        } catch is CancellationError where Task.isCancelled {
            // Thrown because the prompt has ended, which is expected.
        } catch let refusal as AnswerRefusal where refusal.isTooLate && !prompt.isOpen {
            // Another answer or the end of the prompt was a moment earlier.
        } catch {
            logger.error(
                "presenter failed",
                metadata: [
                    "presenter": "\(presenter.presenterName)", "id": "\(prompt.id)",
                    "error": "\(ErrorReport(describing: error).description)",
                ])
        }
    }
}
