import Logging

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
        // Not even begun when it is too late: no person is to see a question flash by.
        if Task.isCancelled { prompt.close(.withdrawn) }
        if let deadline = prompt.deadline, deadline <= clock.now { prompt.close(.expired) }
        let first = FirstValue<PromptEnding>()
        // The prompt itself says when it is decided: a presenter may answer and never return.
        if let ending = prompt.observe({ first.offer($0) }) { return ending }
        // Unstructured because a group would wait for a presenter that does not give up.
        let asking = Task { first.offer(await ask()) }
        let timer = prompt.deadline.map { deadline in
            Task {
                try? await clock.sleepInSteps(until: deadline)
                if !Task.isCancelled { prompt.close(.expired) }
            }
        }
        let ending = await withTaskCancellationHandler {
            await first.value
        } onCancel: {
            prompt.close(.withdrawn)
        }
        timer?.cancel()
        asking.cancel()
        return ending
    }

    private func ask() async -> PromptEnding {
        do {
            // What a presenter presents itself is a presentation of its own.
            let answer = try await PresentationContext.$current.withValue(nil) {
                try await presenter.present(prompt)
            }
            if let answer, prompt.isOpen { try prompt.take(answer) }
        } catch is CancellationError where Task.isCancelled {
            // The presenter gave up because the question is gone, as it should.
        } catch {
            log(error)
        }
        return prompt.ending ?? .declined
    }

    private func log(_ error: any Error) {
        logger.error(
            "presenter failed",
            metadata: [
                "presenter": "\(presenter.presenterName)", "id": "\(prompt.id)",
                "error": "\(ErrorReport(describing: error).description)",
            ])
    }
}
