import ErrorBus

/// A topology as a Mermaid flowchart, which Markdown on many sites draws.
struct MermaidDrawing {
    let graph: TopologyGraph

    init(_ graph: TopologyGraph) { self.graph = graph }

    /// Errors climb: from the bottom to the top.
    var lines: [String] {
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

    /// As entities: everything that Mermaid or HTML would read as more than text.
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
