public import OrderedCollections

/// The configured tree of nodes.
public struct Topology: Hashable, Sendable {
    /// The version of the file format that this library reads.
    public static let version = 1
    /// The longest way from a node to its root, both counted: what a link lets pass.
    public static let hopCountMax = 16

    /// In the order of the file, defaults applied.
    public let nodes: OrderedDictionary<NodeName, NodeSettings>

    public init(nodes: OrderedDictionary<NodeName, NodeSettings>) { self.nodes = nodes }

    /// The settings of one node; nil when the topology has none of that name.
    public subscript(node: NodeName) -> NodeSettings? { nodes[node] }

    /// Every node's settings, in the order of the file.
    public var settings: [NodeSettings] { Array(nodes.values) }

    /// What `node` connects to, in order: its parents' endpoints, one for each entry of `next`.
    ///
    /// For a parent given by name it is the first of its endpoints that can be connected to;
    /// one that listens on every interface is taken to be on this machine.
    public func parentEndpoints(of node: NodeName) -> [Endpoint] {
        (nodes[node]?.next ?? []).compactMap { endpoint(of: $0) }
    }

    /// What rules of `node` route to, by the name that they use.
    public func routeEndpoints(of node: NodeName) -> [(name: String, Endpoint)] {
        (nodes[node]?.routes ?? []).compactMap { hop in
            endpoint(of: hop).map { (hop.description, $0) }
        }
    }

    func endpoint(of hop: Hop) -> Endpoint? {
        switch hop {
        case .endpoint(let endpoint): endpoint
        case .node(let parent): nodes[parent]?.listen.lazy.compactMap(\.connectable).first
        }
    }

    /// The nodes whose `next` names `node`, in the order of the file.
    public func children(of node: NodeName) -> [NodeName] {
        nodes.values.filter { $0.next.contains(.node(node)) }.map(\.name)
    }

    /// The nodes that name no other node as `next`.
    public var roots: [NodeName] {
        nodes.values.filter { settings in
            settings.next.allSatisfy { if case .endpoint = $0 { true } else { false } }
        }.map(\.name)
    }
}
