import DequeModule
import Logging
import Synchronization

/// The sign-ins that browsers have ended by signing out: the console no longer accepts their
/// cookies.
final class ConsoleSessions: Sendable {
    /// The label of a sign-in, which its cookie has beside the token.
    typealias Label = String

    /// The most ended sign-ins of one user of the file that are remembered; that user's oldest are
    /// forgotten. Of people who share one token they count together.
    static let endedCountMax = 1_000

    private struct Ended {
        var labels: Set<Label> = []
        var orders: [String?: Deque<Label>] = [:]
    }

    private let ended = Mutex(Ended())
    private let store = Mutex<JournalSignOuts?>(nil)

    static func newLabel() -> Label { String(ConsoleToken.generated().text.prefix(16)) }

    /// Keeps ended sign-ins in the node's journal, and restores those of its earlier lives.
    func keep(in store: JournalSignOuts) throws {
        for row in try store.signOuts() { end(row.label, of: row.user) }
        self.store.withLock { $0 = store }
    }

    /// Ends a sign-in for the rest of this life of the node.
    ///
    /// - Parameter user: The name of the user; nil if people share one token.
    /// - Returns: Whether it went on.
    @discardableResult
    func end(_ label: Label, of user: String?) -> Bool {
        ended.withLock { ended in
            guard ended.labels.insert(label).inserted else { return false }
            var order = ended.orders.removeValue(forKey: user) ?? []
            order.append(label)
            if order.count > Self.endedCountMax { ended.labels.remove(order.removeFirst()) }
            ended.orders[user] = order
            return true
        }
    }

    /// Ends a sign-in, also for later lives of a node with a journal.
    func endForGood(_ label: Label, of user: String?) async {
        guard end(label, of: user), let store = store.withLock(\.self) else { return }
        do {
            try await store.keep(label, of: user)
        } catch {
            store.journal.logger.warning(
                "journal: sign-out not written; after a restart its cookie counts again",
                metadata: ["problem": "\(error)"])
        }
    }

    /// Whether a sign-in goes on; also true of a client that shows its token in each request.
    func has(_ label: Label?) -> Bool {
        label.map { label in ended.withLock { !$0.labels.contains(label) } } ?? true
    }
}
