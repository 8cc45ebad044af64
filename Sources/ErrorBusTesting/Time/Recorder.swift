import Synchronization

/// Records elements in order, and lets a test wait for the next one instead of sleeping.
public final class Recorder<Element: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Element, any Error>

    private struct State {
        var elements: [Element] = []
        var takenCount = 0
        var waiters: [(id: UInt64, waiter: Waiter)] = []
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

    public init() {}

    /// Every element so far, whether or not `next` returned it.
    public var elements: [Element] { state.withLock { $0.elements } }

    /// Records `element`.
    public func record(_ element: Element) {
        let waiter = state.withLock { state -> Waiter? in
            state.elements.append(element)
            guard !state.waiters.isEmpty else { return nil }
            state.takenCount += 1
            return state.waiters.removeFirst().waiter
        }
        waiter?.resume(returning: element)
    }

    /// The oldest element that no earlier call returned; waits until there is one.
    ///
    /// - Throws: `CancellationError` when the waiting task is cancelled.
    public func next() async throws -> Element {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(id, $0) }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                    return nil
                }
                return state.waiters.remove(at: index).waiter
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    private func wait(_ id: UInt64, _ waiter: Waiter) {
        let result = state.withLock { state -> Result<Element, any Error>? in
            if state.takenCount < state.elements.count {
                defer { state.takenCount += 1 }
                return .success(state.elements[state.takenCount])
            }
            // Cancelled before it waited: the handler found no waiter to wake.
            if Task.isCancelled { return .failure(CancellationError()) }
            state.waiters.append((id, waiter))
            return nil
        }
        if let result { waiter.resume(with: result) }
    }
}
