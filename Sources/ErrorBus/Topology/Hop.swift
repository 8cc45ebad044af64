/// One entry of `next`: a node of the same topology, or an endpoint outside it.
public enum Hop: Hashable, Sendable, CustomStringConvertible {
    case node(NodeName)
    case endpoint(Endpoint)

    /// Reads what ``description`` writes.
    package init?(_ text: String) {
        if text.contains("://") {
            guard let endpoint = try? Endpoint(text) else { return nil }
            self = .endpoint(endpoint)
        } else {
            guard let name = NodeName(text) else { return nil }
            self = .node(name)
        }
    }

    public var description: String {
        switch self {
        case .node(let name): name.description
        case .endpoint(let endpoint): endpoint.description
        }
    }
}
