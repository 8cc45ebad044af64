import ErrorBus

/// What the pictures of a topology show: nodes, and links from child to parent.
struct TopologyGraph {
    struct Node {
        let name: NodeName
        let endpoints: [String]
        let presenters: [String]
        let ruleCount: Int
        /// How it is, where the nodes were asked.
        var live: LiveTopology.Node?
    }

    struct Link {
        let child: NodeName
        let parent: Hop
        /// From 0: parents after the first are turned to when those before cannot be reached.
        let rank: Int
        /// It is taken by what rules of the child route there.
        var isRoute = false
        /// How it is, where the nodes were asked.
        var live: LiveTopology.Link?
        /// False for one that exists and is not in the file.
        var isListed = true
    }

    /// In the order of the file.
    let nodes: [Node]
    let links: [Link]

    init(_ topology: Topology, live: LiveTopology? = nil) {
        nodes = topology.settings.map { settings in
            Node(
                name: settings.name, endpoints: settings.listen.map(\.description),
                presenters: settings.presenters.map(\.title),
                ruleCount: settings.responders.count, live: live?.nodes[settings.name])
        }
        let listed = topology.settings.flatMap { settings in
            (settings.next + settings.routes).enumerated().map {
                Link(
                    child: settings.name, parent: $1, rank: $0,
                    isRoute: $0 >= settings.next.count, live: live?.link(settings.name, $1))
            }
        }
        let others = (live?.links ?? []).filter { $0.rank == nil }.map {
            Link(child: $0.child, parent: $0.parent, rank: 0, live: $0, isListed: false)
        }
        links = listed + others
    }

    /// Children that are no nodes of the topology, each once.
    var strangers: [NodeName] {
        var seen: [NodeName] = []
        for link in links where !link.isListed && !nodes.contains(where: { $0.name == link.child })
        {
            if !seen.contains(link.child) { seen.append(link.child) }
        }
        return seen
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
                    let fields: [String: JSONValue] = [
                        "name": .string(node.name.description),
                        "listen": .array(node.endpoints.map { .string($0) }),
                        "presenters": .array(node.presenters.map { .string($0) }),
                        "rules": .integer(Int64(node.ruleCount)),
                    ]
                    return .object(fields.merging(node.live?.fields ?? [:]) { $1 })
                }),
            "links": .array(
                links.map { link in
                    let fields: [String: JSONValue] = [
                        "child": .string(link.child.description),
                        "parent": .string(link.parent.description),
                        "rank": link.isListed ? .integer(Int64(link.rank)) : .null,
                        "route": .bool(link.isRoute),
                    ]
                    return .object(fields.merging(link.live?.json.objectValue ?? [:]) { $1 })
                }),
        ])
    }
}

extension TopologyGraph.Node {
    /// What belongs into a node's box, below its name.
    var details: [String] {
        let rules = ruleCount == 0 ? [] : ["\(ruleCount) rule\(ruleCount == 1 ? "" : "s")"]
        // Of one that listens nowhere its link says it all.
        let state = endpoints.isEmpty ? [] : live.map { [$0.words] } ?? []
        return endpoints + rules + presenters.map { "asks \($0)" } + state
    }
}

extension TopologyGraph.Link {
    /// The way that errors take as long as nothing is wrong and no rule says otherwise.
    var isSolid: Bool { rank == 0 && !isRoute }

    /// What belongs beside its line.
    var label: String? {
        let words = (isRoute ? ["by rules"] : []) + (live.map { [$0.words] } ?? [])
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}
