package import ErrorBus
package import OrderedCollections

/// The configured tree of nodes.
package struct Topology: Hashable, Sendable {
    /// The version of the file format that this library reads.
    package static let version = 1
    /// The longest way from a node to its root, both counted: the limit of a link.
    package static let hopCountMax = 16

    /// The nodes in the order of the file, with defaults applied.
    package let nodes: OrderedDictionary<NodeName, TopologyNode>

    /// The folder of the keys of the topology's tcp links; nil: links without keys.
    package let keys: String?
    /// The nodes that sign their answers to options which need it, and whose signatures count.
    package let signers: [NodeName]

    package init(
        nodes: OrderedDictionary<NodeName, TopologyNode>, keys: String? = nil,
        signers: [NodeName] = []
    ) {
        self.nodes = nodes
        self.keys = keys
        self.signers = signers
    }

    /// The settings of one node; nil if the topology has no node of that name.
    package subscript(node: NodeName) -> TopologyNode? { nodes[node] }

    /// Every node's settings, in the order of the file.
    package var settings: [TopologyNode] { Array(nodes.values) }

    /// The endpoints that `node` connects to, in order, one for each entry of `next`.
    ///
    /// For a parent given by name this is the endpoint that the parent advertises, else its first
    /// connectable endpoint; a wildcard endpoint counts as one of this machine.
    package func parentEndpoints(of node: NodeName) -> [Endpoint] {
        (nodes[node]?.next ?? []).compactMap { endpoint(of: $0) }
    }

    /// The destinations of the rules of `node`, by the name that they use.
    package func routeEndpoints(of node: NodeName) -> [(name: String, Endpoint)] {
        (nodes[node]?.routes ?? []).compactMap { hop in
            endpoint(of: hop).map { (hop.description, $0) }
        }
    }

    /// The nodes that listen, by the endpoints where others connect to them.
    package var namesOfEndpoints: [Endpoint: NodeName] {
        let pairs = nodes.values.flatMap { node in
            (node.listen.compactMap(\.connectable) + (node.advertise.map { [$0] } ?? []))
                .map { ($0, node.name) }
        }
        return Dictionary(pairs) { first, _ in first }
    }

    package func endpoint(of hop: Hop) -> Endpoint? {
        switch hop {
        case .endpoint(let endpoint): endpoint
        case .node(let parent): nodes[parent]?.endpoint
        }
    }

    /// What each entry of the node's `next` leads to: a node of the topology, also where the entry
    /// names its endpoint, or an endpoint outside.
    package func destinations(of node: TopologyNode) -> [Hop] {
        let names = namesOfEndpoints
        return node.next.map { $0.destination(among: names) }
    }

    /// The nodes whose `next` leads to `node`, in the order of the file.
    package func children(of node: NodeName) -> [NodeName] {
        let names = namesOfEndpoints
        return nodes.values.filter { settings in
            settings.next.contains { $0.destination(among: names) == .node(node) }
        }.map(\.name)
    }

    /// The ways of each node: the nodes above it, by its `next`, its rules' routes and theirs, up
    /// to `observer`, which no presentation passes twice. A policy file that is on another machine
    /// may lead anywhere.
    package func places(at observer: NodeName) -> [NodeName: NodePlace] {
        let names = namesOfEndpoints
        let hops = nodes.mapValues { node in
            (node.next + node.routes).map { $0.destination(among: names) }
        }
        func place(of node: NodeName) -> NodePlace {
            var above: Set<NodeName> = []
            var rest = [node]
            while let lower = rest.popLast() {
                if nodes[lower]?.hasUnreadPolicy == true { return .anywhere }
                for hop in hops[lower] ?? [] {
                    guard case .node(let parent) = hop else { return .anywhere }
                    if above.insert(parent).inserted, parent != observer { rest.append(parent) }
                }
            }
            return .below(above)
        }
        return Dictionary(uniqueKeysWithValues: nodes.keys.map { ($0, place(of: $0)) })
    }

    /// The nodes whose `next` leads to no other node.
    package var roots: [NodeName] {
        let names = namesOfEndpoints
        return nodes.values.filter { settings in
            settings.next.allSatisfy { hop in
                if case .endpoint = hop.destination(among: names) { true } else { false }
            }
        }.map(\.name)
    }
}

/// One entry of `next`: a node of the same topology, or an endpoint outside it.
package enum Hop: Hashable, Sendable, CustomStringConvertible {
    case node(NodeName)
    case endpoint(Endpoint)

    /// Reads the text that ``description`` writes.
    package init?(_ text: String) {
        if text.contains("://") {
            guard let endpoint = try? Endpoint(text) else { return nil }
            self = .endpoint(endpoint)
        } else {
            guard let name = NodeName(text) else { return nil }
            self = .node(name)
        }
    }

    package var description: String {
        switch self {
        case .node(let name): name.description
        case .endpoint(let endpoint): endpoint.description
        }
    }

    /// The node that the hop leads to, also where it names the node's endpoint; else the hop.
    ///
    /// - Parameter names: The ``Topology/namesOfEndpoints``.
    func destination(among names: [Endpoint: NodeName]) -> Hop {
        guard case .endpoint(let endpoint) = self else { return self }
        return names[endpoint].map { .node($0) } ?? self
    }
}

/// One entry of `presenters:`.
package enum PresenterSettings: Hashable, Sendable {
    /// The rules of a policy file: the first matching rule decides.
    case policy(path: String, rules: [Rule])
    /// The terminal that the node runs in.
    case terminal
    /// A program: it gets the report as JSON on its input, and prints an option's id.
    case command([String])
    /// A console over HTTP, for people with a browser and for scripts.
    case console(ConsoleSettings)

    /// The key in the file.
    package var kind: String {
        switch self {
        case .policy: "policy"
        case .terminal: "terminal"
        case .command: "command"
        case .console: "console"
        }
    }
}

/// A valid topology with its warnings.
package struct LoadedTopology: Hashable, Sendable {
    package let topology: Topology
    package let warnings: [ConfigurationWarning]

    package init(topology: Topology, warnings: [ConfigurationWarning]) {
        self.topology = topology
        self.warnings = warnings
    }
}
