/// One entry of `next`: a node of the same topology, or an endpoint outside it.
public enum Hop: Hashable, Sendable, CustomStringConvertible {
    case node(NodeName)
    case endpoint(Endpoint)

    public var description: String {
        switch self {
        case .node(let name): name.description
        case .endpoint(let endpoint): endpoint.description
        }
    }
}
