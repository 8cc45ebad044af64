/// The connections that peers made to one listening socket, as the socket's events report them, and
/// the ones among them that failed before any message. Pure: events and time come in, failures go
/// out.
///
/// Only libzmq's events of the beginning and the end of a connection have its descriptor. A failure
/// comes directly before the end of its connection (one I/O thread reports both), so it belongs to
/// that connection.
struct AcceptedConnections {
    private struct Connection {
        let peer: String?
        let acceptedAt: MonotonicTime
        /// The place of the connection among all, from 1.
        let number: Int
        /// The number of times that all events had been read when its peer was looked up.
        let caughtUpCount: Int
    }

    /// The time after which a handshake that ends has ended because of it.
    private static let silentMilliseconds = UInt64(SocketOptions.handshakeMilliseconds) - 1_000
    /// The longest time from a failure to the end of its connection.
    private static let endMilliseconds: UInt64 = 1_000

    /// Whether the socket has keys.
    let isKeyed: Bool
    /// The connections by descriptor: as many as there are descriptors.
    private var connections: [Int32: Connection] = [:]
    private var acceptedCount = 0
    private var caughtUpCount = 0
    /// The number of the last connection whose handshake may have ended although the connection
    /// goes on: that event has no descriptor.
    private var settledNumber = 0
    /// The failure of the connection that ends next, if it ends at once. After a message that CURVE
    /// refuses, libzmq may leave the connection as it is, and read nothing more from it.
    private var failure: (kind: SocketEvent.Failure, at: MonotonicTime)?

    init(isKeyed: Bool) { self.isKeyed = isKeyed }

    /// Takes the next event.
    ///
    /// - Parameter peer: Looks up the other side of a descriptor; nil if there is none.
    /// - Returns: A connection that failed.
    mutating func take(
        _ event: SocketEvent, at now: MonotonicTime, peer: (Int32) -> String?
    ) -> FailedConnections? {
        switch event {
        case .accepted(let descriptor):
            acceptedCount += 1
            failure = nil
            connections[descriptor] = Connection(
                peer: peer(descriptor), acceptedAt: now, number: acceptedCount,
                caughtUpCount: caughtUpCount)
        // A listening socket makes none.
        case .made: break
        case .caughtUp: caughtUpCount += 1
        // The authenticator has reported a refused key, with its address.
        case .succeeded, .refused: settledNumber = acceptedCount
        case .failed(let kind): failure = (kind, now)
        case .disconnected(let descriptor):
            defer { failure = nil }
            guard let connection = connections.removeValue(forKey: descriptor),
                let cause = cause(of: connection, at: now)
            else { return nil }
            // Until all was read after the look its descriptor may have been another's already.
            let isCertain = connection.caughtUpCount < caughtUpCount
            return FailedConnections(cause, from: isCertain ? connection.peer : nil)
        }
        return nil
    }

    /// The cause of the failure; nil for a connection that did not fail, or may not have failed.
    private func cause(of connection: Connection, at now: MonotonicTime)
        -> FailedConnections.Cause?
    {
        let isItsOwn = failure.map { now.since($0.at) <= Self.endMilliseconds } ?? false
        return switch isItsOwn ? failure?.kind : nil {
        case .otherMechanism: isKeyed ? .noKeys : .unexpectedKeys
        case .otherKey: .wrongServerKey
        case .malformed: .notZMTP
        case .ended:
            now.since(connection.acceptedAt) >= Self.silentMilliseconds ? .silent : .leftEarly
        // Bytes of another protocol, or of a version that has no keys, libzmq reports as no
        // failure.
        case nil: connection.number > settledNumber ? .notZMTP : nil
        }
    }
}
