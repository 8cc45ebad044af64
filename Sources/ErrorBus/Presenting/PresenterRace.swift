import Logging

/// How asking one presenter ended.
enum PromptEnding: Hashable, Sendable {
    case answered(Answer)
    case declined
    case closed(Outcome.Reason)
}

/// Asks one presenter, against the deadline and the withdrawal of the question: whichever comes
/// first ends it. A presenter that ignores its cancellation is not waited for.
struct PresenterRace: Sendable {
    private let presenter: any Presenter
    private let prompt: Prompt
    private let logger: Logger
    private let clock: ContinuousClock

    init(_ presenter: any Presenter, _ prompt: Prompt, logger: Logger) {
        self.presenter = presenter
        self.prompt = prompt
        self.logger = logger
        self.clock = ContinuousClock()
    }

    func run() async -> PromptEnding {
        let first = FirstValue<PromptEnding>()
        // Unstructured because a group would wait for a presenter that does not give up.
        let asking = Task { first.offer(await ask()) }
        let timer = prompt.deadline.map { deadline in
            Task {
                try? await clock.sleep(until: deadline)
                if !Task.isCancelled { close(.expired, first) }
            }
        }
        let ending = await withTaskCancellationHandler {
            await first.value
        } onCancel: {
            close(.withdrawn, first)
        }
        timer?.cancel()
        asking.cancel()
        return ending
    }

    /// The answer stands if it was given first, even when its presenter has not returned yet.
    private func close(_ reason: Outcome.Reason, _ first: FirstValue<PromptEnding>) {
        if prompt.close(reason) {
            first.offer(.closed(reason))
        } else if let answer = prompt.answer {
            first.offer(.answered(answer))
        }
    }

    private func ask() async -> PromptEnding {
        do {
            let answer = try await presenter.present(prompt)
            if let decided = prompt.answer ?? answer { return .answered(decided) }
            return .declined
        } catch {
            if let answer = prompt.answer { return .answered(answer) }
            logger.error(
                "presenter failed",
                metadata: [
                    "presenter": "\(presenter.presenterName)", "id": "\(prompt.id)",
                    "error": "\(ErrorReport(describing: error).description)",
                ])
            return .declined
        }
    }
}
