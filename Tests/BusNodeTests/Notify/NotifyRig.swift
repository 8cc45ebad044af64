import ErrorBusTesting
import Foundation

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Hooks beside an inbox, at a time that the test moves.
struct NotifyRig {
    let time = ManualTime()
    var machine: NotifyMachine
    private var inbox = InboxMachine(limits: InboxLimits())
    private var lastID: UInt64 = 0

    init(_ hooks: [HookSettings], limits: NotifyLimits = NotifyLimits()) {
        machine = NotifyMachine(hooks, limits: limits, life: "test")
        inbox.changes = []
    }

    static func hook(
        _ name: NodeName = "hook", on events: Set<HookSettings.Event> = [.opened],
        digest: Duration = .seconds(5), _ change: (inout HookSettings) -> Void = { _ in }
    ) -> HookSettings {
        var hook = HookSettings(
            name: name, url: HookURL(host: "127.0.0.1", port: 9_000, path: "/secret"))
        hook.events = events
        hook.digest = digest
        if events.contains(.aging) { hook.after = .seconds(300) }
        change(&hook)
        return hook
    }

    static func report(_ description: String = "broken", code: Int = 1) -> ErrorReport {
        ErrorReport(
            domain: "d", code: code, description: description,
            options: [.init(id: "retry", title: "Retry"), .init(id: "cancel", title: "Cancel")])
    }

    // MARK: What people and programs do

    @discardableResult
    mutating func open(
        _ report: ErrorReport = report(), origin: NodeName = "worker", deadline: Duration? = nil
    ) -> PresentationID {
        lastID += 1
        let id = PresentationID(UniqueID(high: 1, low: lastID))
        var presentation = InboxPresentation(id: id, report: report, origin: origin)
        presentation.deadline = deadline.map { time.now.instant + $0 }
        _ = inbox.opened(presentation, at: time.now)
        pass()
        return id
    }

    mutating func act<Value>(
        _ body: (inout InboxMachine, Moment) throws(InboxRefusal) -> Value
    ) throws(InboxRefusal) -> Value {
        let value = try body(&inbox, time.now)
        pass()
        return value
    }

    mutating func answer(
        _ id: PresentationID, _ option: String = "retry", by person: String = "ann",
        undo: Duration = .zero
    ) throws(InboxRefusal) {
        let answer = Answer(
            id: UniqueID(high: 2, low: lastID), option: option, by: person, via: .person)
        _ = try act { inbox, now throws(InboxRefusal) in
            try inbox.answer(id, with: answer, undo: undo, at: now)
        }
    }

    mutating func settle(_ id: PresentationID, _ result: RecoveryResult) throws(InboxRefusal) {
        _ = try act { inbox, now throws(InboxRefusal) in
            guard let answer = try inbox.item(id, at: now).answer else { return }
            inbox.settled(id, answer.id, result, at: now)
        }
    }

    var openItems: [InboxItem] { inbox.items(changedAfter: 0, at: time.now) }

    private mutating func pass() {
        for change in inbox.changes ?? [] { machine.changed(change, at: time.now) }
        inbox.changes = []
    }

    // MARK: Time

    /// Does what is due within `duration`, each message at its time. Returns what was delivered.
    ///
    /// - Parameter receive: Why the receiver refuses a message; nil: it does not.
    @discardableResult
    mutating func pass(
        _ duration: Duration, receive: (NotifyMessage) -> String? = { _ in nil }
    ) -> [NotifyMessage] {
        let end = time.now.instant + duration
        var delivered: [NotifyMessage] = []
        while true {
            while case let deliveries = machine.step(at: time.now), !deliveries.isEmpty {
                for delivery in deliveries {
                    let problem = receive(delivery.message)
                    machine.tried(delivery.hook, problem, at: time.now)
                    if problem == nil { delivered.append(delivery.message) }
                }
            }
            guard let next = machine.nextStep, next <= end else {
                time.advance(by: max(.zero, time.now.instant.duration(to: end)))
                return delivered
            }
            time.advance(by: max(.zero, time.now.instant.duration(to: next)))
        }
    }
}

extension NotifyMessage {
    /// What happened, and to how many.
    var outline: String {
        guard case .notice(let notice) = content else { return "\(event) \(count)" }
        return "\(event) \(count) \(notice.first.description)"
    }
}
