import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What a journal keeps of a presentation that the presenters of its node passed on.
struct PassedOnTests {
    private struct Booked: Error {}

    private let id = PresentationID.make()
    private let journal = MemoryJournal()
    private let above = ScriptedPresenter("above", .answer("ok"), .answer("ok"))

    /// Presents an error to one life of a node with these people in front of its parent.
    private func present(to people: ScriptedPresenter, asksAgain: Bool = true) async -> Outcome {
        let parent = PresentingResponder("parent", presenters: [above], logger: .silent)
        let presenting = PresentingResponder(
            "central", presenters: [people], next: parent, journal: journal, logger: .silent)
        let node = JournalResponder(
            "central", next: presenting, journal: journal, audit: nil, asksAgain: asksAgain,
            logger: .silent)
        var options = PresentationOptions()
        options.id = id
        return await node.presentError(Booked(), options: options)
    }

    @Test("A presentation that was passed on ends in the journal, whatever comes from above")
    func ends() async {
        let outcome = await present(to: ScriptedPresenter("people", .decline))
        #expect(outcome.decidedBy == "parent" && outcome.answer?.option == "ok")
        #expect(journal.state(of: id) == .ended(.declined))
    }

    @Test("It has ended before the parent has it")
    func endsBefore() async {
        let states = Recorder<DecisionRecord.State?>()
        let people = ScriptedPresenter("people", .decline)
        let watching = ScriptedPresenter(
            "watching",
            .run { [journal] prompt in
                states.record(journal.state(of: prompt.id))
                return nil
            })
        let parent = PresentingResponder("parent", presenters: [watching], logger: .silent)
        var options = PresentationOptions()
        options.id = id
        _ = await PresentingResponder(
            "central", presenters: [people], next: parent, journal: journal, logger: .silent
        ).presentError(Booked(), options: options)
        #expect(states.elements == [.ended(.declined)])
    }

    @Test("A34 with afterRestart: never it goes on to the parent, and is not shown twice")
    func never() async {
        _ = await present(to: ScriptedPresenter("people", .decline))
        let people = ScriptedPresenter("people", .answer("ok"))
        let outcome = await present(to: people, asksAgain: false)
        #expect(outcome.refusalCode == nil && outcome.decidedBy == "parent")
        #expect(people.prompts.isEmpty && above.prompts.map(\.id) == [id, id])
        #expect(journal.state(of: id) == .ended(.declined))
    }

    @Test("A34 with afterRestart: ask it is shown again, with a mark")
    func again() async {
        _ = await present(to: ScriptedPresenter("people", .decline))
        let people = ScriptedPresenter("people", .answer("ok"))
        let outcome = await present(to: people)
        #expect(outcome.decidedBy == "central")
        #expect(people.prompts.map(\.wasShownBefore) == [true])
    }
}
