import Synchronization

/// The readiness of a node: it is ready once each part that has an address listens there.
final class Readiness: Sendable {
    private let missing: Atomic<Int>
    private let ready: @Sendable () -> Void

    /// - Parameters:
    ///   - count: The number of parts that listen.
    ///   - ready: The closure to call, once; must not wait.
    init(of count: Int, ready: @escaping @Sendable () -> Void) {
        missing = Atomic(count)
        self.ready = ready
    }

    /// A part listens.
    func listens() {
        if missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { ready() }
    }
}
