import ErrorBusTesting
import Foundation
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Options that need two people: what one proposes and another confirms.
struct InboxProposalTests {
    private var machine = InboxMachine(limits: InboxLimits())
    private let now = ManualTime().now
    private let ann = SignedInPerson("ann")
    private let bob = SignedInPerson("bob")

    private func id(_ number: UInt64) -> PresentationID { PresentationID(number) }
    private func key(_ number: UInt64) -> UniqueID { PresentationID(1_000 + number).value }

    private func presentation(_ number: UInt64 = 1, title: String = "Drop") -> InboxPresentation {
        var drop = ErrorReport.Option(id: "drop", title: title, role: .destructive)
        drop.needsTwoPeople = true
        var purge = ErrorReport.Option(id: "purge", title: "Purge")
        purge.needsTwoPeople = true
        let report = ErrorReport(
            domain: "d", description: "full",
            options: [drop, purge, .init(id: "retry", title: "Retry")])
        return InboxPresentation(id: id(number), report: report, origin: "w")
    }

    private mutating func open(_ number: UInt64 = 1) {
        #expect(machine.opened(presentation(number), at: now) != nil)
    }

    @discardableResult
    private mutating func propose(
        _ option: String = "drop", by person: SignedInPerson, _ number: UInt64 = 1,
        at time: Moment? = nil
    ) throws(InboxRefusal) -> InboxProposal {
        try machine.propose(
            id(1), option: option, by: person, as: key(number), at: time ?? now)
    }

    @discardableResult
    private mutating func confirm(
        _ proposal: UniqueID, _ option: String = "drop", by person: SignedInPerson,
        undo: Duration = .zero, at time: Moment? = nil
    ) throws(InboxRefusal) -> InboxDecision {
        try machine.confirm(
            id(1), proposal, option: option, by: person, as: key(9), undo: undo, at: time ?? now)
    }

