import ErrorBus

/// A topology for a terminal: a tree with the roots at the top, a block of lines for each node.
/// A node with several parents is drawn below its first, and named below the others.
struct TextDrawing {
    private let graph: TopologyGraph
    private let nodes: [NodeName: TopologyGraph.Node]
    private let links: [Hop: [TopologyGraph.Link]]

    init(_ graph: TopologyGraph) {
        self.graph = graph
        nodes = Dictionary(uniqueKeysWithValues: graph.nodes.map { ($0.name, $0) })
        links = Dictionary(grouping: graph.links, by: \.parent)
    }

    var lines: [String] {
        // What others say of a node, true or not, does not take it from its place in the file.
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
