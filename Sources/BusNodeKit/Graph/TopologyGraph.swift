package import ErrorBus

/// The content of a topology's pictures: nodes, and links from child to parent.
package struct TopologyGraph {
    struct Node {
        let name: NodeName
        let endpoints: [String]
        let presenters: [String]
        let ruleCount: Int
        /// The live state of the node, if the nodes were asked.
        var live: LiveTopology.Node?
    }

    struct Link {
        let child: NodeName
        let parent: Hop
        /// The rank of the parent, from 0: the child uses later parents when the earlier ones
        /// cannot be reached.
        let rank: Int
        /// Whether only rules of the child use the link, as a route.
        var isRoute = false
        /// The live state of the link, if the nodes were asked.
        var live: LiveTopology.Link?
        /// Whether the link is in the file; false for a link that only exists.
        var isListed = true
    }

    /// The nodes, in the order of the file.
    let nodes: [Node]
    let links: [Link]

    package init(_ topology: Topology, live: LiveTopology? = nil) {
        nodes = topology.settings.map { settings in
            Node(
                name: settings.name, endpoints: settings.listen.map(\.description),
                presenters: settings.presenters.map(\.title),
                ruleCount: settings.responders.count, live: live?.nodes[settings.name])
        }
        let names = topology.namesOfEndpoints
        let listed = topology.settings.flatMap { settings in
            (settings.next + settings.routes).enumerated().map { rank, hop in
                let parent = hop.destination(among: names)
                return Link(
                    child: settings.name, parent: parent, rank: rank,
                    isRoute: rank >= settings.next.count,
                    live: live?.link(settings.name, parent, rank: rank))
            }
        }
        let others = (live?.links ?? []).filter { $0.rank == nil }.map {
            Link(child: $0.child, parent: $0.parent, rank: 0, live: $0, isListed: false)
        }
        links = listed + others
    }

    /// The children that are not nodes of the topology, each once.
    var strangers: [NodeName] {
        var seen: [NodeName] = []
        for link in links where !link.isListed && !nodes.contains(where: { $0.name == link.child })
        {
            if !seen.contains(link.child) { seen.append(link.child) }
        }
        return seen
    }

    /// The parents that are not nodes of the topology, each once.
    var outside: [Endpoint] {
        var seen: [Endpoint] = []
        for case .endpoint(let endpoint) in links.map(\.parent) where !seen.contains(endpoint) {
            seen.append(endpoint)
        }
        return seen
    }

    package var json: JSONValue {
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
    /// The texts of a node's box, below its name.
    var details: [String] {
        let rules = ruleCount == 0 ? [] : ["\(ruleCount) rule\(ruleCount == 1 ? "" : "s")"]
        // For a node that does not listen, its link shows the state.
        let state = endpoints.isEmpty ? [] : live.map { [$0.words] } ?? []
        return endpoints + rules + presenters.map { "asks \($0)" } + state
    }
}

extension TopologyGraph.Link {
    /// Whether errors normally take the link: no fault, no rule.
    var isSolid: Bool { rank == 0 && !isRoute }

    /// The text beside the link's line.
    var label: String? {
        let words = (isRoute ? ["by rules"] : []) + (live.map { [$0.words] } ?? [])
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}

/// A topology for a terminal: a tree with the roots at the top, a block of lines for each node. A
/// node with several parents is drawn below its first, and named below the others.
package struct TextDrawing {
    private let graph: TopologyGraph
    private let nodes: [NodeName: TopologyGraph.Node]
    private let links: [Hop: [TopologyGraph.Link]]

    package init(_ graph: TopologyGraph) {
        self.graph = graph
        nodes = Dictionary(uniqueKeysWithValues: graph.nodes.map { ($0.name, $0) })
        links = Dictionary(grouping: graph.links, by: \.parent)
    }

    package var lines: [String] {
        // A link that only a peer reports does not move a node from its place in the file.
        let children = Set(graph.links.filter { !$0.isRoute && $0.isListed }.map(\.child))
        var lines: [String] = []
        for endpoint in graph.outside {
            lines.append("(\(endpoint.description.shown()))")
            lines += below(.endpoint(endpoint))
        }
        for node in graph.nodes where !children.contains(node.name) {
            lines += block(node)
        }
        return lines
    }

    private func block(_ node: TopologyGraph.Node) -> [String] {
        let below = below(.node(node.name))
        let bar = below.isEmpty ? "  " : "│ "
        return [node.name.description] + node.details.map { bar + $0.shown() } + below
    }

    private func below(_ parent: Hop) -> [String] {
        let links = links[parent] ?? []
        return links.enumerated().flatMap { index, link in
            let isLast = index == links.count - 1
            var block: [String] =
                if !link.isListed {
                    ["\(link.child) (not in the file)"]
                } else if link.isRoute {
                    ["\(link.child) (what its rules route here)"]
                } else if link.rank == 0, let node = nodes[link.child] {
                    block(node)
                } else {
                    ["\(link.child) (when its other parents cannot be reached)"]
                }
            if let live = link.live { block[0] += " [\(live.words)]" }
            return block.enumerated().map { line, text in
                (line == 0 ? (isLast ? "└── " : "├── ") : (isLast ? "    " : "│   ")) + text
            }
        }
    }
}

/// A topology in Graphviz's language.
package struct DotDrawing {
    let graph: TopologyGraph

    package init(_ graph: TopologyGraph) { self.graph = graph }

    /// The lines of the drawing. Errors climb from the bottom to the top.
    package var lines: [String] {
        var lines = [
            "digraph topology {", "    rankdir=BT;",
            "    node [shape=box, style=rounded, fontname=\"sans-serif\"];",
        ]
        for node in graph.nodes {
            let label = ([node.name.description] + node.details).map(Self.escaped)
            lines.append(
                "    \(Self.quoted(node.name.description)) "
                    + "[label=\"\(label.joined(separator: "\\n"))\"];")
        }
        for endpoint in graph.outside {
            lines.append("    \(Self.quoted(endpoint.description)) [shape=ellipse, style=dashed];")
        }
        for name in graph.strangers {
            lines.append("    \(Self.quoted(name.description)) [shape=ellipse];")
        }
        for link in graph.links {
            let style = Self.style(of: link)
            lines.append(
                "    \(Self.quoted(link.child.description)) -> "
                    + "\(Self.quoted(link.parent.description))\(style);")
        }
        return lines + ["}"]
    }

    private static func style(of link: TopologyGraph.Link) -> String {
        var attributes = link.isSolid ? [] : ["style=dashed"]
        if let label = link.label { attributes.append("label=\(quoted(label))") }
        if let live = link.live {
            if live.state == .unknown || live.isStandby {
                attributes.append("color=gray")
            } else if live.state == .down {
                attributes.append("color=red")
            }
        }
        return attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]"
    }

    private static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    private static func escaped(_ text: String) -> String {
        text.shown().replacingScalars(["\\": "\\\\", "\"": "\\\""])
    }
}

/// A topology as a Mermaid flowchart, which Markdown on many sites draws.
package struct MermaidDrawing {
    let graph: TopologyGraph

    package init(_ graph: TopologyGraph) { self.graph = graph }

    /// The lines of the drawing. Errors climb from the bottom to the top.
    package var lines: [String] {
        var ids: [Hop: String] = [:]
        var lines = ["flowchart BT"]
        for (index, node) in graph.nodes.enumerated() {
            ids[.node(node.name)] = "n\(index)"
            let label = ([node.name.description] + node.details).map(Self.escaped)
            lines.append("    n\(index)[\"\(label.joined(separator: "<br/>"))\"]")
        }
        for (index, endpoint) in graph.outside.enumerated() {
            ids[.endpoint(endpoint)] = "e\(index)"
            lines.append("    e\(index)([\"\(Self.escaped(endpoint.description))\"])")
        }
        for (index, name) in graph.strangers.enumerated() {
            ids[.node(name)] = "s\(index)"
            lines.append("    s\(index)([\"\(Self.escaped(name.description))\"])")
        }
        for link in graph.links {
            guard let child = ids[.node(link.child)], let parent = ids[link.parent] else {
                continue
            }
            let label = link.label.map { "|\"\(Self.escaped($0))\"|" } ?? ""
            lines.append("    \(child) \(link.isSolid ? "-->" : "-.->")\(label) \(parent)")
        }
        return lines
    }

    /// The text with entities for every character that Mermaid or HTML would interpret.
    private static func escaped(_ text: String) -> String {
        text.shown().unicodeScalars.map { scalar in
            let isPlain =
                scalar.properties.isAlphabetic
                || " -_.,:/()0123456789".unicodeScalars
                    .contains(scalar)
            return isPlain ? String(scalar) : "#\(scalar.value);"
        }.joined()
    }
}
