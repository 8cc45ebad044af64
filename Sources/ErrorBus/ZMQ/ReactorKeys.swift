import CZMQ
import Synchronization

/// The keys of a reactor's tcp sockets, and the news of other threads about them.
final class ReactorKeys: Sendable {
    private struct State {
        var hasAuthenticator = false
        var refused: [RefusedKey: Int] = [:]
        var isReplaced = false
        /// The number by which the ring calls.
        var observer: Int?
        /// The number of failed connections to a parent with two keys: each next connection uses
        /// the other key.
        var failures: [Endpoint: Int] = [:]
    }

    /// The events since the last turn.
    struct News {
        let refused: [RefusedKey: Int]
        let isReplaced: Bool
    }

    /// The most different keys and addresses refused in one turn.
    private static let refusedMax = 64

    let ring: KeyRing
    /// A mark that only the authenticator knows: in front of a key, it shows that the key comes
    /// from the authenticator.
    private let mark = String(UInt64.random(in: 0...UInt64.max), radix: 36) + " "
    private let signal: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameter signal: A closure that is called on any thread when there is news; must not
    ///   wait.
    init(_ ring: KeyRing, signal: @escaping @Sendable () -> Void) {
        self.ring = ring
        self.signal = signal
        let number = ring.onReplacement { [weak self] in
            guard let self else { return false }
            state.withLock { $0.isReplaced = true }
            self.signal()
            return true
        }
        state.withLock { $0.observer = number }
    }

    deinit {
        // Each request for a status has a reactor of its own.
        if let number = state.withLock(\.observer) { ring.forget(number) }
    }

    /// The keys of a new socket; nil on ipc, and while there are none. A listening socket waits for
    /// the thread that judges its peers.
    func keys(
        of kind: ZMQSocket.Kind, _ endpoint: Endpoint, _ context: ZMQContext
    ) throws(TransportError) -> ZMQSocket.Keys? {
        guard case .tcp = endpoint.address, let own = ring.keys?.own else { return nil }
        func failure(_ operation: String, _ reason: String) -> TransportError {
            TransportError(
                endpoint: endpoint, operation: operation, reason: reason, isInUse: false)
        }
        switch kind {
        case .router:
            guard startAuthenticator(context) else {
                throw failure("check the keys of", ZMQError.text(zmq_errno()))
            }
            return .listening(own: own, mark: mark)
        case .dealer:
            guard let (own, parents) = ring.keys(to: endpoint) else {
                throw failure("connect to", "no public key of that node is known")
            }
            let failures = state.withLock { $0.failures[endpoint] ?? 0 }
            return .connecting(own: own, parent: parents[failures % parents.count])
        }
    }

    /// Notes that a connection to a parent failed; perhaps it used the wrong one of two keys.
    func failed(to endpoint: Endpoint) {
        guard let parents = ring.keys(to: endpoint)?.parents, parents.count > 1 else { return }
        state.withLock { $0.failures[endpoint, default: 0] &+= 1 }
    }

    /// Whether the keys of a socket are still the keys for its connection. A connection without
    /// keys ends once there are some.
    func accepts(_ socket: ZMQSocket) -> Bool {
        guard case .connecting(let own, let parent) = socket.keys else {
            return socket.kind == .router || !socket.isTCP || ring.isEmpty
        }
        guard let now = ring.keys(to: socket.endpoint) else { return false }
        return now.own == own && now.parents.contains(parent)
    }

    func takeNews() -> News {
        state.withLock { state in
            defer { (state.refused, state.isReplaced) = ([:], false) }
            return News(refused: state.refused, isReplaced: state.isReplaced)
        }
    }

    private func startAuthenticator(_ context: ZMQContext) -> Bool {
        guard !state.withLock(\.hasAuthenticator) else { return true }
        let authenticator = Authenticator(ring, mark: mark, context: context) {
            [weak self] refused in
            self?.note(refused)
        }
        guard authenticator != nil else { return false }
        state.withLock { $0.hasAuthenticator = true }
        return true
    }

    private func note(_ refused: RefusedKey) {
        state.withLock { state in
            guard state.refused[refused] != nil || state.refused.count < Self.refusedMax
            else { return }
            state.refused[refused, default: 0] += 1
        }
        signal()
    }
}
