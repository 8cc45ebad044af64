import ErrorBus
import Foundation
import Logging

/// The store in which a console's history survives its node.
protocol HistoryStore: Sendable {
    /// The history that an earlier life of the node kept. Open presentations in it are marked as
    /// left.
    func restore(console: Int, at now: Moment) throws -> KeptHistory

    /// Stores changed items and events; durable when this returns.
    func keep(_ items: [InboxItem], _ events: [AuditHistory.Event], console: Int) async throws
}

/// The history of the earlier lives of a console's node.
struct KeptHistory: Sendable {
    /// The ended presentations, in the order of their ends.
    var records: [InboxRecord] = []
    /// The latest events, oldest first.
    var events: [AuditHistory.Event] = []
    /// The counts of the last hour, also of earlier events.
    var chart: [(at: Date, bucket: AuditHistory.Bucket)] = []
}

/// The keeper of a console's history, which writes changes to the store afterwards and in small
/// parts: an answer that is recorded meanwhile waits for one part at most.
actor HistoryKeeper {
    /// The most presentations, and the most events, in one transaction.
    private static let countMax = 200
    /// The pause after a write, in which changes gather.
    private static let pause: Duration = .milliseconds(50)
    /// The pause before a failed write is repeated.
    private static let retryPause: Duration = .seconds(1)

    private let inbox: Inbox
    private let history: AuditHistory
    private let store: any HistoryStore
    /// The console's number in its node.
    private let console: Int
    private let logger: Logger
    private var seenRevision: UInt64
    /// The number of events of this life that the store has.
    private(set) var seenEvents = 0
    /// Whether the store could not be written the last time. Such a write is repeated.
    private(set) var isFailing = false
    /// The latest write, which the next one follows.
    private var last: Task<Bool, Never>?

    /// Restores the stored history, before the first presentation arrives.
    ///
    /// - Throws: When the store cannot be read.
    init(
        _ inbox: Inbox, _ history: AuditHistory, in store: any HistoryStore, console: Int,
        logger: Logger
    ) throws {
        self.inbox = inbox
        self.history = history
        self.store = store
        self.console = console
        self.logger = logger
        let kept = try store.restore(console: console, at: .now)
        inbox.restore(kept.records)
        history.restore(kept.events, kept.chart)
        seenRevision = inbox.revision
        inbox.kept(upTo: seenRevision)
    }

    /// The number of changed presentations and of events that the store lacks.
    var unwritten: (presentations: Int, events: Int) {
        (inbox.items(changedAfter: seenRevision).count, history.total - seenEvents)
    }

    /// Writes each change until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            let (wakes, wake) = AsyncStream.makeStream(
                of: Void.self, bufferingPolicy: .bufferingNewest(1))
            group.addTask { [inbox] in for await _ in inbox.changes() { wake.yield() } }
            group.addTask { [history] in for await _ in history.additions { wake.yield() } }
            for await _ in wakes {
                let isWritten = await write()
                if !isWritten { wake.yield() }
                try? await Task.sleep(for: isWritten ? Self.pause : Self.retryPause)
            }
            group.cancelAll()
        }
    }

    /// Writes all changes up to now; false if the store cannot be written. What comes meanwhile is
    /// left to the next call: it may come as fast as it is written.
    @discardableResult
    func write() async -> Bool {
        let (revision, total) = (inbox.revision, history.total)
        let task = Task { [last] in
            _ = await last?.value
            return await write(upTo: revision, total)
        }
        last = task
        return await task.value
    }

    /// - Parameters:
    ///   - revision: That of the latest change of a presentation that is to be stored.
    ///   - total: The number of events of this life that are to be stored.
    private func write(upTo revision: UInt64, _ total: Int) async -> Bool {
        while seenRevision < revision || seenEvents < total {
            let items = inbox.items(changedAfter: seenRevision).prefix(Self.countMax)
            let (events, lostCount) = history.events(after: seenEvents, limit: Self.countMax)
            guard !items.isEmpty || !events.isEmpty else { return true }
            do {
                try await store.keep(Array(items), events, console: console)
            } catch {
                if !isFailing {
                    logger.error(
                        "journal: history not written", metadata: ["problem": "\(error)"])
                }
                isFailing = true
                return false
            }
            if lostCount > 0 {
                logger.error(
                    "journal: events are missing in the history",
                    metadata: ["count": "\(lostCount)"])
            }
            if isFailing { logger.notice("journal: history written at last") }
            isFailing = false
            // The latest change may have been one of an item that is gone.
            seenRevision = items.last?.revision ?? max(seenRevision, revision)
            inbox.kept(upTo: seenRevision)
            seenEvents += lostCount + events.count
        }
        return true
    }
}
