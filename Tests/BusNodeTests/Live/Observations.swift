import Synchronization

/// Counts what happened, from anywhere.
final class Observations: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func add() { number.withLock { $0 += 1 } }
}
