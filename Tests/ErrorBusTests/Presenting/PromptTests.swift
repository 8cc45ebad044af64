import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("One presentation, one answer")
struct PromptTests {
    private func prompt(_ options: [ErrorReport.Option] = []) -> Prompt {
        var error = SampleError()
        error.report.options = options
        return Prompt(error, in: PresentationContext(id: .make()))
    }

    @Test("A18 An error without options offers exactly one OK, which does not recover")
    func okay() async {
        let presenter = ScriptedPresenter("screen", .answer("ok"))
        let outcome = await PresentingResponder.asking(presenter).presentError(SampleError())
        #expect(presenter.prompts.map { $0.report.options.map(\.title) } == [["OK"]])
        #expect(outcome.reason == .answered)
        #expect(outcome.answer?.option == "ok")
        #expect(!outcome.didRecover)
    }

    @Test("A18 The OK of a rewritten error does not recover either")
    func okayOfRewritten() async {
        let presenter = ScriptedPresenter("screen", .answer("ok"))
        let error = SampleError().rewriting { $0.description = "In other words." }
        let outcome = await PresentingResponder.asking(presenter).presentError(error)
        #expect(outcome.reason == .answered)
        #expect(!outcome.didRecover)
    }

    @Test("A20 A destructive option is default only when declared")
    func destructiveDefault() {
        var options: [ErrorReport.Option] = [
            .init(id: "overwrite", title: "Overwrite", role: .destructive),
            .init(id: "cancel", title: "Cancel", role: .cancel),
        ]
        #expect(options.defaultOption == nil)
        options[0].isDeclaredDefault = true
        #expect(options.defaultOption?.id == "overwrite")
        #expect(prompt(options).report.options.defaultOption?.id == "overwrite")
    }

    @Test("A20 Without roles the first is default; a declared default comes before it")
    func plainDefault() {
        let plain: [ErrorReport.Option] = [
            .init(id: "a", title: "A"), .init(id: "b", title: "B"),
        ]
        #expect(plain.defaultOption?.id == "a")
        let declared = plain + [.init(id: "c", title: "C", role: .default)]
        #expect(declared.defaultOption?.id == "c")
    }

    @Test("A21 Help does not answer: the same prompt is shown again")
    func help() async throws {
        var error = SampleError()
        error.report.helpAnchor = "https://example.org/help"
        let opened = Recorder<String?>()
        let shown = Recorder<PresentationID>()
        let presenter = ScriptedPresenter(
            "screen",
            .run { prompt in
                shown.record(prompt.id)
                opened.record(prompt.report.helpAnchor)
                #expect(prompt.isOpen)
                #expect(prompt.answer == nil)
                shown.record(prompt.id)
                return try prompt.answer("ok", by: "reader", via: .person)
            })
        let outcome = await PresentingResponder.asking(presenter).presentError(error)
        #expect(opened.elements == ["https://example.org/help"])
        #expect(Set(shown.elements).count == 1)
        #expect(shown.elements.first == outcome.presentation)
    }

