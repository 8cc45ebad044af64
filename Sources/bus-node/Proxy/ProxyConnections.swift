import ErrorBus
import NIOCore
import Synchronization

/// The open connections of one proxy and the toxics on them. From any thread.
final class ProxyConnections: Sendable {
    private struct Handle {
        let loop: any EventLoop
        let connection: NIOLoopBound<ProxiedConnection>
        let ended: EventLoopFuture<Void>
    }

    private struct State {
        var target: Endpoint
        var toxics: [Toxic] = []
        var handles: [UInt64: Handle] = [:]
        var acceptedCount: UInt64 = 0
        var isOpen = true
    }

    private struct Refused: Error {}

    private let seed: UInt64
    private let state: Mutex<State>

    init(to target: Endpoint, seed: UInt64) {
        self.seed = seed
        state = Mutex(State(target: target))
    }

    /// Where the next connection leads.
    var target: Endpoint {
        get { state.withLock(\.target) }
        set { state.withLock { $0.target = newValue } }
    }

    /// Connections of which at least one side is open.
    var count: Int { state.withLock { $0.handles.count } }

    /// False: what is still accepted while the listener closes is closed at once.
    var isOpen: Bool {
        get { state.withLock { $0.isOpen } }
        set { state.withLock { $0.isOpen = newValue } }
    }

    /// Setting them reaches the open connections as well, in the order of the changes.
    var toxics: [Toxic] {
        get { state.withLock { $0.toxics } }
        set {
            state.withLock { state in
                state.toxics = newValue
                for handle in state.handles.values {
                    handle.loop.execute { handle.connection.value.toxicsChanged(newValue) }
                }
            }
        }
    }

    /// Takes a client on. On its event loop.
    func accept(_ client: any Channel) throws {
        let ended = client.eventLoop.makePromise(of: Void.self)
        // Under the lock, so that no change of the toxics falls between reading and registering.
        let (number, connection) = try state.withLock { state in
            guard state.isOpen, state.handles.count < FaultProxy.connectionCountMax else {
                ended.succeed()
                throw Refused()
            }
            state.acceptedCount += 1
            let number = state.acceptedCount
            let connection = NIOLoopBound(
                ProxiedConnection(
                    client, to: state.target, toxics: state.toxics,
                    seed: SeededGenerator.seed(seed, part: String(number)), ended: ended),
                eventLoop: client.eventLoop)
            state.handles[number] = Handle(
                loop: client.eventLoop, connection: connection, ended: ended.futureResult)
            return (number, connection)
        }
        ended.futureResult.whenComplete { [self] _ in
            state.withLock { $0.handles[number] = nil }
        }
        let handler = ConnectionHandler(.client, of: connection.value)
        try client.pipeline.syncOperations.addHandler(handler)
    }

    /// Closes them all and waits until they are.
    func closeAll() async {
        let handles = state.withLock { Array($0.handles.values) }
        for handle in handles {
            handle.loop.execute { handle.connection.value.end(resetting: false) }
        }
        for handle in handles { try? await handle.ended.get() }
    }
}
