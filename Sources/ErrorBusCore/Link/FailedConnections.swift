/// Connections to this node that ended before any message, for one cause.
///
/// Bounded, however many they are: a number, and a few of the peers.
package struct FailedConnections: Hashable, Sendable {
    /// The cause of a failure, as far as this side can know it. The names are those of
    /// docs/operations.md.
    package enum Cause: String, Sendable, CaseIterable {
        /// The peer speaks ZeroMQ without CURVE, at a port with keys.
        case noKeys
        /// The peer speaks CURVE, or another mechanism, at a port without keys.
        case unexpectedKeys
        /// The peer has another public key for this node than its own.
        case wrongServerKey
        /// The peer speaks another protocol, or a version before ZMTP 3 at a port with keys.
        case notZMTP
        /// The peer did not complete the handshake in time.
        case silent
        /// The peer ended the connection during the handshake.
        case leftEarly
        /// The connection was ended: the process has hardly a descriptor left.
        case noDescriptors
    }

    /// The most peers named.
    static let peersMax = 4

    package let cause: Cause
    package private(set) var count = 0
    private var namedCount = 0
    /// The peers, in the order of their first connections.
    private var peers: [String] = []
    private var hasMorePeers = false

    package init(_ cause: Cause) { self.cause = cause }

    /// One connection.
    ///
    /// - Parameter peer: The address of the peer; nil if it is not certain.
    package init(_ cause: Cause, from peer: String?) {
        self.cause = cause
        count = 1
        if let peer { (namedCount, peers) = (1, [peer]) }
    }

    /// Adds others of the same cause.
    package mutating func add(_ other: FailedConnections) {
        count += other.count
        namedCount += other.namedCount
        hasMorePeers = hasMorePeers || other.hasMorePeers
        for peer in other.peers where !peers.contains(peer) {
            if peers.count < Self.peersMax { peers.append(peer) } else { hasMorePeers = true }
        }
    }

    /// The peers and the remedy, in words: the same for any number of connections.
    package var detail: String {
        switch cause {
        case .noDescriptors: cause.remedy
        default: "\(origin): \(cause.remedy)"
        }
    }

    private var origin: String {
        guard !peers.isEmpty else { return "from addresses that could not be read in time" }
        let names = peers.joined(separator: ", ") + (hasMorePeers ? " and others" : "")
        return namedCount == count ? "from \(names)" : "some of them from \(names)"
    }
}

extension FailedConnections.Cause {
    /// The pause between two lines of the log, in milliseconds. A health check leaves early every
    /// few seconds, for good.
    fileprivate var pause: UInt64 { self == .leftEarly ? 600_000 : 10_000 }

    fileprivate var remedy: String {
        switch self {
        case .noKeys:
            "no keys, which this port requires; give the other side keys, or the endpoint of a "
                + "port without them"
        case .unexpectedKeys:
            "keys at a port without keys; give this node keys, or take them from the other side"
        case .wrongServerKey:
            "another key than this node's is expected; give the other side this node's public key"
        case .notZMTP:
            "no ZeroMQ of version 4 or later; find out what connects to this port, and stop it or "
                + "limit who can reach it"
        case .silent:
            "no complete handshake in time; find out what connects to this port and does not speak"
        case .leftEarly:
            "left during the handshake, as health checks, port scans and nodes without the right "
                + "keys do; a node's own log has the reason"
        case .noDescriptors:
            "hardly a file descriptor left: new connections are ended at once; raise the limit "
                + "(ulimit -n, LimitNOFILE), or end connections that are not needed"
        }
    }
}

/// The log of failed connections: each cause at most once in ten seconds, or ten minutes, with the
/// connections since the last line, whatever peers do. Pure: time comes in, lines go out.
package struct FailedConnectionLog: Sendable {
    private struct Count {
        var total = 0
        var unlogged: FailedConnections
        var saidAt: MonotonicTime?
    }

    private var counts: [FailedConnections.Cause: Count] = [:]

    package init() {}

    /// The count of each cause so far.
    package var totals: [String: Int] {
        Dictionary(counts.map { ($0.key.rawValue, $0.value.total) }) { first, _ in first }
    }

    /// The time at which the next line is due.
    package var nextDue: MonotonicTime? {
        counts.values.lazy.filter { $0.unlogged.count > 0 }.compactMap(Self.due).min()
    }

    package mutating func note(_ failed: FailedConnections) {
        var count = counts[failed.cause] ?? Count(unlogged: FailedConnections(failed.cause))
        count.total += failed.count
        count.unlogged.add(failed)
        counts[failed.cause] = count
    }

    /// The connections whose line is due, in the order of their causes.
    package mutating func ticked(at now: MonotonicTime) -> [FailedConnections] {
        FailedConnections.Cause.allCases.compactMap { cause in
            guard var count = counts[cause], count.unlogged.count > 0,
                Self.due(count).map({ $0 <= now }) ?? true
            else { return nil }
            let line = count.unlogged
            (count.unlogged, count.saidAt) = (FailedConnections(cause), now)
            counts[cause] = count
            return line
        }
    }

    /// The time at which unlogged connections may be logged; nil: at once.
    private static func due(_ count: Count) -> MonotonicTime? {
        count.saidAt.map { $0 + count.unlogged.cause.pause }
    }
}
