import ErrorBus

/// A topology in Graphviz's language.
struct DotDrawing {
    let graph: TopologyGraph

    init(_ graph: TopologyGraph) { self.graph = graph }

    /// Errors climb: from the bottom to the top.
    var lines: [String] {
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
        text.shown().replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}
