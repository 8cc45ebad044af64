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

    package init(key: PublicKey, name: NodeName, reserved: Set<NodeName>, isRelay: Bool) {
        self.key = key
        self.name = name
        self.reserved = reserved
        self.isRelay = isRelay
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
