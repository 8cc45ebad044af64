import ErrorBus
import Foundation
import Glibc

/// Asks the person at this terminal, one question at a time, the others waiting in order.
///
/// A question whose origin gives up is taken away at once. When the input ends there is nobody to
/// ask: this presenter then declines.
actor TerminalPresenter: Presenter {
    nonisolated let presenterName = "terminal"

    private struct Waiting {
        let text: PromptText
        let continuation: CheckedContinuation<Answer?, Never>
        var prompt: Prompt { text.prompt }
    }

    /// More are left to the next presenter: a list that nobody can work off is no help.
    private static let waitingMax = 1_000

    private let person: String
    private let isColored: Bool
    private var waiting: [Waiting] = []
    private var isShowing = false
    private var isClosed = false
    private var reading: Task<Void, Never>?

    init() {
        person = ProcessInfo.processInfo.environment["USER"] ?? NSUserName()
        isColored = isatty(STDERR_FILENO) != 0
    }

    func present(_ prompt: Prompt) async throws -> Answer? {
        startReading()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !isClosed, waiting.count < Self.waitingMax, prompt.isOpen, !Task.isCancelled
                else { return continuation.resume(returning: nil) }
                prompt.moved(to: .queued)
                waiting.append(Waiting(text: PromptText(prompt), continuation: continuation))
                showNext()
            }
        } onCancel: {
            Task { await self.takeAway(prompt) }
        }
    }

    /// The first of the list is the one on the screen.
    private func showNext() {
        guard !isShowing, let first = waiting.first else { return }
        isShowing = true
        first.prompt.moved(to: .presented, by: person)
        show(first.text.lines(pending: waiting.count - 1, isColored: isColored))
        Terminal.ask("> ")
    }

    private func show(_ lines: [String]) {
        Terminal.say(lines.joined(separator: "\n"))
    }

    /// The question is gone: withdrawn, expired or answered elsewhere.
    private func takeAway(_ prompt: Prompt) {
        guard let index = waiting.firstIndex(where: { $0.prompt === prompt }) else { return }
        let gone = waiting.remove(at: index)
        gone.continuation.resume(returning: nil)
        guard index == 0 else { return }
        isShowing = false
        let title = prompt.report.description.shown()
        Terminal.say("\n  (withdrawn: \(title) needs no answer any more)")
        showNext()
    }

    private func entered(_ line: String) {
        guard isShowing, let first = waiting.first else { return }
        switch first.text.keys.choice(line) {
        case .help:
            show(first.text.details)
        case .unknown(let reason):
            Terminal.say("  \(reason)")
        case .option(let id):
            if answer(first, id) { return }
        }
        show(first.text.lines(pending: waiting.count - 1, isColored: isColored))
        Terminal.ask("> ")
    }

    private func answer(_ first: Waiting, _ id: String) -> Bool {
        do throws(AnswerRefusal) {
            let answer = try first.prompt.answer(id, by: person, via: .person)
            waiting.removeFirst()
            isShowing = false
            Terminal.say("  answered: \(id)")
            first.continuation.resume(returning: answer)
            showNext()
            return true
        } catch {
            Terminal.say("  not taken: \(error.description.shown())")
            return false
        }
    }

    private func inputEnded() {
        isClosed = true
        for one in waiting { one.continuation.resume(returning: nil) }
        waiting.removeAll()
    }

    private func startReading() {
        guard reading == nil else { return }
        let lines = Self.inputLines()
        reading = Task { [weak self] in
            for await line in lines { await self?.entered(line) }
            await self?.inputEnded()
        }
    }

    /// Standard input, line by line, from a thread of its own: reading blocks. Bounded, so that a
    /// flood on the input is dropped instead of kept.
    private static func inputLines() -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingOldest(64))
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        return stream
    }
}
