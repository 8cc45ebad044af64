public import Logging

/// A way to ask a person or a policy: a terminal, a console, a command, a rule file.
public protocol Presenter: Sendable {
    /// The name in logs and outcomes.
    var presenterName: String { get }

    /// Shows the prompt and returns its answer, made by ``Prompt/answer(_:by:via:id:)``, or nil
    /// to decline, so that the next presenter is asked.
    ///
    /// Cancellation means that the prompt is gone (withdrawn, expired, answered elsewhere):
    /// take the prompt away and return nil.
    ///
    /// What it presents itself is a presentation of its own, begun from `prompt.context`.
    /// - Throws: What kept it from presenting. The fault is logged here and the next presenter is
    ///   asked; it is never sent to the origin.
    func present(_ prompt: Prompt) async throws -> Answer?
}

/// Several presenters that are offered each prompt at once, as a console and a terminal on one
/// desk. The first answer counts; the others' prompts close and name who gave it (A35).
///
/// Declines when all of them do. One that fails is logged and counts as declining.
public struct FirstOfPresenters: Presenter {
    public let presenterName: String
    private let presenters: [any Presenter]
    private let logger: Logger

    /// - Parameter presenters: In the order of their names in ``presenterName``; the order says
    ///   nothing about who may answer first.
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
            // Taken here, not by who waits for all of them: the others may be slow to give up.
            if let answer = try await presenter.present(prompt), prompt.isOpen {
                try prompt.take(answer)
            }
        } catch is CancellationError where Task.isCancelled {
            // It gave up because the prompt is gone, as it should.
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
