import DequeModule
import Synchronization

/// The sign-ins that browsers have ended by signing out: the console no longer accepts their
/// cookies.
final class ConsoleSessions: Sendable {
    /// The label of a sign-in, which its cookie has beside the token.
    typealias Label = String

    /// The most ended sign-ins that are remembered; the oldest are forgotten.
    static let endedCountMax = 1_000

    private let ended = Mutex<(labels: Set<Label>, order: Deque<Label>)>(([], []))

    static func newLabel() -> Label { String(ConsoleToken.generated().text.prefix(16)) }

    func end(_ label: Label) {
        ended.withLock { ended in
            guard ended.labels.insert(label).inserted else { return }
            ended.order.append(label)
            if ended.order.count > Self.endedCountMax {
                ended.labels.remove(ended.order.removeFirst())
            }
        }
    }

    /// Whether a sign-in goes on; also true of a client that shows its token in each request.
    func has(_ label: Label?) -> Bool {
        label.map { label in ended.withLock { !$0.labels.contains(label) } } ?? true
    }
}
