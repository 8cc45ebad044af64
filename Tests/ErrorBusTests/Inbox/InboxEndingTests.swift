import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// How the end of a presentation is shown.
struct InboxEndingTests {
    private var machine = InboxMachine(limits: InboxLimits())
    private let now = ManualTime().now

    private func id(_ number: UInt64) -> PresentationID { PresentationID(number) }

    private mutating func open(_ number: UInt64, after earlier: UInt64? = nil) {
        var report = ErrorReport(
            domain: "d", description: "broken", options: [.init(id: "retry", title: "Retry")])
        report.retryOf = earlier.map { id($0) }
        let presentation = InboxPresentation(id: id(number), report: report, origin: "w")
        #expect(machine.opened(presentation, at: now) != nil)
    }

    private mutating func answer(_ number: UInt64) throws -> Answer {
        let answer = Answer(id: id(1_000 + number).value, option: "retry", by: "ann", via: .person)
        _ = try machine.answer(id(number), with: answer, undo: .zero, at: now)
        return answer
    }

    @Test("What did not recover has not failed again, though its operation came once more")
    mutating func notRecovered() throws {
        open(1)
        let answer = try answer(1)
        machine.settled(id(1), answer.id, .failed, at: now)
        open(2, after: 1)
        let item = try machine.item(id(1), at: now)
        #expect(item.failedAgain == id(2) && item.ending == "not recovered")
    }

    @Test("A presentation that names itself as the earlier one has not failed again")
    mutating func ownRetry() throws {
        open(1, after: 1)
        let answer = try answer(1)
        machine.settled(id(1), answer.id, .recovered, at: now)
        let item = try machine.item(id(1), at: now)
        #expect(item.failedAgain == nil && item.ending == "recovered")
    }

    @Test("The loss of an answer that another one has replaced changes nothing")
    mutating func replaced() throws {
        open(1)
        let given = try answer(1)
        let winner = Answer(id: id(9).value, option: "retry", by: "bob", via: .person)
        machine.decided(id(1), winner, at: now)
        let revision = machine.revision
        machine.answerLost(id(1), given.id, .rejected, isUnwritten: true, at: now)
        let item = try machine.item(id(1), at: now)
        #expect(item.stage == .answered(winner) && item.unwritten == nil)
        #expect(machine.revision == revision)
    }
}
