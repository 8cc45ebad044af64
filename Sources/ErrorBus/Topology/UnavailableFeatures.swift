import OrderedCollections

/// What the topology's grammar has and this version does not do: read, but refused, so that
/// nobody relies on it. Take an entry out here when the feature arrives.
enum UnavailableFeatures {
    struct Use: Hashable {
        let field: String
        /// The policy file it is in; nil: the topology.
        var file: String?
        let found: String
        let allowed: String
        let hint: String
    }

    static func find(in topology: Topology) -> [Use] {
        topology.nodes.values.flatMap { routes(of: $0) }
    }

    private static func routes(of node: NodeSettings) -> [Use] {
        var uses = routes(in: node.responders, "nodes.\(node.name).responders", file: nil)
        for case .policy(let path, let rules) in node.presenters {
            uses += routes(in: rules, "rules", file: path)
        }
        return uses
    }

    static func routes(in rules: [Rule], _ list: String, file: String?) -> [Use] {
        rules.filter { rule in
            rule.actions.contains { if case .route = $0 { true } else { false } }
        }.map { rule in
            Use(
                field: "\(list)[\(rule.position - 1)].route", file: file, found: "\"route\"",
                allowed: "withhold, rewrite, addOption, removeOption, answer, redact",
                hint: "route is not available in this version")
        }
    }
}
