import ErrorBusTesting
import Testing

@testable import ErrorBus

@Suite("The public checks of presenters")
struct PresenterConformanceTests {
    @Test("A presenter that keeps the rules passes")
    func good() async {
        let choices = Recorder<String>()
        let violations = await PresenterConformance(Keyboard(choices: choices)) { option in
            choices.record(option)
        }.violations()
        #expect(violations == [])
    }

    @Test("One that is deaf to cancellation, or makes up answers, is found out")
    func bad() async {
        let gate = Gate()
        let deaf = ScriptedPresenter(
            "deaf",
            .run { try $0.answer("retry", by: "deaf", via: .person) },
            .run { _ in
                await gate.wait()
                return nil
            },
            .run { prompt in try prompt.answer("cancel", by: "deaf", via: .person) })
        let violations = await PresenterConformance(deaf, patience: .seconds(20)) { _ in }
            .violations()
        gate.open()
        #expect(violations.first?.found == "present did not return")

        let declining = ScriptedPresenter("declining")
        let found = await PresenterConformance(declining, patience: .seconds(20)) { _ in }
            .violations()
        #expect(found.first?.rule == "a choice completes its presentation once, with that option")
    }
}

/// Takes choices from a recorder, as a terminal takes lines.
private struct Keyboard: Presenter {
    let presenterName = "keyboard"
    let choices: Recorder<String>

    func present(_ prompt: Prompt) async throws -> Answer? {
        let option: String
        do { option = try await choices.next() } catch { return nil }
        do {
            return try prompt.answer(option, by: "keyboard", via: .person)
        } catch AnswerRefusal.alreadyAnswered(let answer) {
            return answer
        }
    }
}
