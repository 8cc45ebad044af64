/// What link drivers need from whatever carries their messages.
///
/// A transport is one thread: its executor. Drivers are actors on that executor, so a driver and
/// its transport call each other without a hop. Every method but ``now`` and ``nudge(_:)`` traps
/// elsewhere.
package protocol Transport: Sendable {
    /// The executor the drivers share.
    var executor: any SerialExecutor { get }

    /// The monotonic clock. From anywhere.
    var now: MonotonicTime { get }

    /// Opens a socket that children connect to.
    func listen(on endpoint: Endpoint, for receiver: any TransportReceiver) throws(TransportError)
        -> SocketID

    /// Opens a socket to a parent. Connecting goes on in the background; events tell.
    func connect(to endpoint: Endpoint, for receiver: any TransportReceiver) throws(TransportError)
        -> SocketID

    /// Hands a message over without waiting.
    func send(_ frames: [Frame], on socket: SocketID) -> SendResult

    func close(_ socket: SocketID)

    /// Closes it when what was handed over is sent, within a moment; nothing is received any more.
    func closeOnceSent(_ socket: SocketID)

    /// Asks for ``TransportReceiver/woke()`` at a time, in place of the time asked for before.
    func wake(_ receiver: any TransportReceiver, at time: MonotonicTime?)

    /// Asks for ``TransportReceiver/woke()`` as soon as may be. From anywhere.
    func nudge(_ receiver: any TransportReceiver)
}

/// The transport of a whole node, which starts it with its first use and ends it when it stops:
/// the reactor, and in the simulator a network in memory.
package protocol NodeTransport: Transport {
    /// Starts it, once; does nothing when called again.
    ///
    /// - Throws: When the system has no thread or no descriptor for it.
    func start() throws(TransportError)

    /// Closes every socket and ends it.
    func shutDown() async

    /// Where children can connect, in the order it was opened.
    func boundEndpoints() async -> [Endpoint]
}

/// Names an open socket; never used again after it is closed.
package struct SocketID: Hashable, Sendable {
    package let number: Int

    package init(number: Int) { self.number = number }
}

/// How sending went. `sent` proves nothing but that it was handed over.
package enum SendResult: Hashable, Sendable {
    case sent
    /// The queue to the peer is full, or no peer is connected.
    case full
    /// No such peer any more.
    case unroutable
}

/// A driver, as its transport sees it. Called on the transport's executor.
package protocol TransportReceiver: AnyObject, Sendable {
    /// Whether it takes more messages of a socket; else they wait with the transport, within its
    /// bounds, until the receiver asks to be woken.
    func isReady(on socket: SocketID) -> Bool
    func received(_ frames: [Frame], on socket: SocketID)
    /// There was no room for so many messages.
    func dropped(_ count: Int, on socket: SocketID)
    func changed(_ event: ConnectionEvent, on socket: SocketID)
    func woke()
}

extension TransportReceiver {
    package func isReady(on socket: SocketID) -> Bool { true }
}

/// What happened to a connection to a parent.
package enum ConnectionEvent: Hashable, Sendable {
    case connected
    /// The connection is lost, and with it the socket's use: it is to be closed.
    case disconnected
    case failed(String)
}

/// Why a socket could not be opened.
public struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nil when it concerns all of them.
    public let endpoint: Endpoint?
    public let operation: String
    public let reason: String
    /// Another process listens there already.
    public let isInUse: Bool

    public var description: String {
        "cannot \(operation)\(endpoint.map { " \($0)" } ?? ""): \(reason)"
    }
}
