import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What lists show of a claim that ran out.
struct InboxClaimEndTests {
    private var machine = InboxMachine(limits: InboxLimits())
    private let now = ManualTime().now
    private let id = PresentationID(1)

    /// The stage of the only presentation in each list, and in each group.
    private func stages(at time: Moment) -> [InboxItem.Stage] {
        let update = machine.update(after: 0, .all, upTo: 9, at: time)
        let groups = update.groups + machine.openGroups(at: time)
        let items = update.items + machine.items(changedAfter: 0, at: time) + groups.map(\.first)
        return items.map(\.stage)
    }

    @Test("From the end of a claim on every list and group shows the presentation as open")
    mutating func everywhere() throws {
        let report = ErrorReport(
            domain: "d", description: "broken", options: [.init(id: "retry", title: "Retry")])
        _ = machine.opened(InboxPresentation(id: id, report: report), at: now)
        let until = try machine.claim(
            id, by: "ann", for: .seconds(10), takesOver: false, at: now)
        let claimed = InboxItem.Stage.claimed(by: "ann", until: until)
        #expect(stages(at: now + .seconds(9)) == Array(repeating: claimed, count: 4))
        let open = InboxItem.Stage.open
        #expect(stages(at: now + .seconds(10)) == Array(repeating: open, count: 4))
    }

    @Test("The release of a claim that ran out does not report the claim again")
    func releasedLate() async throws {
        let inbox = Inbox("console")
        let states = Recorder<PresentationState>()
        let context = PresentationContext(id: id, stateChanged: { states.record($0) })
        let prompt = Prompt(SampleError(), in: context)
        let presenting = Task { try await inbox.present(prompt) }
        _ = try await states.next()
        try inbox.claim(id, by: "ann", for: .zero)
        for _ in 0..<2 { _ = try await states.next() }
        #expect(try !inbox.release(id, by: "ann"))
        try inbox.claim(id, by: "bob")
        let presented = PresentationState(.presented, by: "console")
        let claims = ["ann", "bob"].map { PresentationState(.claimed, by: $0) }
        #expect(states.elements == [presented, claims[0], presented, claims[1]])
        presenting.cancel()
    }
}
