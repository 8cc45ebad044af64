import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Claims that are handed to another person.
struct InboxHandOverTests {
    private var machine = InboxMachine(limits: InboxLimits())
    private let now = ManualTime().now
    private let id = PresentationID(1)

    init() {
        let report = ErrorReport(
            domain: "d", description: "broken", options: [.init(id: "retry", title: "Retry")])
        _ = machine.opened(InboxPresentation(id: id, report: report), at: now)
    }

    private func answer(by person: String) -> Answer {
        Answer(id: PresentationID(9).value, option: "retry", by: person, via: .person)
    }

    @Test("A claim that is handed over keeps its former holder off, under every name")
    mutating func handedOver() throws {
        _ = try machine.claim(
            id, by: "ann", of: "1", for: .seconds(60), takesOver: false, at: now)
        let until = try machine.claim(
            id, by: "ann", of: "1", for: .seconds(30), takesOver: false, to: "bob", at: now)
        #expect(until == now + .seconds(30))
        #expect(try machine.item(id, at: now).stage == .claimed(by: "bob", until: until))
        let refusal = InboxRefusal.claimed(by: "bob", until: until)
        #expect(throws: refusal) {
            try machine.answer(id, with: answer(by: "ann"), of: "1", undo: .zero, at: now)
        }
        #expect(throws: refusal) { try machine.release(id, by: "anna", of: "1", at: now) }
        let own = answer(by: "bob")
        #expect(try machine.answer(id, with: own, undo: .zero, at: now) == .send(own))
    }

    @Test("Another person's claim is handed over only where it is taken over")
    mutating func ofAnother() throws {
        let until = try machine.claim(
            id, by: "ann", for: .seconds(60), takesOver: false, at: now)
        #expect(throws: InboxRefusal.claimed(by: "ann", until: until)) {
            try machine.claim(
                id, by: "zoe", for: .seconds(60), takesOver: false, to: "bob", at: now)
        }
        _ = try machine.claim(
            id, by: "zoe", for: .seconds(60), takesOver: true, to: "bob", at: now)
        #expect(try machine.item(id, at: now).stage == .claimed(by: "bob", until: until))
    }

    @Test("A claim that is handed to its own holder is prolonged, and stays the same person's")
    mutating func toOneself() throws {
        _ = try machine.claim(
            id, by: "ann", of: "1", for: .seconds(60), takesOver: false, to: "ann", at: now)
        // Under another name: the same person.
        let own = answer(by: "anna")
        #expect(try machine.answer(id, with: own, of: "1", undo: .zero, at: now) == .send(own))
    }

    @Test("The claims of a group are handed over together, and the waiting sides hear to whom")
    func group() async throws {
        let inbox = Inbox("console")
        let states = Recorder<PresentationState>()
        let asking = (0..<2).map { _ in
            let context = PresentationContext(
                id: .make(), stateChanged: { states.record($0) })
            let report = ErrorReport(
                domain: "d", description: "broken", options: [.init(id: "retry", title: "Retry")])
            let prompt = Prompt(Failure(report: report), in: context)
            return Task { _ = try await inbox.present(prompt) }
        }
        for _ in asking { _ = try await states.next() }
        let group = try #require(inbox.groups.first)
        #expect(try inbox.claimGroup(group.number, by: "ann", to: "bob").changed == group.members)
        try inbox.claim(group.members[0], by: "bob", to: "cid")
        let presented = PresentationState(.presented, by: "console")
        let bob = PresentationState(.claimed, by: "bob")
        let cid = PresentationState(.claimed, by: "cid")
        #expect(states.elements == [presented, presented, bob, bob, cid])
        for task in asking { task.cancel() }
    }

    @Test("Each state is reported with its change, so that none overtakes an earlier one")
    func order() async throws {
        let inbox = Inbox("console")
        let events = Recorder<String>()
        inbox.watch { _ in events.record("change") }
        let id = PresentationID.make()
        let context = PresentationContext(
            id: id, stateChanged: { events.record($0.station.rawValue) })
        let report = ErrorReport(
            domain: "d", description: "broken", options: [.init(id: "retry", title: "Retry")])
        let prompt = Prompt(Failure(report: report), in: context)
        let asking = Task { _ = try await inbox.present(prompt) }
        for _ in 0..<2 { _ = try await events.next() }
        try inbox.claim(id, by: "ann")
        try inbox.release(id, by: "ann")
        // No other task can act between a change and the report of its state.
        #expect(
            events.elements == ["presented", "change", "claimed", "change", "presented", "change"])
        asking.cancel()
    }

    private struct Failure: ReportableError {
        let report: ErrorReport
    }
}
