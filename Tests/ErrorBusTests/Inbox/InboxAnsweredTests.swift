import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("The index of answers has only answers of presentations that the inbox keeps")
struct InboxAnsweredTests {
    private var machine = InboxMachine(limits: InboxLimits())
    private let start = ManualTime().now

    private func id(_ number: UInt64) -> PresentationID { PresentationID(number) }

    private mutating func open(_ number: UInt64) {
        let report = ErrorReport(
            domain: "d", code: 1, description: "broken",
            options: [.init(id: "retry", title: "Retry")])
        let presentation = InboxPresentation(id: id(number), report: report, origin: "w")
        #expect(machine.opened(presentation, at: start) != nil)
    }

    private mutating func answer(_ number: UInt64, undo: Duration = .zero) throws -> UniqueID {
        let answer = Answer(id: id(1_000 + number).value, option: "retry", by: "ann", via: .person)
        _ = try machine.answer(id(number), with: answer, undo: undo, at: start)
        return answer.id
    }

    @Test("An answer that is undone leaves it")
    mutating func undone() throws {
        open(1)
        let answer = try answer(1, undo: .seconds(5))
        #expect(machine.answered == [answer: id(1)])
        try machine.undo(id(1), at: start)
        #expect(machine.answered.isEmpty)
    }

    @Test("The answers of forgotten presentations leave it")
    mutating func forgotten() throws {
        var limits = InboxLimits()
        limits.endedMax = 3
        machine = InboxMachine(limits: limits)
        for number in 1...20 as ClosedRange<UInt64> {
            open(number)
            _ = try answer(number)
        }
        #expect(Set(machine.answered.values) == [id(18), id(19), id(20)])
    }

    @Test("The answer of a presentation that is presented again leaves it")
    mutating func presentedAgain() throws {
        open(1)
        _ = try answer(1)
        open(1)
        #expect(machine.answered.isEmpty)
    }
}
