import ErrorBus

/// What the pictures of a topology show: nodes, and links from child to parent.
struct TopologyGraph {
    struct Node {
        let name: NodeName
        let endpoints: [String]
        let presenters: [String]
        let ruleCount: Int
    }

    struct Link {
        let child: NodeName
        let parent: Hop
        /// From 0: parents after the first are turned to when those before cannot be reached.
        let rank: Int
    }

    /// In the order of the file.
    let nodes: [Node]
    let links: [Link]

    init(_ topology: Topology) {
        nodes = topology.settings.map { settings in
            Node(
                name: settings.name, endpoints: settings.listen.map(\.description),
                presenters: settings.presenters.map(\.title),
                ruleCount: settings.responders.count)
        }
        links = topology.settings.flatMap { settings in
            settings.next.enumerated().map {
                Link(child: settings.name, parent: $1, rank: $0)
            }
        }
    }

    /// Parents that are no nodes of the topology, each once.
    var outside: [Endpoint] {
        var seen: [Endpoint] = []
        for case .endpoint(let endpoint) in links.map(\.parent) where !seen.contains(endpoint) {
            seen.append(endpoint)
        }
        return seen
    }

    var json: JSONValue {
        .object([
            "nodes": .array(
                nodes.map { node in
                    .object([
                        "name": .string(node.name.description),
                        "listen": .array(node.endpoints.map { .string($0) }),
                        "presenters": .array(node.presenters.map { .string($0) }),
                        "rules": .integer(Int64(node.ruleCount)),
                    ])
                }),
            "links": .array(
                links.map { link in
                    .object([
                        "child": .string(link.child.description),
                        "parent": .string(link.parent.description),
                        "rank": .integer(Int64(link.rank)),
                    ])
                }),
        ])
    }
}

extension TopologyGraph.Node {
    /// What belongs into a node's box, below its name.
    var details: [String] {
        let rules = ruleCount == 0 ? [] : ["\(ruleCount) rule\(ruleCount == 1 ? "" : "s")"]
        return endpoints + rules + presenters.map { "asks \($0)" }
    }
}
