import ErrorBus

/// A topology as `check` prints it: a tree from the roots down, a line for each node.
struct TopologyOutline {
    private let topology: Topology

    init(_ topology: Topology) { self.topology = topology }

    /// The lines, parents above their children. A node with several parents stands below each,
    /// its own children only below the first.
    var lines: [String] {
        var lines: [String] = []
        var drawn: Set<NodeName> = []
        for root in topology.roots {
            add(root, prefix: "", childPrefix: "", to: &lines, &drawn)
        }
        return lines
    }

    private func add(
        _ name: NodeName, prefix: String, childPrefix: String, to lines: inout [String],
        _ drawn: inout Set<NodeName>
    ) {
        guard let node = topology[name] else { return }
        guard drawn.insert(name).inserted else {
            lines.append("\(prefix)\(name) (see above)")
            return
        }
        lines.append(prefix + Self.line(node))
        let children = topology.children(of: name)
        for (index, child) in children.enumerated() {
            let isLast = index == children.count - 1
            add(
                child, prefix: childPrefix + (isLast ? "└── " : "├── "),
                childPrefix: childPrefix + (isLast ? "    " : "│   "), to: &lines, &drawn)
        }
    }

    private static func line(_ node: NodeSettings) -> String {
        var parts = [node.name.description]
        if !node.listen.isEmpty {
            parts.append("listens on " + node.listen.map(\.description).joined(separator: ", "))
        }
        let outside = node.next.filter { if case .endpoint = $0 { true } else { false } }
        if !outside.isEmpty {
            parts.append("next " + outside.map(\.description).joined(separator: ", "))
        }
        if !node.presenters.isEmpty {
            parts.append("presenters " + node.presenters.map(\.outline).joined(separator: ", "))
        }
        if !node.responders.isEmpty {
            parts.append(ruleCount(node.responders.count))
        }
        return parts.joined(separator: "  ")
    }

    fileprivate static func ruleCount(_ count: Int) -> String {
        "\(count) rule\(count == 1 ? "" : "s")"
    }
}

extension PresenterSettings {
    fileprivate var outline: String {
        switch self {
        case .policy(let path, let rules):
            "policy \(path) (\(TopologyOutline.ruleCount(rules.count)))"
        case .command(let words): "command \(words.first ?? "")"
        case .console(let console): "console \(console.address)"
        case .terminal: kind
        }
    }
}
