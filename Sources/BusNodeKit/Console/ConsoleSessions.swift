import DequeModule
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

    static func newLabel() -> Label { String(ConsoleToken.generated().text.prefix(16)) }

    /// - Parameter user: The name of the user; nil if people share one token.
    func end(_ label: Label, of user: String?) {
        ended.withLock { ended in
            guard ended.labels.insert(label).inserted else { return }
            var order = ended.orders.removeValue(forKey: user) ?? []
            order.append(label)
            if order.count > Self.endedCountMax { ended.labels.remove(order.removeFirst()) }
            ended.orders[user] = order
        }
    }

    /// Whether a sign-in goes on; also true of a client that shows its token in each request.
    func has(_ label: Label?) -> Bool {
        label.map { label in ended.withLock { !$0.labels.contains(label) } } ?? true
    }
}