    @Test(
        "A22 An option that is not offered is refused with the offered ones",
        arguments: ["", "2", "Retry"])
    func badChoice(option: String) throws {
        let prompt = prompt([.init(id: "retry", title: "Retry")])
        let refusal = #expect(throws: AnswerRefusal.self) {
            try prompt.answer(option, by: "test", via: .person)
        }
        #expect(refusal == .notOffered(option: option, offered: ["retry"]))
        #expect(refusal?.description.contains("offered: retry") == true)
        #expect(prompt.isOpen)
        #expect(try prompt.answer("retry", by: "test", via: .person).option == "retry")
    }

    @Test("A22 After a refusal the caller still waits, and gets the valid answer")
    func badChoiceInChain() async throws {
        let presenter = ScriptedPresenter("screen", .waitForCancellation)
        let chain = PresentingResponder.asking(presenter)
        let outcomes = Recorder<Outcome>()
        let task = Task { outcomes.record(await chain.presentError(SampleError())) }
        let prompt = try await presenter.nextPrompt()
        #expect(throws: AnswerRefusal.notOffered(option: "no", offered: ["ok"])) {
            try prompt.answer("no", by: "test", via: .person)
        }
        #expect(outcomes.elements.isEmpty)
        _ = try prompt.answer("ok", by: "test", via: .person)
        await task.value
        #expect(outcomes.elements.map(\.reason) == [.answered])
    }

    @Test("A23 A repeated answer is acknowledged, another is refused")
    func secondAnswer() throws {
        let prompt = prompt([.init(id: "a", title: "A"), .init(id: "b", title: "B")])
        let id = PresentationID.make().value
        let first = try prompt.answer("a", by: "one", via: .person, id: id)
        #expect(try prompt.answer("a", by: "two", via: .policy, id: id) == first)
        for option in ["a", "b"] {
            #expect(throws: AnswerRefusal.alreadyAnswered(first)) {
                try prompt.answer(option, by: "two", via: .person)
            }
        }
        #expect(throws: AnswerRefusal.alreadyAnswered(first)) {
            try prompt.answer("b", by: "one", via: .person, id: id)
        }
        #expect(prompt.answer == first)
    }

    @Test("A23 A repeated answer runs no second attempt")
    func secondAnswerInChain() async throws {
        let attempts = Recorder<Void>()
        let id = PresentationID.make().value
        let presenter = ScriptedPresenter(
            "screen",
            .run { prompt in
                _ = try prompt.answer("retry", by: "test", via: .person, id: id)
                return try prompt.answer("retry", by: "test", via: .person, id: id)
            })
        let error = SampleError().recoverable {
            RecoveryOption("Retry", id: "retry") {
                attempts.record(())
                return true
            }
        }
        #expect(await PresentingResponder.asking(presenter).presentError(error).didRecover)
        #expect(attempts.elements.count == 1)
    }

    @Test("The person who ended a prompt stays known, whatever would end it later")
    func closedByFirst() {
        let prompt = prompt()
        #expect(prompt.close(.withheld, by: "ann"))
        #expect(!prompt.close(.withdrawn) && !prompt.close(.withheld, by: "bob"))
        #expect(prompt.closedBy == "ann" && prompt.closeReason == .withheld)
    }

    // As in a process that was stopped for a while.
    @Test("From its deadline on a prompt takes no answer, also while its end is not noticed yet")
    func late() throws {
        let context = PresentationContext(id: .make(), deadline: ManualTime().now.instant)
        let prompt = Prompt(SampleError(), in: context)
        let endings = Recorder<PromptEnding>()
        #expect(prompt.observe { endings.record($0) } == nil)
        for via in [Answer.Via.policy, .person] {
            #expect(throws: AnswerRefusal.closed(.expired)) {
                try prompt.answer("ok", by: "late", via: via)
            }
        }
        #expect(endings.elements == [.closed(.expired)])
    }

    @Test("A held answer that leaves at the deadline counts, and no other one does")
    func heldUntilDeadline() throws {
        let context = PresentationContext(id: .make(), deadline: ManualTime().now.instant)
        let prompt = Prompt(SampleError(), in: context)
        let held = Answer(option: "ok", by: "ann", via: .person)
        prompt.hold(held)
        #expect(throws: AnswerRefusal.alreadyAnswered(held)) {
            try prompt.answer("ok", by: "bob", via: .person)
        }
        #expect(try prompt.take(held) == held)
    }

    @Test("A long author is cut to its limit, not refused")
    func longName() throws {
        let answer = try prompt().answer(
            "ok", by: String(repeating: "n", count: 300), via: .person)
        #expect(answer.by.unicodeScalars.count == Answer.byScalarCountMax)
    }

    @Test("The waiting side gets the state of the presentation")
    func stations() {
        let states = Recorder<PresentationState>()
        let prompt = Prompt(
            SampleError(),
            in: PresentationContext(id: .make(), stateChanged: { states.record($0) }))
        prompt.moved(to: .presented)
        prompt.moved(to: .claimed, by: "ann")
        #expect(
            states.elements == [
                PresentationState(.presented), PresentationState(.claimed, by: "ann"),
            ])
    }
}
