/// The holder of the key by which a peer has proved itself.
///
/// Two holders of one name are equal, also while its key is replaced.
package struct KeyHolder: Sendable {
    package let key: PublicKey
    package let name: NodeName
    /// The names that begin with this one and a hyphen, and stand for themselves.
    package let reserved: Set<NodeName>
    /// Whether the holder may present for other nodes.
    let isRelay: Bool
    /// The places of all names that stand for themselves; empty where no topology is known.
    private let places: [NodeName: NodePlace]

    package init(
        key: PublicKey, name: NodeName, reserved: Set<NodeName>, isRelay: Bool,
        places: [NodeName: NodePlace] = [:]
    ) {
        self.key = key
        self.name = name
        self.reserved = reserved
        self.isRelay = isRelay
        self.places = places
    }

    /// Whether a process with this key may use a name: the key's own name, or this name with a
    /// hyphen and more, for the many short-lived processes of one key, such as the processes of
    /// `bus-node exec`. Those of a reserved name belong to that one's key.
    package func mayUse(_ other: NodeName) -> Bool {
        if other == name { return true }
        let text = other.description
        guard text.hasPrefix("\(name)-"), !reserved.contains(other) else { return false }
        // Most keys have no such names, and each PRESENT asks.
        return reserved.isEmpty
            || !text.indices.contains { index in
                text[index] == "-" && NodeName(text[..<index]).map(reserved.contains) == true
            }
    }

    /// Whether a process with this key may speak for a name: a relay also for the names behind it,
    /// unless the topology places them elsewhere.
    func maySpeak(for other: NodeName) -> Bool {
        if mayUse(other) { return true }
        guard isRelay else { return false }
        switch place(of: other) {
        case nil, .anywhere: return true
        case .below(let nodes): return nodes.contains(name)
        }
    }

    /// The place of a name, or of the longest name that it belongs to: as in ``mayUse(_:)``, a name
    /// with a hyphen and more is one of the same key. Nil if no name is known that it belongs to.
    private func place(of other: NodeName) -> NodePlace? {
        if places.isEmpty { return nil }
        if let place = places[other] { return place }
        let text = other.description
        for index in text.indices.reversed() where text[index] == "-" {
            if let place = NodeName(text[..<index]).flatMap({ places[$0] }) { return place }
        }
        return nil
    }
}

/// The ways on which the presentations of a name may come.
package enum NodePlace: Hashable, Sendable {
    /// Any: a client's name, or a node with a way that the topology does not know.
    case anywhere
    /// By these nodes alone: those above the node.
    case below(Set<NodeName>)
}

extension KeyHolder: Hashable {
    package static func == (left: Self, right: Self) -> Bool { left.name == right.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A CURVE public key: 32 bytes, written as 40 characters of Z85 (RFC 26 and 32 of ZeroMQ).
public struct PublicKey: Hashable, Sendable, CustomStringConvertible {
    /// The key in Z85.
    public let description: String

    /// The key in this text, which is 32 bytes in Z85.
    package init(checked text: String) { description = text }
}
