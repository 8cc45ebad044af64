package import ErrorBus

/// The live state of a topology: the nodes that answer, and the state of each link, from the nodes'
/// own status.
package struct LiveTopology: Hashable, Sendable {
    enum NodeState: String, Sendable {
        case up, unreachable
        /// The node does not listen, and no parent knows its state.
        case unknown
    }

    struct Node: Hashable, Sendable {
        var state: NodeState
        /// The open presentations at the node; for a node that does not listen, its parent's count.
        var openCount: Int?
        /// The reason why the node's status could not be read.
        var reason: String?
    }

    enum LinkState: String, Sendable {
        case up, down, unknown
    }

    struct Link: Hashable, Sendable {
        let child: NodeName
        /// The parent's node, also where the file names its endpoint.
        let parent: Hop
        /// The place of the link in the child's list of parents; nil for a link that is not in the
        /// file.
        let rank: Int?
        /// Whether only rules of the child use the link, as a route.
        var isRoute = false
        var state: LinkState
        /// Whether the link is down because the child uses a parent that it prefers.
        var isStandby = false
        var openCount: Int?
        var sinceMilliseconds: UInt64?
    }

    typealias Answers = [NodeName: Result<NodeStatus, StatusFailure>]

    private(set) var nodes: [NodeName: Node] = [:]
    /// The links of the file in its order, then all others.
    private(set) var links: [Link] = []

    /// - Parameter answers: The status of the nodes that were asked.
    init(_ topology: Topology, answers: Answers) {
        let names = topology.namesOfEndpoints
        links = topology.settings.flatMap { settings -> [Link] in
            let parents = (settings.next + settings.routes).map { $0.destination(among: names) }
            return parents.indices.map { Self.link(settings, $0, of: parents, answers) }
        }
        markStandby()
        links += unlisted(topology, answers)
        for settings in topology.settings {
            nodes[settings.name] = node(settings.name, answers[settings.name])
        }
    }

    /// Asks every node that listens, all at once.
    ///
    /// - Parameters:
    ///   - own: The status of the node of this process, which need not be asked.
    ///   - keys: The keys to ask with, in a topology with keys.
    package static func ask(
        _ topology: Topology, own: NodeStatus? = nil, keys: KeyRing? = nil,
        within limit: Duration = .seconds(2)
    ) async -> LiveTopology {
        let asked = topology.settings.compactMap { settings -> (NodeName, Endpoint)? in
            guard settings.name != own?.node else { return nil }
            return settings.endpoint.map { (settings.name, $0) }
        }
        let results = await NodeStatus.ask(asked.map(\.1), keys: keys, within: limit)
        var answers = Answers(zip(asked.map(\.0), results)) { first, _ in first }
        if let own { answers[own.node] = .success(own) }
        return LiveTopology(topology, answers: answers)
    }

    /// A link of the file; with a rank, the one at this place in the child's list of parents.
    func link(_ child: NodeName, _ parent: Hop, rank: Int? = nil) -> Link? {
        links.first {
            $0.child == child && $0.parent == parent && (rank == nil || $0.rank == rank)
        }
    }

    // MARK: Merging

    /// The link as the parent reports it, since the parent knows its open presentations; else as
    /// the child does. Of several endpoints of one parent, only the child knows which it uses.
    private static func link(
        _ child: TopologyNode, _ rank: Int, of parents: [Hop], _ answers: Answers
    ) -> Link {
        let parent = parents[rank]
        let own = try? answers[child.name]?.get()
        let ownRow = own.flatMap { $0.parents.count == parents.count ? $0.parents[rank] : nil }
        let isFirst = parents.firstIndex(of: parent) == rank
        let isOnly = isFirst && parents.lastIndex(of: parent) == rank
        var link = Link(child: child.name, parent: parent, rank: rank, state: .unknown)
        link.isRoute = rank >= child.next.count
        if let ownRow, !isOnly {
            link.take(ownRow)
            return link
        }
        if case .node(let name) = parent, let status = try? answers[name]?.get() {
            if let row = status.children.first(where: { $0.name == child.name }) {
                if isFirst {
                    link.take(row)
                } else if row.state != .live {
                    link.state = .down
                }
                return link
            }
            if status.childrenLeftOut == 0 {
                link.state = .down
                return link
            }
        }
        if let ownRow { link.take(ownRow) }
        return link
    }

    private mutating func markStandby() {
        let inUse = Dictionary(
            links.filter { $0.state == .up && !$0.isRoute }.map { ($0.child, $0.rank ?? 0) },
            uniquingKeysWith: min
        )
        for index in links.indices where links[index].state == .down && !links[index].isRoute {
            guard let used = inUse[links[index].child], let rank = links[index].rank else {
                continue
            }
            links[index].isStandby = rank > used
        }
    }

    /// The children that the file does not have, or not below this parent.
    private func unlisted(_ topology: Topology, _ answers: Answers) -> [Link] {
        topology.settings.flatMap { parent -> [Link] in
            guard let status = try? answers[parent.name]?.get() else { return [] }
            return status.children.compactMap { row in
                let isListed = link(row.name, .node(parent.name)) != nil
                // A client that has left needs no picture.
                guard !isListed, row.state == .live || row.openCount > 0 else { return nil }
                var link = Link(
                    child: row.name, parent: .node(parent.name), rank: nil, state: .unknown)
                link.take(row)
                return link
            }
        }
    }

    private func node(
        _ name: NodeName, _ answer: Result<NodeStatus, StatusFailure>?
    ) -> Node {
        switch answer {
        case .success(let status): return Node(state: .up, openCount: status.openCount)
        case .failure(let failure):
            return Node(
                state: failure.isAnswer ? .up : .unreachable, reason: failure.description)
        case nil: break
        }
        let own = links.filter { $0.child == name }
        if let link = own.first(where: { $0.state == .up }) {
            return Node(state: .up, openCount: link.openCount)
        }
        let isKnown = !own.isEmpty && own.allSatisfy { $0.state == .down }
        return Node(
            state: isKnown ? .unreachable : .unknown,
            openCount: own.lazy.compactMap(\.openCount).first)
    }
}

