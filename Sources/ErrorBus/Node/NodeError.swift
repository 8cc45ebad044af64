/// Why a node cannot be made or run.
public enum NodeError: Error, Hashable, Sendable {
    /// The topology has no node of this name.
    case unknownNode(NodeName, known: [NodeName])
    /// The name stands for something else on every link.
    case reservedName(NodeName)
    /// An endpoint could not be opened.
    case transport(TransportError)
    /// A node runs once.
    case ranBefore(NodeName)
}

extension NodeError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownNode(let name, let known):
            "no node \"\(name)\" in this topology; there are: "
                + known.map(\.description).joined(separator: ", ")
        case .reservedName(let name):
            "a node cannot be called \"\(name)\"; allowed: \(NodeName.allowedForNode)"
        case .transport(let error): error.description
        case .ranBefore(let name): "node \(name) was run before; make a new one"
        }
    }
}
