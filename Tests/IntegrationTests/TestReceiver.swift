import ErrorBusTesting
import Synchronization

@testable import ErrorBus
@testable import ErrorBusCore

/// A driver without a machine: records the events of its transport. Shares the reactor's thread.
actor TestReceiver: TransportReceiver {
    enum Event: Hashable, Sendable {
        case received([Frame])
        case dropped(Int)
        case changed(ConnectionEvent)
        case refused(PublicKey?)
        case failed(FailedConnections.Cause)
        case woke
    }

    let reactor: Reactor
    private let recordsMessages: Bool
    nonisolated let events = Recorder<Event>()
    nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.unownedExecutor }

    private nonisolated let takesMore = Atomic(true)
    nonisolated func isReady(on socket: SocketID) -> Bool { takesMore.load(ordering: .relaxed) }

    init(_ reactor: Reactor, recordsMessages: Bool = true) {
        self.reactor = reactor
        self.recordsMessages = recordsMessages
    }

    /// Says whether it takes messages; nudged where it does again.
    nonisolated func setReady(_ isReady: Bool) {
        takesMore.store(isReady, ordering: .relaxed)
        if isReady { reactor.nudge(self) }
    }

    func listen(_ endpoint: Endpoint) throws -> SocketID {
        try reactor.listen(on: endpoint, for: self)
    }

    func connect(_ endpoint: Endpoint) throws -> SocketID {
        try reactor.connect(to: endpoint, for: self)
    }

    func close(_ socket: SocketID) { reactor.close(socket) }

    func send(_ frames: [Frame], on socket: SocketID) -> SendResult {
        reactor.send(frames, on: socket)
    }

    func wake(afterMilliseconds pause: UInt64) { reactor.wake(self, at: reactor.now + pause) }

    /// Runs two jobs, the second put in by the first on the reactor's own thread.
    func twoJobs() async { await Task { self.nothing() }.value }

    func nothing() {}

    /// The next event that is this kind of one.
    func next(where matches: @Sendable (Event) -> Bool) async throws -> Event {
        while true {
            let event = try await events.next()
            if matches(event) { return event }
        }
    }

    nonisolated func received(
        _ frames: [Frame], on socket: SocketID, from sender: KeyHolder?
    ) {
        if recordsMessages { events.record(.received(frames)) }
    }

    nonisolated func dropped(_ count: Int, on socket: SocketID) {
        if recordsMessages { events.record(.dropped(count)) }
    }

    nonisolated func changed(_ event: ConnectionEvent, on socket: SocketID) {
        events.record(.changed(event))
    }

    nonisolated func refused(_ key: RefusedKey, count: Int) {
        for _ in 0..<count { events.record(.refused(key.key)) }
    }

    nonisolated func failed(_ connections: FailedConnections) {
        events.record(.failed(connections.cause))
    }

    nonisolated func woke() { events.record(.woke) }
}
