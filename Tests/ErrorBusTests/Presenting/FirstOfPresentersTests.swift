import ErrorBusTesting
import Logging
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

struct FirstOfPresentersTests {
    private func ask(_ presenters: any Presenter..., next: (any Responder)? = nil) async -> Outcome
    {
        let error = ErrorReport(domain: "d", description: "broken").recoverableError
        return await PresentingResponder(
            "central", presenters: [FirstOfPresenters(presenters, logger: .silent)], next: next,
            logger: .silent
        ).presentError(error)
    }

    @Test("A35 the first answer wins; the other's prompt closes and names its author")
    func first() async throws {
        let slow = ScriptedPresenter("slow", .waitForCancellation)
        let quick = ScriptedPresenter(
            "quick",
            .run { prompt in
                // Both have it before one answers.
                _ = try await slow.nextPrompt()
                return try prompt.answer("retry", by: "ann", via: .person)
            })
        let outcome = await ask(slow, quick)
        #expect(outcome.answer?.by == "ann")
        #expect(outcome.didRecover)
        _ = try await slow.nextTakenAway()
        #expect(slow.prompts.first?.answer?.by == "ann")
        #expect(throws: AnswerRefusal.self) {
            try slow.prompts.first?.answer("cancel", by: "bob", via: .person)
        }
    }

    @Test("A35 an inbox beside the terminal shows who answered there")
    func inbox() async throws {
        let inbox = Inbox("console")
        let terminal = ScriptedPresenter(
            "terminal",
            .run { prompt in
                for await _ in inbox.changes() where inbox.openCount == 1 { break }
                return try prompt.answer("retry", by: "ann", via: .person)
            })
        #expect(await ask(inbox, terminal).answer?.by == "ann")
        for await _ in inbox.changes() where inbox.openCount == 0 { break }
        let item = try #require(inbox.items().first)
        #expect(item.answer?.by == "ann")
        #expect {
            try inbox.answer(item.id, option: "cancel", by: "bob")
        } throws: { error in
            guard case .answered(let answer, _)? = error as? InboxRefusal else { return false }
            return answer.by == "ann"
        }
    }

    @Test("A presenter that declines or fails leaves the presentation to the other")
    func oneDeclines() async {
        let answering = ScriptedPresenter.Step.answer("retry", by: "ann")
        let declining = await ask(
            ScriptedPresenter("a", .decline), ScriptedPresenter("b", answering))
        #expect(declining.answer?.by == "ann")
        let failing = await ask(
            ScriptedPresenter("a", .fail(JSONError(.empty, at: 0))),
            ScriptedPresenter("b", answering))
        #expect(failing.answer?.by == "ann")
    }

    @Test("Only when all of them decline the next presenter is asked")
    func allDecline() async {
        let next = PresentingResponder(
            "pager", presenters: [ScriptedPresenter("pager", .answer("retry", by: "pager"))],
            logger: .silent)
        let outcome = await ask(
            ScriptedPresenter("a", .decline), ScriptedPresenter("b", .decline), next: next)
        #expect(outcome.answer?.by == "pager")
    }

    @Test("An answer that comes a moment too late is no fault", arguments: [true, false])
    func tooLate(isAnswered: Bool) async throws {
        let error = ErrorReport(domain: "d", description: "broken").recoverableError
        let prompt = Prompt(error, in: PresentationContext(id: .make()))
        if isAnswered {
            _ = try prompt.answer("cancel", by: "ann", via: .person)
        } else {
            prompt.close(.withdrawn)
        }
        let lines = Recorder<String>()
        let logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
        let presenters = FirstOfPresenters(
            [ScriptedPresenter("b", .answer("retry", by: "bob"))], logger: logger)
        #expect(try await presenters.present(prompt)?.by == (isAnswered ? "ann" : nil))
        #expect(lines.elements.isEmpty)
    }

    @Test("An option that is not offered is a fault of its presenter")
    func notOffered() async throws {
        let error = ErrorReport(domain: "d", description: "broken").recoverableError
        let prompt = Prompt(error, in: PresentationContext(id: .make()))
        let lines = Recorder<String>()
        let logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
        let presenters = FirstOfPresenters(
            [ScriptedPresenter("b", .answer("odd"))], logger: logger)
        #expect(try await presenters.present(prompt) == nil)
        #expect(lines.elements == ["presenter failed"])
    }

    @Test("A cancellation that a presenter throws of itself is a fault of that presenter")
    func ownCancellation() async throws {
        let error = ErrorReport(domain: "d", description: "broken").recoverableError
        let prompt = Prompt(error, in: PresentationContext(id: .make()))
        let lines = Recorder<String>()
        let logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
        let presenters = FirstOfPresenters(
            [ScriptedPresenter("b", .fail(CancellationError()))], logger: logger)
        #expect(try await presenters.present(prompt) == nil)
        #expect(lines.elements == ["presenter failed"])
    }

    private struct LineHandler: LogHandler {
        let lines: Recorder<String>
        var logLevel = Logger.Level.error
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.record("\(event.message)") }
    }

    @Test("A presenter that ignores cancellation delays no other")
    func deaf() async {
        let gate = Gate()
        let deaf = ScriptedPresenter(
            "deaf",
            .run { _ in
                await gate.wait()
                return nil
            })
        let outcome = await ask(deaf, ScriptedPresenter("b", .answer("retry", by: "ann")))
        gate.open()
        #expect(outcome.answer?.by == "ann")
    }
}

extension ErrorReport {
    /// An error with this report that Retry recovers.
    fileprivate var recoverableError: any Error {
        Reported(report: self).recoverable {
            RecoveryOption("Retry", id: "retry") { true }
            RecoveryOption.cancel
        }
    }
}

private struct Reported: ReportableError {
    let report: ErrorReport
}
