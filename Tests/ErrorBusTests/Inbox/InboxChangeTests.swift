import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What a watcher of an inbox gets of a presentation that is presented again.
struct InboxChangeTests {
    private var machine = InboxMachine(limits: InboxLimits())
    private let now = ManualTime().now
    private let id = PresentationID(1)

    init() { machine.changes = [] }

    private mutating func open() {
        let report = ErrorReport(
            domain: "d", description: "broken", options: [.init(id: "retry", title: "Retry")])
        #expect(machine.opened(InboxPresentation(id: id, report: report), at: now) != nil)
    }

    @Test("What returns after its end is new")
    mutating func returned() {
        open()
        machine.closed(id, .withdrawn, at: now)
        open()
        let changes = machine.takeChanges()
        let before: [InboxItem.Stage?] = [nil, .open, nil]
        #expect(changes.map(\.before) == before)
        #expect(changes.map(\.item.stage) == [.open, .closed(.withdrawn), .open])
    }

    @Test("What is presented again while it is claimed was claimed before, and is not new")
    mutating func presentedAgain() throws {
        open()
        let until = try machine.claim(
            id, by: "ann", for: .seconds(60), takesOver: false, at: now)
        open()
        let changes = machine.takeChanges()
        let claimed = InboxItem.Stage.claimed(by: "ann", until: until)
        let before: [InboxItem.Stage?] = [nil, .open, claimed]
        #expect(changes.map(\.before) == before)
        #expect(changes.map(\.item.stage) == [.open, claimed, claimed])
    }
}
