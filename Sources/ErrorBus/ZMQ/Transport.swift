/// The carrier of messages for link drivers.
///
/// A transport is one thread: its executor. Drivers are actors on that executor, so a driver and
/// its transport call each other without a hop. What is not usable from any thread traps on another
/// thread.
package protocol Transport: Sendable {
    /// The executor that the drivers share.
    var executor: any SerialExecutor { get }

    /// The monotonic clock. Usable from any thread.
    var now: MonotonicTime { get }

    /// Opens a socket that children connect to.
    func listen(on endpoint: Endpoint, for receiver: any TransportReceiver) throws(TransportError)
        -> SocketID

    /// Opens a socket to a parent. It connects in the background and reports events.
    func connect(to endpoint: Endpoint, for receiver: any TransportReceiver) throws(TransportError)
        -> SocketID

    /// Sends a message without waiting.
    func send(_ frames: [Frame], on socket: SocketID) -> SendResult

    func close(_ socket: SocketID)

    /// Closes a socket once its messages are sent, within a moment; it receives none from now on.
    func closeOnceSent(_ socket: SocketID)

    /// Requests ``TransportReceiver/woke()`` at a time, replacing an earlier request.
    func wake(_ receiver: any TransportReceiver, at time: MonotonicTime?)

    /// Requests ``TransportReceiver/woke()`` as soon as possible. Usable from any thread.
    func nudge(_ receiver: any TransportReceiver)

    /// Returns freed memory to the system, on another thread. Usable from any thread.
    func returnMemory()
}

/// The transport of a whole node, started with its first use and ended when the node stops: the
/// reactor, or in the simulator a network in memory.
package protocol NodeTransport: Transport {
    /// Starts the transport, once; does nothing when called again.
    ///
    /// - Throws: When the system has no thread or no descriptor for it.
    func start() throws(TransportError)

    /// Closes every socket and ends the transport.
    func shutDown() async

    /// The endpoints where children can connect, in the order they were opened.
    func boundEndpoints() async -> [Endpoint]
}

/// Names an open socket; never used again after it is closed.
package struct SocketID: Hashable, Sendable {
    package let number: Int

    package init(number: Int) { self.number = number }
}

/// The result of sending. `sent` only means that the message was handed over.
package enum SendResult: Hashable, Sendable {
    case sent
    /// The queue to the peer is full, or no peer is connected.
    case full
    /// The peer is gone.
    case unroutable
}

/// A driver, as its transport sees it. Called on the transport's executor.
package protocol TransportReceiver: AnyObject, Sendable {
    /// Whether the driver accepts more messages of a socket; otherwise they wait in the transport,
    /// within its limits, until the receiver requests to be woken.
    func isReady(on socket: SocketID) -> Bool
    /// - Parameter sender: The holder of the key by which the sender has proved itself; nil on a
    ///   socket without keys.
    func received(_ frames: [Frame], on socket: SocketID, from sender: KeyHolder?)
    /// A number of messages was dropped for lack of room.
    func dropped(_ count: Int, on socket: SocketID)
    func changed(_ event: ConnectionEvent, on socket: SocketID)
    /// So many connections were refused for their key, before any message, or ended since the key
    /// was revoked.
    func refused(_ key: RefusedKey, count: Int)
    /// Connections to a listening socket failed before any message.
    func failed(_ connections: FailedConnections)
    /// A connection was ended because its peer sent a message without an end.
    func ended(_ flood: EndedFlood)
    /// The node's keys were replaced: links of peers with other keys end.
    func replaced(_ keys: KeyRing)
    func woke()
}

extension TransportReceiver {
    package func isReady(on socket: SocketID) -> Bool { true }
    package func refused(_ key: RefusedKey, count: Int) {}
    package func failed(_ connections: FailedConnections) {}
    package func ended(_ flood: EndedFlood) {}
    package func replaced(_ keys: KeyRing) {}
}

/// A connection that was ended for its peer's message without an end.
package struct EndedFlood: Hashable, Sendable {
    /// The address and port of the peer, as `127.0.0.1, port 40000`.
    package let peer: String
    /// The number of bytes that came over the connection.
    package let byteCount: Int
}

/// An event of a connection to a parent.
package enum ConnectionEvent: Hashable, Sendable {
    case connected
    /// The connection is lost; the socket has to be closed.
    case disconnected
    case failed(String)

    /// The node's keys were replaced, and the connection has former ones.
    static let keysReplaced = ConnectionEvent.failed("the keys of that link were replaced")
}

/// The reason why a socket could not be opened.
public struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The endpoint of the socket; nil when the error concerns all endpoints.
    public let endpoint: Endpoint?
    /// The operation that failed, as in "open a socket for".
    public let operation: String
    /// The system's reason, in words.
    public let reason: String
    /// Whether another process already listens there.
    public let isInUse: Bool

    public var description: String {
        "cannot \(operation)\(endpoint.map { " \($0)" } ?? ""): \(reason)"
    }
}
