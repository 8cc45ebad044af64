import Foundation
import Synchronization

/// How many seconds a test waits for what must come. Generous, because only a test that fails
/// waits so long: how soon something comes on a busy machine decides nothing.
let patience = 120.0

/// A value that others change and tests wait for.
final class Observed<Value: Sendable>: Sendable {
    private struct Waiter {
        let id: Int
        let condition: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var value: Value
        var waiters: [Waiter] = []
        var count = 0
    }

    private let state: Mutex<State>

    init(_ value: Value) { state = Mutex(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    func update(_ change: @Sendable (inout Value) -> Void) {
        let ready = state.withLock { state in
            change(&state.value)
            let ready = state.waiters.filter { $0.condition(state.value) }
            state.waiters.removeAll { waiter in ready.contains { $0.id == waiter.id } }
            return ready
        }
        for waiter in ready { waiter.continuation.resume(returning: true) }
    }

    /// Whether the condition came true in time.
    func becomes(_ condition: @escaping @Sendable (Value) -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            let id: Int? = state.withLock { state in
                if condition(state.value) { return nil }
                state.count += 1
                state.waiters.append(
                    Waiter(id: state.count, condition: condition, continuation: continuation))
                return state.count
            }
            guard let id else { return continuation.resume(returning: true) }
            DispatchQueue.global().asyncAfter(deadline: .now() + patience) { [self] in
                giveUp(id)
            }
        }
    }

    private func giveUp(_ id: Int) {
        let waiter = state.withLock { state in
            let index = state.waiters.firstIndex { $0.id == id }
            return index.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: false)
    }
}
