package import ErrorBus
import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// Listens at one endpoint and passes every connection on to another, through toxics.
package actor FaultProxy {
    /// Connections at a time; another one is closed as soon as it is accepted.
    static let connectionCountMax = 1_024
    /// Toxics at a time.
    static let toxicCountMax = 64

    package struct Status: Hashable, Sendable {
        let name: String
        package let listen: Endpoint
        let connect: Endpoint
        let isEnabled: Bool
        let toxics: [Toxic]
    }

    let name: String
    private let connections: ProxyConnections
    private(set) var listen: Endpoint
    var connect: Endpoint { connections.target }
    private var listener: (any Channel)?
    /// Binding and closing take a moment, in which nothing else may change them.
    private var isChanging = false

    /// A proxy that is down. - Parameter seed: For toxicity, jitter and what else is left to
    /// chance.
    init(_ name: String, listen: Endpoint, connect: Endpoint, seed: UInt64) throws(ProxyProblem) {
        guard connect.isConnectable else {
            throw .badRequest("\(connect): nowhere one can connect to")
        }
        self.name = name
        self.listen = listen
        connections = ProxyConnections(to: connect, seed: seed)
    }

    package var status: Status {
        Status(
            name: name, listen: listen, connect: connect, isEnabled: listener != nil,
            toxics: connections.toxics)
    }

    /// How many connections are open, for tests and limits.
    nonisolated var connectionCount: Int { connections.count }

    /// Up: listens. Down: stops to listen and closes every connection.
    ///
    /// - Throws: When the endpoint cannot be listened on.
    func setEnabled(_ isEnabled: Bool) async throws(ProxyProblem) {
        guard isEnabled != (listener != nil) else { return }
        guard !isChanging else { throw .conflict("proxy \(name) is being changed; try again") }
        isChanging = true
        defer { isChanging = false }
        if isEnabled { try await open() } else { await close() }
    }

    /// Moves it. Connections are closed when it is up. Where only `connect` is another, it goes on
    /// listening: a port that is free for a moment may be taken.
    func move(listen: Endpoint?, connect: Endpoint?) async throws(ProxyProblem) {
        let listen = listen ?? self.listen
        let connect = connect ?? self.connect
        guard listen != self.listen || connect != self.connect else { return }
        guard connect.isConnectable else {
            throw .badRequest("\(connect): nowhere one can connect to")
        }
        guard listen != self.listen else {
            connections.target = connect
            return await connections.closeAll()
        }
        let wasEnabled = listener != nil
        try await setEnabled(false)
        self.listen = listen
        connections.target = connect
        if wasEnabled { try await setEnabled(true) }
    }

    func add(_ toxic: Toxic) throws(ProxyProblem) {
        var toxics = connections.toxics
        guard !toxics.contains(where: { $0.name == toxic.name }) else {
            throw .conflict("proxy \(name) has a toxic \(toxic.name) already")
        }
        guard toxics.count < Self.toxicCountMax else {
            throw .badRequest("proxy \(name) has \(toxics.count) toxics, the most allowed")
        }
        toxics.append(toxic)
        connections.toxics = toxics
    }

    /// Replaces the toxic of that name, in its place.
    func update(_ toxic: Toxic) throws(ProxyProblem) {
        var toxics = connections.toxics
        toxics[try index(of: toxic.name, in: toxics)] = toxic
        connections.toxics = toxics
    }

    func toxic(_ name: String) throws(ProxyProblem) -> Toxic {
        let toxics = connections.toxics
        return toxics[try index(of: name, in: toxics)]
    }

    func removeToxic(_ name: String) throws(ProxyProblem) {
        var toxics = connections.toxics
        toxics.remove(at: try index(of: name, in: toxics))
        connections.toxics = toxics
    }

    /// Up, without toxics.
    func reset() async throws(ProxyProblem) {
        connections.toxics = []
        try await setEnabled(true)
    }

    private func index(of toxic: String, in toxics: [Toxic]) throws(ProxyProblem) -> Int {
        guard let index = toxics.firstIndex(where: { $0.name == toxic }) else {
            throw .notFound("proxy \(name) has no toxic \(toxic)")
        }
        return index
    }

    private func open() async throws(ProxyProblem) {
        let connections = connections
        do {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: 256)
                .childChannelOption(.autoRead, value: false)
                .childChannelOption(.maxMessagesPerRead, value: 1)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try connections.accept(channel)
                    }
                }
                .bind(to: listen).get()
            listener = channel
            listen = try listen.bound(to: channel.localAddress)
            connections.isOpen = true
        } catch {
            throw ProxyProblem(status: 500, description: "\(listen): cannot listen: \(error)")
        }
    }

    private func close() async {
        connections.isOpen = false
        try? await listener?.close().get()
        listener = nil
        if case .ipc(let path) = listen.address { unlink(path) }
        await connections.closeAll()
    }
}

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
