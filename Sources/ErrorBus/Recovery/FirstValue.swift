import Synchronization

/// A value that the first to offer decides, and that any number may offer.
final class FirstValue<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case awaited(CheckedContinuation<Value, Never>)
        case decided(Value)
    }

    private let state = Mutex(State.empty)

    /// Decides the value unless it was decided before; returns whether this offer was the first.
    @discardableResult
    func offer(_ value: Value) -> Bool {
        let (isFirst, continuation) = state.withLock { state in
            switch state {
            case .empty:
                state = .decided(value)
                return (true, CheckedContinuation<Value, Never>?.none)
            case .awaited(let continuation):
                state = .decided(value)
                return (true, continuation)
            case .decided:
                return (false, nil)
            }
        }
        continuation?.resume(returning: value)
        return isFirst
    }

    /// The value, once there is one. One waiter at a time: there is one caller.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let decided: Value? = state.withLock { state in
                    switch state {
                    case .empty:
                        state = .awaited(continuation)
                        return nil
                    case .awaited:
                        preconditionFailure("a second waiter for one value")
                    case .decided(let value):
                        return value
                    }
                }
                if let decided { continuation.resume(returning: decided) }
            }
        }
    }
}
