import ErrorBus
import OrderedCollections

/// The checks of links: of a node's `next`, `route` and `listen`.
extension TopologyValidator {
    private static let localEndpoints = "ipc, or tcp on a loopback host such as 127.0.0.1"
    private static let keysHint =
        "add keys: FOLDER to the topology and run bus-node keygen; "
        + "if the network itself is trusted, say allowUnauthenticated: true"

    mutating func checkHops(of node: TopologyNode) {
        var former: [Endpoint: Hop] = [:]
        for (index, hop) in node.next.enumerated() {
            let field = entry("nodes.\(node.name).next", index)
            checkHop(hop, of: node, at: field)
            // Further endpoints of one node are further ways to it.
            guard let endpoint = topology.endpoint(of: hop) else { continue }
            if let other = former[endpoint] {
                report(
                    field, found: "\"\(hop)\", the same endpoint as \"\(other)\"",
                    allowed: "each parent once")
            } else {
                former[endpoint] = hop
            }
        }
    }

    mutating func checkHop(
        _ hop: Hop, of node: TopologyNode, at field: String, in file: String? = nil
    ) {
        guard case .node(let parent) = hop else {
            checkKey(of: hop, at: field, in: file)
            return checkWithoutKeys(of: hop, of: node, at: field, in: file)
        }
        let others = topology.nodes.keys.filter { $0 != node.name }.map(\.description)
        guard let settings = topology.nodes[parent] else {
            let allowed = "a node of this topology (\(others.joined(separator: ", ")))"
            report(
                field, in: file, found: "\"\(parent)\"", allowed: allowed + " or an endpoint",
                hint: Suggestion.hint(for: parent.description, among: others))
            return
        }
        let listening = "nodes.\(parent).listen"
        if settings.listen.isEmpty, !hasProblems(at: listening) {
            report(
                field, in: file, found: "\"\(parent)\", which does not listen",
                allowed: "a node with listen, or an endpoint",
                hint: "add listen to node \(parent)")
        } else if !settings.listen.isEmpty,
            settings.endpoint == nil
        {
            report(
                field, in: file,
                found: "\"\(parent)\", which listens only where the system chooses",
                allowed: "a node with an ipc endpoint or a fixed port, or an endpoint")
        } else {
            checkWithoutKeys(of: hop, of: node, at: field, in: file)
        }
    }

    /// Checks a hop without keys: any host on the way to another machine can read, and answer as
    /// the parent.
    private mutating func checkWithoutKeys(
        of hop: Hop, of node: TopologyNode, at field: String, in file: String?
    ) {
        guard topology.keys == nil, !node.allowUnauthenticated,
            let endpoint = topology.endpoint(of: hop), !endpoint.isLocal
        else { return }
        report(
            field, in: file,
            found: "\"\(endpoint)\", on another machine, without security",
            allowed: Self.localEndpoints, hint: Self.keysHint)
    }

    /// Checks a hop with keys: a key belongs to a name, so the parent needs a name.
    private mutating func checkKey(of hop: Hop, at field: String, in file: String?) {
        guard topology.keys != nil, case .endpoint(let endpoint) = hop,
            case .tcp = endpoint.address, topology.namesOfEndpoints[endpoint] == nil
        else { return }
        report(
            field, in: file, found: "\"\(endpoint)\", whose key is not known",
            allowed: "a node of this topology, since it has keys",
            hint: "add the node with its listen, and name it here")
    }

    mutating func checkListening(of node: TopologyNode) {
        if let endpoint = node.advertise, node.listen.isEmpty {
            report(
                "nodes.\(node.name).advertise",
                found: "\"\(endpoint)\" of a node that does not listen",
                allowed: "a node with listen")
        }
        guard topology.keys == nil else { return }
        for (index, endpoint) in node.listen.enumerated()
        where !endpoint.isLocal && !node.allowUnauthenticated {
            report(
                entry("nodes.\(node.name).listen", index),
                found: "\"\(endpoint)\", open to other machines without security",
                allowed: Self.localEndpoints, hint: Self.keysHint)
        }
    }
}
