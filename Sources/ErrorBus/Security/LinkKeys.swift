import Synchronization

/// The keys of one node's tcp links: its own pair, and the public keys of the nodes that it knows.
///
/// With keys every tcp socket of a node speaks CURVE (RFC 26 of ZeroMQ), which encrypts: a parent
/// accepts only children whose public key it knows, under the name that the key belongs to, and a
/// child talks only to a parent that has the secret key. Sockets of ipc have no keys: the
/// permissions of their folder guard them.
public struct LinkKeys: Hashable, Sendable {
    /// The pair of this node.
    public var own: KeyPair
    /// The public keys of parents and children, by name.
    public var known: [NodeName: PublicKey]
    /// The earlier public keys of nodes whose pair is being replaced, accepted beside ``known``.
    public var former: [NodeName: PublicKey] = [:]
    /// The names of parents, by the endpoints that this node connects to.
    public var parents: [Endpoint: NodeName]
    /// The nodes that have children of their own: only their keys may pass presentations on.
    public var relays: Set<NodeName> = []
    /// The nodes whose signatures of answers count, with their keys: two for a node whose pair is
    /// being replaced.
    public var signers: [NodeName: [SignerKey]] = [:]
    /// The name under which this node signs its answers; nil: it does not sign them.
    public var signsAs: NodeName?
    /// The nodes of the topology, with their ways: each name stands for itself alone, even without
    /// a key, and no relay beside these ways speaks for it.
    package var places: [NodeName: NodePlace] = [:]

    /// The keys of a node, without relays and signers.
    public init(own: KeyPair, known: [NodeName: PublicKey], parents: [Endpoint: NodeName] = [:]) {
        self.own = own
        self.known = known
        self.parents = parents
    }
}

/// The current keys of a node, which can be replaced while the node runs.
///
/// New links use the new keys. A link to a peer whose key is no longer known ends at once: the node
/// drops the peer's messages, and sends it nothing. A listening socket keeps its own pair until the
/// node restarts.
public final class KeyRing: Sendable {
    /// A closure that is called after each replacement, on any thread; false to be called no more.
    typealias Observer = @Sendable () -> Bool

    private struct State {
        var keys: LinkKeys?
        var holders: [PublicKey: KeyHolder]
        var observers: [Int: Observer] = [:]
        var lastObserver = 0
    }

    private let state: Mutex<State>

    /// A ring with these keys, for ``NodeParts/keys``.
    public init(_ keys: LinkKeys) {
        state = Mutex(State(keys: keys, holders: Self.holders(keys)))
    }

    /// A ring without keys. Until it gets some, links have none; then links to parents are made
    /// again with keys, and a listening socket stays as it is.
    package init() { state = Mutex(State(keys: nil, holders: [:])) }

    /// Replaces the keys, also while the node runs.
    public func replace(with keys: LinkKeys) {
        let holders = Self.holders(keys)
        let observers = state.withLock { state in
            (state.keys, state.holders) = (keys, holders)
            return state.observers
        }
        let gone = observers.filter { !$0.value() }.keys
        guard !gone.isEmpty else { return }
        state.withLock { state in for number in gone { state.observers[number] = nil } }
    }

    /// The holders of all keys, by key.
    private static func holders(_ keys: LinkKeys) -> [PublicKey: KeyHolder] {
        var reserved: [NodeName: Set<NodeName>] = [:]
        // Clients may be anywhere. Without a topology nothing is known of any node.
        var places = keys.places
        if !places.isEmpty {
            for name in keys.known.keys where places[name] == nil { places[name] = .anywhere }
        }
        for name in Set(keys.places.keys).union(keys.known.keys) {
            let text = name.description
            for index in text.indices where text[index] == "-" {
                if let prefix = NodeName(text[..<index]) {
                    reserved[prefix, default: []].insert(name)
                }
            }
        }
        var holders: [PublicKey: KeyHolder] = [:]
        for (name, key) in Array(keys.former) + Array(keys.known) {
            holders[key] = KeyHolder(
                key: key, name: name, reserved: reserved[name] ?? [],
                isRelay: keys.relays.contains(name), places: places)
        }
        return holders
    }

    /// Adds a closure that is called after each replacement.
    ///
    /// - Returns: The number of the closure, for ``forget(_:)``.
    @discardableResult
    func onReplacement(_ observer: @escaping Observer) -> Int {
        state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = observer
            return state.lastObserver
        }
    }

    /// Removes a closure.
    func forget(_ number: Int) {
        state.withLock { state in state.observers[number] = nil }
    }

    /// The number of closures.
    var observerCount: Int { state.withLock { $0.observers.count } }

    /// Whether there are no keys yet.
    var isEmpty: Bool { keys?.own == nil }

    /// The keys; nil while there are none.
    package var keys: LinkKeys? { state.withLock { $0.keys } }

    /// The holder of a key; nil for an unknown key.
    package func holder(of key: PublicKey) -> KeyHolder? { state.withLock { $0.holders[key] } }

    /// Whether a key that was accepted before still is, and for this name, if there is one.
    func accepts(_ holder: KeyHolder, as name: NodeName? = nil) -> Bool {
        guard let now = self.holder(of: holder.key), now == holder else { return false }
        return name.map(now.mayUse) ?? true
    }

    /// The keys for a connection to the parent at an endpoint: the parent's own key first, then its
    /// former key. Nil if no key of the parent is known.
    func keys(to endpoint: Endpoint) -> (own: KeyPair, parents: [PublicKey])? {
        state.withLock { state in
            guard let keys = state.keys, let name = keys.parents[endpoint],
                let key = keys.known[name]
            else { return nil }
            return (keys.own, [key] + [keys.former[name]].compactMap(\.self))
        }
    }
}

/// A child's connection that was refused for its key.
package struct RefusedKey: Hashable, Sendable {
    package let key: PublicKey?
    /// The IP address that the connection came from, or what is known of the connection instead.
    package let address: String
}
