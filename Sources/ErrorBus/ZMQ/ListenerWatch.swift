import Glibc
import Synchronization

/// The findings of one listening socket's monitor, until the reactor takes them.
final class ListenerWatch: Sendable {
    private struct State {
        var connections: AcceptedConnections
        var failed: [FailedConnections.Cause: FailedConnections] = [:]

        mutating func add(_ more: FailedConnections) {
            failed[more.cause, default: FailedConnections(more.cause)].add(more)
        }
    }

    private let state: Mutex<State>

    init(isKeyed: Bool) {
        state = Mutex(State(connections: AcceptedConnections(isKeyed: isKeyed)))
    }

    /// Takes the next event, on the monitor's thread.
    ///
    /// Ends a connection that takes one of the last descriptors: without a free descriptor, libzmq
    /// 4.3.4 looks for one without a pause over tcp, and ends the process over ipc.
    func take(_ event: SocketEvent, at now: MonotonicTime) {
        if case .accepted(let descriptor) = event, ProcessFiles.isReserved(descriptor) {
            // libzmq finds the end of the connection, and closes the descriptor. At once, without a
            // look at the other side: meanwhile libzmq accepts more.
            shutdown(descriptor, Int32(SHUT_RDWR))
            return state.withLock { $0.add(FailedConnections(.noDescriptors, from: nil)) }
        }
        state.withLock { state in
            let failed = state.connections.take(event, at: now) {
                PeerConnection(descriptor: $0).origin
            }
            if let failed { state.add(failed) }
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
