import Synchronization

/// Counts the attempts of one origin.
final class Attempts: Sendable {
    private let count = Mutex(0)
    private let succeeds: Bool

    init(succeeds: Bool = true) { self.succeeds = succeeds }

    var total: Int { count.withLock { $0 } }

    func run() -> Bool {
        count.withLock { $0 += 1 }
        return succeeds
    }
}