    @Test("A41 the values of a proposal are bound: the second person confirms them as they are")
    mutating func values() throws {
        var move = ErrorReport.Option(id: "move", title: "Move")
        move.needsTwoPeople = true
        move.fields = [
            .text("path", label: "Path"), .secret("pin", label: "PIN"),
            .number("n", label: "N", default: 3),
        ]
        let report = ErrorReport(domain: "d", description: "full", options: [move])
        #expect(
            machine.opened(InboxPresentation(id: id(1), report: report, origin: "w"), at: now)
                != nil)
        let bad = #expect(throws: InboxRefusal.self) {
            try machine.propose(
                id(1), option: "move", ["path": "/a"], by: ann, as: key(1), at: now)
        }
        guard case .badValue("move", let fault) = bad, fault.field == "pin" else {
            Issue.record("found \(String(describing: bad))")
            return
        }
        let given: [String: JSONValue] = ["path": "/a", "pin": "hunter2"]
        let made = try machine.propose(
            id(1), option: "move", given, by: ann, as: key(1), at: now)
        #expect(made.values.values == ["path": "/a", "n": 3])
        #expect(made.values.secrets == ["pin": "hunter2"])
        // The same again is acknowledged; with other values it is another proposal.
        #expect(
            try machine.propose(id(1), option: "move", given, by: ann, as: key(1), at: now) == made)
        #expect(throws: InboxRefusal.proposed(made)) {
            try machine.propose(
                id(1), option: "move", ["path": "/b", "pin": "hunter2"], by: ann, as: key(1),
                at: now)
        }
        guard
            case .send(let answer) = try machine.confirm(
                id(1), made.id, option: "move", by: bob, as: key(9), undo: .zero, at: now)
        else {
            Issue.record("nothing was sent")
            return
        }
        #expect(answer.given == made.values && answer.isOfTwoPeople)
        #expect(
            try machine.confirm(
                id(1), made.id, option: "move", by: bob, as: key(9), undo: .zero, at: now)
                == .acknowledged(answer.withoutSecrets))
    }

    @Test("One person alone cannot choose it, whatever name is given")
    mutating func alone() {
        open()
        for (via, by) in [(Answer.Via.person, "ann"), (.policy, "silence 1 (ann)")] {
            #expect(throws: InboxRefusal.needsTwoPeople(option: "drop")) {
                try machine.answer(
                    id(1), with: Answer(option: "drop", by: by, via: via, second: "bob"),
                    undo: .zero, at: now)
            }
        }
        #expect(machine.openCount == 1)
    }

    @Test("What one proposes another confirms; it stays open until then")
    mutating func confirmed() throws {
        open()
        let proposal = try propose(by: ann)
        #expect(machine.items[id(1)]?.proposal == proposal && machine.openCount == 1)
        guard case .send(let answer) = try confirm(proposal.id, by: bob) else {
            Issue.record("not sent")
            return
        }
        #expect(answer.option == "drop" && answer.by == "ann" && answer.second == "bob")
        #expect(answer.isOfTwoPeople && answer.authors == "ann and bob")
        #expect(try confirm(proposal.id, by: bob) == .acknowledged(answer))
        #expect(throws: InboxRefusal.otherAnswer(by: "ann and bob")) {
            try confirm(proposal.id, by: SignedInPerson("eve"))
        }
        #expect(machine.items[id(1)]?.proposal == nil && machine.openCount == 0)
    }

    @Test("The person who proposed it cannot confirm it")
    mutating func same() throws {
        open()
        let proposal = try propose(by: ann)
        #expect(throws: InboxRefusal.samePerson("ann")) { try confirm(proposal.id, by: ann) }
        #expect(throws: InboxRefusal.proposed(proposal)) { try propose(by: ann, 2) }
        #expect(try propose(by: ann) == proposal)
        #expect(machine.openCount == 1)
    }

    @Test("A person who has another name now is no second person, also after a restart")
    mutating func renamed() throws {
        let former = SignedInPerson("ann@a.example", identity: "1")
        let renamed = SignedInPerson("ann@b.example", identity: "1")
        open()
        let proposal = try propose(by: former)
        #expect(proposal.by == "ann@a.example" && proposal.identity == "1")
        #expect(throws: InboxRefusal.samePerson("ann@a.example")) {
            try confirm(proposal.id, by: renamed)
        }
        let item = try #require(machine.items[id(1)])
        machine = InboxMachine(limits: InboxLimits())
        machine.restored(
            [
                InboxRecord(
                    presentation(), openedAt: now, changedAt: now, stage: item.stage,
                    proposal: item.proposal)
            ], at: now)
        open()
        // By a token the name is all that is known; it is still the same one.
        for person in [renamed, SignedInPerson("ann@a.example"), former] {
            #expect(throws: InboxRefusal.samePerson("ann@a.example")) {
                try confirm(proposal.id, by: person)
            }
        }
        guard
            case .send(let answer) = try confirm(
                proposal.id, by: SignedInPerson("ann@c.example", identity: "2"))
        else {
            Issue.record("not sent")
            return
        }
        #expect(answer.by == "ann@a.example" && answer.second == "ann@c.example")
    }

    @Test("The claim of the person who proposed it is theirs under another name, too")
    mutating func renamedClaim() throws {
        open()
        _ = try machine.claim(
            id(1), by: "ann@b.example", of: "1", for: .seconds(60), takesOver: false, at: now)
        let proposal = try propose(by: SignedInPerson("ann@a.example", identity: "1"))
        guard case .hold(let answer, _) = try confirm(proposal.id, by: bob, undo: .seconds(5))
        else {
            Issue.record("not held")
            return
        }
        #expect(answer.by == "ann@a.example")
        try machine.undo(id(1), at: now)
        #expect(machine.items[id(1)]?.holder == "1")
    }

    @Test("Choosing it again is no confirmation: that names the proposal that was seen")
    mutating func explicit() throws {
        open()
        let proposal = try propose(by: ann)
        #expect(throws: InboxRefusal.proposed(proposal)) { try propose(by: bob, 2) }
        #expect(throws: InboxRefusal.noProposal) { try confirm(key(5), by: bob) }
        #expect(throws: InboxRefusal.noProposal) { try confirm(proposal.id, "purge", by: bob) }
        #expect(throws: InboxRefusal.noProposal) { try confirm(proposal.id, "retry", by: bob) }
        #expect(throws: InboxRefusal.proposed(proposal)) { try propose("purge", by: bob, 3) }
        #expect(machine.openCount == 1)
    }

    @Test("The request of a proposal proposes no other option")
    mutating func otherOptionOfRequest() throws {
        open()
        let proposal = try propose(by: ann)
        #expect(throws: InboxRefusal.proposed(proposal)) { try propose("purge", by: ann) }
        #expect(machine.items[id(1)]?.proposal == proposal)
    }

    @Test("A withdrawn or declined proposal counts no more, and its repetition proposes nothing")
    mutating func declined() throws {
        open()
        let proposal = try propose(by: ann)
        #expect(try machine.decline(id(1), at: now) == proposal)
        #expect(throws: InboxRefusal.noProposal) { try machine.decline(id(1), at: now) }
        #expect(throws: InboxRefusal.noProposal) { try confirm(proposal.id, by: bob) }
        #expect(throws: InboxRefusal.takenBack) { try propose(by: ann) }
        let next = try propose(by: bob, 2)
        #expect(throws: InboxRefusal.noProposal) { try confirm(proposal.id, by: ann) }
        try confirm(next.id, by: ann)
        #expect(machine.openCount == 0)
    }

    @Test("An ordinary option answers it all the same, and drops the proposal")
    mutating func otherOption() throws {
        open()
        let proposal = try propose(by: ann)
        let retry = Answer(option: "retry", by: "bob", via: .person)
        #expect(
            try machine.answer(id(1), with: retry, undo: .seconds(5), at: now)
                == .hold(retry, until: now + .seconds(5)))
        #expect(machine.items[id(1)]?.proposal == nil)
        try machine.undo(id(1), at: now)
        #expect(throws: InboxRefusal.noProposal) { try confirm(proposal.id, by: bob) }
        #expect(throws: InboxRefusal.takenBack) { try propose(by: ann) }
    }

    @Test("A proposal ends with its time, and with the deadline if that is earlier")
    mutating func time() throws {
        open()
        let proposal = try propose(by: ann)
        #expect(proposal.until == now + .seconds(3_600))
        #expect(try machine.item(id(1), at: proposal.until).proposal == nil)
        #expect(throws: InboxRefusal.noProposal) {
            try confirm(proposal.id, by: bob, at: proposal.until)
        }
        try propose(by: bob, 2, at: proposal.until)
        var short = presentation(2)
        short.deadline = now.instant + .seconds(60)
        _ = machine.opened(short, at: now)
        let soon = try machine.propose(id(2), option: "drop", by: ann, as: key(3), at: now)
        #expect(soon.until == now + .seconds(60))
    }

    @Test("The claim of the proposer is not in the way of the second person; another's is")
    mutating func claims() throws {
        open()
        let proposal = try propose(by: ann)
        let until = now + .seconds(60)
        _ = try machine.claim(id(1), by: "zoe", for: .seconds(60), takesOver: false, at: now)
        #expect(throws: InboxRefusal.claimed(by: "zoe", until: until)) {
            try confirm(proposal.id, by: bob)
        }
        _ = try machine.claim(id(1), by: "ann", for: .seconds(60), takesOver: true, at: now)
        #expect(machine.items[id(1)]?.proposal == proposal)
        try confirm(proposal.id, by: bob)
        #expect(machine.openCount == 0)
    }

    @Test("The answer of two can be undone as every answer; then it has to be proposed again")
    mutating func undone() throws {
        open()
        let proposal = try propose(by: ann)
        try confirm(proposal.id, by: bob, undo: .seconds(5))
        try machine.undo(id(1), at: now)
        #expect(machine.openCount == 1)
        #expect(throws: InboxRefusal.takenBack) { try confirm(proposal.id, by: bob) }
        #expect(machine.items[id(1)]?.proposal == nil)
    }

    @Test("A proposal stays when the same report is presented again, and goes with another one")
    mutating func presentedAgain() throws {
        open()
        let proposal = try propose(by: ann)
        open()
        #expect(machine.items[id(1)]?.proposal?.id == proposal.id)
        _ = machine.opened(presentation(title: "Try again"), at: now)
        #expect(throws: InboxRefusal.noProposal) { try confirm(proposal.id, by: bob) }
        // Its repetition comes late.
        #expect(throws: InboxRefusal.takenBack) { try propose(by: ann) }
        #expect(machine.items[id(1)]?.proposal == nil)
    }

    @Test("A proposal under the request of a forgotten one is another proposal")
    mutating func requestAgain() throws {
        open()
        let seen = try propose(by: ann)
        _ = try machine.decline(id(1), at: now)
        for number in UInt64(100)..<200 {
            try propose(by: ann, number)
            _ = try machine.decline(id(1), at: now)
        }
        let later = try propose(by: ann)
        #expect(later.request == seen.request && later.id != seen.id)
        #expect(throws: InboxRefusal.noProposal) { try confirm(seen.id, by: bob) }
        try confirm(later.id, by: bob)
    }

    @Test("A proposal outlives its node, for the same report")
    mutating func restored() throws {
        let proposal = InboxProposal(
            id: key(1), request: key(2), option: "drop", by: "ann", since: now,
            until: now + .seconds(60), report: Sodium.sha256(presentation().report.payload()))
        func record(_ presentation: InboxPresentation) -> InboxRecord {
            InboxRecord(
                presentation, openedAt: now, changedAt: now, stage: .open, proposal: proposal)
        }
        machine.restored([record(presentation(1)), record(presentation(2))], at: now)
        open()
        _ = machine.opened(presentation(2, title: "Try again"), at: now)
        #expect(machine.items[id(1)]?.proposal?.id == proposal.id)
        #expect(machine.items[id(2)]?.proposal == nil)
        #expect(machine.items[id(2)]?.takenBack == [proposal.request])
        try confirm(proposal.id, by: bob)
    }

    @Test("Restarts do not lengthen the list of what was taken back past its limit")
    mutating func takenBackLimit() throws {
        let former = (UInt64(1)...32).map(key)
        var record = InboxRecord(
            presentation(), openedAt: now, changedAt: now, stage: .open, takenBack: former)
        record.proposal = InboxProposal(
            id: key(90), request: key(91),
            option: "drop", by: "ann", since: now, until: now + .seconds(60), report: [1])
        machine.restored([record], at: now)
        open()
        let takenBack = try #require(machine.items[id(1)]?.takenBack)
        #expect(takenBack == former.dropFirst() + [key(91)])
    }

    @Test("What waits for a second person is not neglected")
    mutating func neglect() throws {
        open()
        let proposal = try propose(by: ann)
        let later = now + .seconds(600)
        #expect(machine.neglect(of: id(1), after: .seconds(60), at: later) != .neglected)
        #expect(
            machine.neglect(of: id(1), after: .seconds(60), at: proposal.until) == .neglected)
    }

    @Test("A group: what others proposed is confirmed if it was named, or proposed for the rest")
    func group() async throws {
        let inbox = Inbox("console")
        let chain = PresentingResponder(
            "central", presenters: [inbox], audit: inbox, logger: .silent)
        let attempts = Attempts()
        let error = SampleError().recoverable {
            RecoveryOption("Drop", id: "drop", needsTwoPeople: true) { attempts.run() }
        }
        async let first = chain.presentError(error)
        async let second = chain.presentError(error)
        for await _ in inbox.changes() where inbox.openCount == 2 { break }
        let number = try #require(inbox.groups.first).number
        let ids = inbox.items().map(\.id)
        let anns = try inbox.propose(ids[0], option: "drop", by: ann).id
        func confirm(
            _ person: SignedInPerson, _ proposals: Set<UniqueID>
        ) throws -> GroupAnswer {
            try inbox.confirmGroup(number, proposals, option: "drop", by: person)
        }
        let proposed = try inbox.proposeGroup(number, option: "drop", by: bob)
        #expect(proposed.answered.isEmpty && proposed.proposed == [ids[1]])
        #expect(proposed.refused.keys.map(\.self) == [ids[0]])
        let bobs = try #require(try inbox.item(ids[1]).proposal)
        #expect(try confirm(ann, [anns]).refused[ids[1]] == .otherProposal(bobs))
        let confirmed = try confirm(bob, [anns, bobs.id])
        #expect(confirmed.answered == [ids[0]])
        // What bob proposed a moment ago he does not confirm.
        #expect(confirmed.refused == [ids[1]: .samePerson(bob.name)])
        #expect(try confirm(ann, [bobs.id]).answered == [ids[1]])
        let outcomes = await [first, second]
        #expect(outcomes.allSatisfy(\.didRecover) && attempts.total == 2)
        let people = outcomes.compactMap { $0.answer.map { [$0.by, $0.second ?? ""].sorted() } }
        #expect(people == [["ann", "bob"], ["ann", "bob"]])
    }
}
