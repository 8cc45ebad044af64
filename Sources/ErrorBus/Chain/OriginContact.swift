import Synchronization

/// Whether the origin can be reached, as far as this node knows. While it cannot, the question
/// stays open for a time and its answer is kept; the prompt says so.
public final class OriginContact: Sendable {
    private struct State {
        var isReachable: Bool
        var observers: [@Sendable (Bool) -> Void] = []
    }

    @TaskLocal static var current: OriginContact?

    private let state: Mutex<State>

    init(isReachable: Bool) { state = Mutex(State(isReachable: isReachable)) }

    public var isReachable: Bool { state.withLock(\.isReachable) }

    /// Tells of every change from now on. From any thread; must not wait.
    public func onChange(_ observer: @escaping @Sendable (_ isReachable: Bool) -> Void) {
        state.withLock { $0.observers.append(observer) }
    }

    func set(_ isReachable: Bool) {
        let observers = state.withLock { state in
            guard state.isReachable != isReachable else { return [@Sendable (Bool) -> Void]() }
            state.isReachable = isReachable
            return state.observers
        }
        for observer in observers { observer(isReachable) }
    }
}
