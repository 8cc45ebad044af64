import Synchronization

/// What one listening socket's monitor has found, until the reactor takes it.
final class ListenerWatch: Sendable {
    private struct State {
        var connections: AcceptedConnections
        var failed: [FailedConnections.Cause: FailedConnections] = [:]
    }

    private let state: Mutex<State>

    init(isKeyed: Bool) {
        state = Mutex(State(connections: AcceptedConnections(isKeyed: isKeyed)))
    }

    /// Takes the next event, on the monitor's thread.
    func take(_ event: SocketEvent, at now: MonotonicTime) {
        state.withLock { state in
            let failed = state.connections.take(event, at: now) {
                PeerConnection(descriptor: $0).origin
            }
            guard let failed else { return }
            state.failed[failed.cause, default: FailedConnections(failed.cause)].add(failed)
        }
    }

    /// The connections that failed since the last call.
    func takeFailed() -> [FailedConnections] {
        state.withLock { state in
            defer { state.failed.removeAll() }
            return Array(state.failed.values)
        }
    }
}
