import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("The id of an answer stands for one answer")
struct InboxAnswerIDTests {
    private var machine = InboxMachine(limits: InboxLimits())
    private let start = ManualTime().now

    private func id(_ number: UInt64) -> PresentationID { PresentationID(number) }

    private mutating func open(_ numbers: UInt64...) {
        for number in numbers {
            let report = ErrorReport(
                domain: "d", code: 1, description: "broken",
                options: [
                    .init(id: "retry", title: "Retry"), .init(id: "cancel", title: "Cancel"),
                ])
            let opened = machine.opened(
                InboxPresentation(id: id(number), report: report, origin: "w"), at: start)
            #expect(opened != nil)
        }
    }

    private func answer(_ option: String = "retry", by: String = "ann") -> Answer {
        Answer(id: id(1001).value, option: option, by: by, via: .person)
    }

    @Test("A23 An id repeats an answer only for its author and its option", arguments: [0, 5])
    mutating func otherAnswer(undoSeconds: Int) throws {
        open(1)
        let undo = Duration.seconds(undoSeconds)
        let first = answer()
        _ = try machine.answer(id(1), with: first, of: "1", undo: undo, at: start)
        for other in [answer(by: "bob"), answer("cancel")] {
            #expect(throws: InboxRefusal.otherAnswer(by: "ann")) {
                try machine.answer(id(1), with: other, of: "2", undo: undo, at: start)
            }
        }
        let again = try machine.answer(id(1), with: first, of: "1", undo: undo, at: start)
        #expect(again == .acknowledged(first))
    }

    @Test("A23 An id that answered one presentation answers no other")
    mutating func otherPresentation() throws {
        open(1, 2)
        let first = answer()
        _ = try machine.answer(id(1), with: first, undo: .zero, at: start)
        try machine.refuseReuse(of: first.id, for: id(1))
        try machine.refuseReuse(of: id(3).value, for: id(2))
        #expect(throws: InboxRefusal.otherAnswer(by: "ann")) {
            try machine.refuseReuse(of: first.id, for: id(2))
        }
        // An answer that did not count leaves its id.
        machine.answerLost(id(1), first.id, .expired, at: start)
        try machine.refuseReuse(of: first.id, for: id(2))
    }

    @Test("A23 An inbox refuses the id of an answer to another presentation")
    func reused() async throws {
        let inbox = Inbox("console")
        let chain = PresentingResponder(
            "central", presenters: [inbox], audit: inbox, logger: .silent)
        let asking = (1...2).map { _ in
            Task {
                await chain.presentError(
                    SampleError().recoverable { RecoveryOption("Retry", id: "retry") { true } })
            }
        }
        for await _ in inbox.changes() where inbox.openCount == 2 { break }
        let (ids, key) = (inbox.items().map(\.id), PresentationID.make().value)
        try inbox.answer(ids[0], option: "retry", by: "ann", id: key)
        #expect(throws: InboxRefusal.otherAnswer(by: "ann")) {
            try inbox.answer(ids[1], option: "retry", by: "ann", id: key)
        }
        #expect(inbox.openCount == 1)
        for task in asking { task.cancel() }
    }
}
