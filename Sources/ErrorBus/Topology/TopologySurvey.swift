import OrderedCollections

/// Follows every `next` of a topology to its root: how far that is, and where it never ends.
struct TopologySurvey {
    /// Each circle once, beginning with the node that stands first in the file.
    private(set) var cycles: [[NodeName]] = []
    /// The nodes on the longest way from each node to a root, both counted, in the order of the
    /// file. Meaningless while there are cycles.
    private(set) var hopCounts: [(node: NodeName, hops: Int)] = []

    private struct Frame {
        let node: NodeName
        var parents: ArraySlice<NodeName>
    }

    init(_ topology: Topology) {
        var parents: [NodeName: [NodeName]] = [:]
        for node in topology.nodes.values {
            parents[node.name] = (node.next + node.routes).compactMap { hop in
                if case .node(let name) = hop, topology.nodes[name] != nil { name } else { nil }
            }
        }
        var hops: [NodeName: Int] = [:]
        for node in topology.nodes.keys {
            survey(from: node, parents, &hops)
        }
        let order = Dictionary(
            uniqueKeysWithValues: topology.nodes.keys.enumerated().map { ($1, $0) })
        cycles = cycles.map { cycle in
            let places = cycle.map { order[$0] ?? 0 }
            let first = places.indices.min { places[$0] < places[$1] } ?? 0
            return Array(cycle[first...] + cycle[..<first])
        }
        hopCounts = topology.nodes.keys.map { ($0, hops[$0] ?? 1) }
    }

    /// Depth first with a stack of its own: a file may name thousands of nodes in one line.
    private mutating func survey(
        from start: NodeName, _ parents: [NodeName: [NodeName]], _ hops: inout [NodeName: Int]
    ) {
        guard hops[start] == nil else { return }
        var way = [Frame(node: start, parents: (parents[start] ?? [])[...])]
        var places = [start: 0]
        while let place = way.indices.last {
            if let parent = way[place].parents.popFirst() {
                if let first = places[parent] {
                    cycles.append(way[first...].map(\.node))
                } else if hops[parent] == nil {
                    places[parent] = way.count
                    way.append(Frame(node: parent, parents: (parents[parent] ?? [])[...]))
                }
            } else {
                let node = way[place].node
                hops[node] = 1 + ((parents[node] ?? []).compactMap { hops[$0] }.max() ?? 0)
                places[node] = nil
                way.removeLast()
            }
        }
    }
}
