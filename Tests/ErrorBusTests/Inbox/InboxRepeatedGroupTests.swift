import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Requests for a whole group that are repeated, as after a lost reply.
struct InboxRepeatedGroupTests {
    private let inbox = Inbox("console")
    private let attempts = Attempts()
    private let request = PresentationID(1_001).value
    private let other = PresentationID(1_002).value

    /// Presents equal errors, and waits until all are open, with those before.
    private func present(
        _ count: Int, needsTwoPeople: Bool = false
    ) async -> [Task<Outcome, Never>] {
        let chain = PresentingResponder(
            "central", presenters: [inbox], audit: inbox, logger: .silent)
        let error = SampleError().recoverable {
            RecoveryOption("Drop", id: "drop", needsTwoPeople: needsTwoPeople) {
                [attempts] in attempts.run()
            }
        }
        let openCount = inbox.openCount + count
        let asking = (0..<count).map { _ in Task { await chain.presentError(error) } }
        for await _ in inbox.changes() where inbox.openCount == openCount { break }
        return asking
    }

    private var number: Int { get throws { try #require(inbox.groups.first).number } }

    @Test("An answer for a group is acknowledged when it is repeated, also once the group is gone")
    func answered() async throws {
        let asking = await present(2)
        let number = try number
        func answer(_ id: UniqueID?) throws -> GroupAnswer {
            try inbox.answerGroup(number, option: "drop", by: "ann", id: id)
        }
        let first = try answer(request)
        #expect(first.answered.count == 2 && Set(first.answers).count == 2)
        for task in asking { #expect(await task.value.didRecover) }
        #expect(try answer(request) == first)
        #expect(attempts.total == 2)
        for id in [nil, other] {
            #expect(throws: InboxRefusal.unknownGroup(number)) { try answer(id) }
        }
    }

    @Test("Repeated, it answers only members that it has not answered, and none that came later")
    func rest() async throws {
        let asking = await present(2)
        let (number, ids) = (try number, inbox.items().map(\.id))
        let seen = inbox.revision
        func answer() throws -> GroupAnswer {
            try inbox.answerGroup(number, option: "drop", by: "ann", id: request, seen: seen)
        }
        try inbox.claim(ids[1], by: "bob")
        #expect(try answer().answered == [ids[0]])
        try inbox.release(ids[1], by: "bob")
        let late = await present(1)
        let second = try answer()
        #expect(second.answered == ids && second.refused.isEmpty)
        for task in asking { #expect(await task.value.didRecover) }
        #expect(inbox.openCount == 1 && attempts.total == 2)
        for task in late { task.cancel() }
    }

    @Test("What was taken back of it is refused when it is repeated")
    func takenBack() async throws {
        let asking = await present(3)
        let (number, ids) = (try number, inbox.items().map(\.id))
        let seen = inbox.revision
        func answer() throws -> GroupAnswer {
            try inbox.answerGroup(
                number, only: Set(ids.prefix(2)), option: "drop", by: "ann", id: request,
                seen: seen, undo: .seconds(60))
        }
        let first = try answer()
        #expect(try answer() == first)
        #expect(try inbox.undoGroup(number, only: Set(first.answers)).count == 2)
        let again = try answer()
        #expect(again.answered.isEmpty)
        #expect(again.refused == [ids[0]: .takenBack, ids[1]: .takenBack])
        for task in asking { task.cancel() }
    }

    @Test("A proposal for a group and its confirmation are acknowledged when they are repeated")
    func twoPeople() async throws {
        let asking = await present(2, needsTwoPeople: true)
        let number = try number
        func propose() throws -> GroupAnswer {
            try inbox.proposeGroup(number, option: "drop", by: SignedInPerson("ann"), id: request)
        }
        let proposed = try propose()
        #expect(proposed.proposed.count == 2)
        #expect(try propose() == proposed)
        let proposals = Set(inbox.items().compactMap { $0.proposal?.id })
        func confirm() throws -> GroupAnswer {
            try inbox.confirmGroup(
                number, proposals, option: "drop", by: SignedInPerson("bob"), id: other)
        }
        let confirmed = try confirm()
        #expect(confirmed.answered.count == 2)
        for task in asking { #expect(await task.value.didRecover) }
        let again = try confirm()
        #expect(again.answered == confirmed.answered && again.answers == confirmed.answers)
        #expect(again.refused.isEmpty && again.notProposed == proposals)
        #expect(attempts.total == 2)
    }
}
