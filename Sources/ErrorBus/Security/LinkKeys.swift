import Synchronization

/// The keys of one node's tcp links: its own pair, and the public keys of the nodes that it knows.
///
/// With keys every tcp socket of a node speaks CURVE (RFC 26 of ZeroMQ): it is encrypted, a parent
/// accepts only children whose public key it knows, under the name that the key belongs to, and a
/// child talks only to a parent that has the secret key. Sockets of ipc have no keys: the
/// permissions of their folder guard them.
public struct LinkKeys: Hashable, Sendable {
    public var own: KeyPair
    /// The public keys of parents and children, by name.
    public var known: [NodeName: PublicKey]
    /// The names of parents, by the endpoints that this node connects to.
    public var parents: [Endpoint: NodeName]

    public init(own: KeyPair, known: [NodeName: PublicKey], parents: [Endpoint: NodeName] = [:]) {
        self.own = own
        self.known = known
        self.parents = parents
    }
}

/// The keys of a node as they are now: they can be replaced while it runs.
///
/// New links use the new keys. What a child sends whose key is no longer known is dropped, so its
/// link ends with the lease. A listening socket keeps its own pair until the node restarts.
public final class KeyRing: Sendable {
    private struct State {
        var keys: LinkKeys
        var holders: [PublicKey: KeyHolder] = [:]

        init(_ keys: LinkKeys) {
            self.keys = keys
            for (name, key) in keys.known {
                let reserved = keys.known.keys.filter { $0.description.hasPrefix("\(name)-") }
                holders[key] = KeyHolder(name: name, reserved: Set(reserved))
            }
        }
    }

    private let state: Mutex<State>

    public init(_ keys: LinkKeys) { state = Mutex(State(keys)) }

    public func replace(with keys: LinkKeys) { state.withLock { $0 = State(keys) } }

    package var keys: LinkKeys { state.withLock { $0.keys } }

    /// Nil for an unknown key.
    func holder(of key: PublicKey) -> KeyHolder? { state.withLock { $0.holders[key] } }

    /// The public key of the parent at an endpoint.
    func parentKey(at endpoint: Endpoint) -> (own: KeyPair, parent: PublicKey)? {
        state.withLock { state in
            state.keys.parents[endpoint].flatMap { state.keys.known[$0] }
                .map { (state.keys.own, $0) }
        }
    }
}

/// The holder of the key by which a peer has proved itself.
///
/// Two holders of one name are equal, whatever names are reserved meanwhile.
package struct KeyHolder: Sendable {
    package let name: NodeName
    /// Names that begin with this one and a hyphen, and have keys of their own.
    let reserved: Set<NodeName>

    /// Whether a process with this key may use a name: the key's own, or for the many short-lived
    /// processes of one key, such as those of `bus-node exec`, that with a hyphen and more.
    func mayUse(_ other: NodeName) -> Bool {
        other == name
            || other.description.hasPrefix("\(name)-") && !reserved.contains(other)
    }
}

extension KeyHolder: Hashable {
    package static func == (left: Self, right: Self) -> Bool { left.name == right.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A child's connection that was refused for its key.
package struct RefusedKey: Hashable, Sendable {
    package let key: PublicKey?
    /// The IP address that it came from.
    package let address: String
}
