package import ErrorBus
import NIOCore
import NIOPosix
import Synchronization

/// Listens at one endpoint and connects every connection to another, through toxics.
package actor FaultProxy {
    /// The most connections; above it a new one is closed at once.
    static let connectionCountMax = 1_024
    /// The most toxics.
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
    /// Whether it is binding or closing, which excludes other changes.
    private var isChanging = false

    /// A proxy that is down. - Parameter seed: For toxicity, jitter and other randomness.
    init(_ name: String, listen: Endpoint, connect: Endpoint, seed: UInt64) throws(ProxyProblem) {
        guard connect.isConnectable else {
            throw .badRequest("\(connect): not a connectable endpoint")
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

    /// The number of open connections, for tests and limits.
    nonisolated var connectionCount: Int { connections.count }

    /// Enabled: listens. Disabled: stops listening and closes every connection.
    ///
    /// - Throws: When it cannot listen on the endpoint.
    func setEnabled(_ isEnabled: Bool) async throws(ProxyProblem) {
        // First: while it binds there is no listener yet, which is not to be taken for down.
        guard !isChanging else { throw .conflict("proxy \(name) is being changed; try again") }
        guard isEnabled != (listener != nil) else { return }
        isChanging = true
        defer { isChanging = false }
        if isEnabled { try await open() } else { await close() }
    }

    /// Changes the endpoints, and closes all connections of a proxy that is up. When only `connect`
    /// changes, it keeps listening: a port that is free for a moment could be taken.
    func move(listen: Endpoint?, connect: Endpoint?) async throws(ProxyProblem) {
        let listen = listen ?? self.listen
        let connect = connect ?? self.connect
        guard listen != self.listen || connect != self.connect else { return }
        guard connect.isConnectable else {
            throw .badRequest("\(connect): not a connectable endpoint")
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

    /// Enabled, without toxics.
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
        if let obstacle = listen.obstacle {
            throw ProxyProblem(status: 500, description: "\(listen): cannot listen: \(obstacle)")
        }
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
        await connections.closeAll()
    }
}

/// The open connections of one proxy and the toxics on them. Usable from any thread.
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

    /// The endpoint of new connections.
    var target: Endpoint {
        get { state.withLock(\.target) }
        set { state.withLock { $0.target = newValue } }
    }

    /// Connections with at least one side open.
    var count: Int { state.withLock { $0.handles.count } }

    /// False: a connection accepted while the listener closes is closed at once.
    var isOpen: Bool {
        get { state.withLock { $0.isOpen } }
        set { state.withLock { $0.isOpen = newValue } }
    }

    /// A change also applies to open connections, in the order of the changes.
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

    /// Proxies a client's connection. Called on its event loop.
    func accept(_ client: any Channel) throws {
        let ended = client.eventLoop.makePromise(of: Void.self)
        // Under the lock, so that the toxics cannot change between reading and registering.
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

    /// Closes all connections and waits for their ends.
    func closeAll() async {
        let handles = state.withLock { Array($0.handles.values) }
        for handle in handles {
            handle.loop.execute { handle.connection.value.end(resetting: false, atOnce: true) }
        }
        for handle in handles { try? await handle.ended.get() }
    }
}
