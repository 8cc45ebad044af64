import Synchronization

/// The results that wait to be written, and their retries.
final class UnwrittenResults: Sendable {
    let max: Int
    /// The pauses 1, 2, 4 .. 60 s, for a day in all.
    static var pauses: some Sequence<Duration> & Sendable {
        (0..<1_445).lazy.map { .seconds(Swift.min(60, 1 << Swift.min($0, 6))) }
    }

    private let count = Atomic(0)

    init(max: Int) { self.max = max }

    /// Takes a place; false when the limit is reached.
    func enter() -> Bool {
        guard count.add(1, ordering: .relaxed).newValue > max else { return true }
        leave()
        return false
    }

    func leave() { count.subtract(1, ordering: .relaxed) }
}
