import ErrorBusTesting
import Foundation
import Synchronization
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// A keeper of a history that forgot events before they were written.
struct HistoryKeeperLossTests {
    @Test("After a loss each event that is left is written once, and the loss is logged")
    func writtenOnce() async throws {
        let store = KeptEvents()
        let history = AuditHistory()
        let log = RecordedLog()
        let keeper = try HistoryKeeper(
            Inbox("console"), history, in: store, console: 0, logger: log.logger)
        let count = ConsoleLimits.auditEventMax + 200
        for number in 0..<count { history.record(.decided(.make(), "\(number)", by: "ann")) }
        #expect(await keeper.write())
        #expect(store.options.withLock { $0 } == (200..<count).map(String.init))
        #expect(await keeper.unwritten.events == 0)
        #expect(
            log.lines.elements.filter { $0.contains("missing") } == [
                "error journal: events are missing in the history count=200"
            ])
    }

    @Test("What comes while the store is written is left to the next time")
    func leftOver() async throws {
        let history = AuditHistory()
        let store = KeptEvents { number in
            // As a flood does; it has an end, so that a keeper that follows it is found out.
            if number < 10 { history.record(.decided(.make(), "\(number)", by: "ann")) }
        }
        let keeper = try HistoryKeeper(
            Inbox("console"), history, in: store, console: 0, logger: .silent)
        history.record(.decided(.make(), "0", by: "ann"))
        for count in 1...2 {
            #expect(await keeper.write())
            #expect(store.options.withLock(\.count) == count)
            #expect(await keeper.unwritten.events == 1)
        }
    }
}

/// A store that has only the options of the events.
private final class KeptEvents: HistoryStore {
    let options = Mutex<[String]>([])
    /// Called after each write, with the number of the options.
    private let kept: @Sendable (Int) -> Void

    init(kept: @escaping @Sendable (Int) -> Void = { _ in }) { self.kept = kept }

    func restore(console: Int, at now: Moment) throws -> KeptHistory { KeptHistory() }

    func keep(
        _ items: [InboxItem], _ events: [AuditHistory.Event], console: Int
    ) async throws {
        let count = options.withLock { options in
            options += events.compactMap { $0.fields["option"] }
            return options.count
        }
        kept(count)
    }
}