extension LiveTopology.Link {
    fileprivate mutating func take(_ row: ChildStatus) {
        state = row.state == .live ? .up : .down
        openCount = row.openCount
        sinceMilliseconds = row.sinceMilliseconds
    }

    fileprivate mutating func take(_ row: ParentStatus) {
        state = row.state == .up ? .up : .down
        openCount = row.openCount
        sinceMilliseconds = row.sinceMilliseconds
    }
}

extension LiveTopology.Link {
    /// The state in words, for a picture.
    var words: String {
        var words: [String]
        switch state {
        case .up: words = ["up"]
        case .down: words = [isStandby ? "not in use" : "down"]
        case .unknown: words = ["unknown"]
        }
        if let sinceMilliseconds, !isStandby {
            words[0] += " " + AgeText.text(milliseconds: sinceMilliseconds)
        }
        if let openCount, openCount > 0 || state == .up { words.append("\(openCount) open") }
        return words.joined(separator: ", ")
    }

    package var json: JSONValue {
        [
            "child": child.json, "parent": parent.description.json,
            "state": state.rawValue.json, "isStandby": isStandby.json,
            "openCount": openCount.json, "sinceMilliseconds": sinceMilliseconds.json,
        ]
    }
}

extension LiveTopology.Node {
    /// The state in words, for a picture.
    var words: String {
        switch state {
        case .up: openCount.map { "up, \($0) open" } ?? "up" + (reason.map { ": \($0)" } ?? "")
        case .unreachable: reason ?? "cannot be reached"
        case .unknown: "unknown: it does not listen, and no parent reports it"
        }
    }

    var fields: [String: JSONValue] {
        ["state": state.rawValue.json, "openCount": openCount.json]
    }
}

/// The live state for consoles: read when a client asks, shared by all clients that ask meanwhile,
/// and valid for a moment.
actor LiveView {
    typealias Source = @Sendable () async -> LiveTopology

    static let maxAge: Duration = .seconds(2)

    private let source: Source
    private let now: @Sendable () -> ContinuousClock.Instant
    private var latest: (live: LiveTopology, at: ContinuousClock.Instant)?
    private var asking: Task<LiveTopology, Never>?

    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        source: @escaping Source
    ) {
        self.now = now
        self.source = source
    }

    var current: LiveTopology {
        get async {
            if let latest, latest.at.duration(to: now()) < Self.maxAge { return latest.live }
            if let asking { return await asking.value }
            let task = Task { [source] in await source() }
            asking = task
            let live = await task.value
            asking = nil
            latest = (live, now())
            return live
        }
    }
}
