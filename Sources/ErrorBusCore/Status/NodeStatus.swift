/// The status of a running node, its reply to STATUS: links, open presentations, recent faults.
/// Times are ages, since the clocks of two nodes are not comparable.
package struct NodeStatus: Hashable, Sendable {
    /// The most children listed; the live ones come first.
    static let childrenMax = 1024
    /// The most scalars of a text in the status.
    static let textScalarMax = 256

    package var node: NodeName
    /// The program's version; empty if it has none.
    package var version = ""
    /// The id of this life of the process.
    package var boot = ""
    /// The time that the node has been running.
    package var upMilliseconds: UInt64 = 0
    /// Presentations of children that wait for a decision.
    package var openCount = 0
    package var tables = TableSizes()
    package var counters = LinkCounters()
    /// Counts of ignored messages from peers and of failed connections, by kind.
    package var dropped: [String: Int] = [:]
    /// The parents, in the order of `next`.
    package var parents: [ParentStatus] = []
    /// The children, at most ``childrenMax``: live ones first, then by name.
    package var children: [ChildStatus] = []
    /// The number of further children.
    package var childrenLeftOut = 0
    /// The latest faults, newest first.
    package var faults: [NotedFault] = []

    package init(node: NodeName) { self.node = node }

    /// Sorts the children and drops those above the limit.
    package mutating func arrangeChildren() {
        let sorted = children.sorted {
            ($0.state == .live ? 0 : 1, $0.name) < ($1.state == .live ? 0 : 1, $1.name)
        }
        children = Array(sorted.prefix(Self.childrenMax))
        childrenLeftOut = sorted.count - children.count
    }
}

/// One parent of a node, as the node itself sees it.
package struct ParentStatus: Hashable, Sendable {
    package enum State: String, Sendable, CaseIterable, JSONConvertible {
        /// The parent sent WELCOME and is live.
        case up
        /// The node is trying a connection.
        case connecting
        /// The parent is running and refused this node.
        case refused
        /// The node tried the parent without success; another parent is in use or is being tried.
        case down
        /// The parent is later in the list than the one in use, and was not tried.
        case standby
    }

    /// The name that the parent sent; nil before its first WELCOME.
    package var node: NodeName?
    package var endpoint: String
    package var state: State
    /// The reason why the parent is not up, as far as known.
    package var reason: String?
    /// The age of the parent's state.
    package var sinceMilliseconds: UInt64
    /// The number of presentations that wait for the parent's answer.
    package var openCount: Int
}

extension ParentStatus: JSONObject {
    package init() { self.init(endpoint: "", state: .down, sinceMilliseconds: 0, openCount: 0) }

    package static let members: [JSONMember<ParentStatus>] = [
        .init("node", \.node), .init("endpoint", \.endpoint), .init("state", \.state),
        .init("reason", \.reason, shown: { $0?.asStatusText }),
        .init("sinceMilliseconds", \.sinceMilliseconds), .count("open", \.openCount),
    ]
}

/// One child of a node, as the node sees it.
package struct ChildStatus: Hashable, Sendable {
    package enum State: String, Sendable, CaseIterable, JSONConvertible {
        case live
        /// The child sent BYE, as a client that has finished does; kept for ten minutes.
        case left
        /// The child is out of reach; kept for ten minutes in case it returns.
        case lost
    }

    /// The name that the child sent.
    package var name: NodeName
    package var state: State
    /// The age of the child's state.
    package var sinceMilliseconds: UInt64
    /// The number of the child's presentations that wait for a decision.
    package var openCount: Int
    /// The number of the child's decided presentations without a known result.
    package var answeredCount: Int
}

extension ChildStatus: JSONObject {
    package init() {
        self.init(
            name: .bare, state: .lost, sinceMilliseconds: 0, openCount: 0, answeredCount: 0)
    }

    package static let members: [JSONMember<ChildStatus>] = [
        .init("name", \.name, isRequired: true), .init("state", \.state),
        .init("sinceMilliseconds", \.sinceMilliseconds), .count("open", \.openCount),
        .count("answered", \.answeredCount),
    ]
}

/// The number of entries in each table of a node. All but ``children`` are 0 if nothing is open and
/// all tombstones have expired: a table that stays above 0 is a leak.
package struct TableSizes: Hashable, Sendable, JSONObject {
    /// Children known by name, reachable or not.
    package var children = 0
    /// Presentations of children that are not settled.
    package var openBelow = 0
    /// Results and withdrawals kept for children that repeat a request.
    package var rememberedBelow = 0
    /// Answers sent down whose result is awaited here.
    package var attempts = 0
    /// Presentations of children in this node's chain.
    package var offered = 0
    /// Presentations for the parent that are not settled, and withdrawals of such that the parent
    /// has not acknowledged.
    package var openAbove = 0
    /// Results, acknowledged or not, acknowledged withdrawals, and what is passed on for an earlier
    /// life: kept for a parent that repeats the answer, and for a next life of it.
    package var rememberedAbove = 0
    /// Presentations for whose answer from above a task in this process waits.
    package var waiting = 0

    package init() {}

    /// All entries of all tables, without children.
    package var entryCount: Int { rows.reduce(-children) { $0 + $1.count } }

    /// The tables by the names of their JSON keys.
    package var rows: [(name: String, count: Int)] {
        Self.fields.map { ($0, self[keyPath: $1]) }
    }

    package static let members = fields.map { JSONMember.count($0, $1) }

    private static let fields: [(String, any WritableKeyPath<TableSizes, Int> & Sendable)] =
        [
            ("children", \.children), ("openBelow", \.openBelow),
            ("rememberedBelow", \.rememberedBelow), ("attempts", \.attempts),
            ("offered", \.offered), ("openAbove", \.openAbove),
            ("rememberedAbove", \.rememberedAbove), ("waiting", \.waiting),
        ]
}

/// The counters of a node since its start.
package struct LinkCounters: Hashable, Sendable, JSONObject {
    /// Presentations from children; a withdrawn presentation that is presented again counts again.
    package var presentedBelow = 0
    /// Presentations from children that were decided.
    package var answeredBelow = 0
    /// Presentations from children whose result was reported.
    package var settledBelow = 0
    /// Refusals sent to children.
    package var refusedBelow = 0
    /// Presentations sent to the parent.
    package var presentedAbove = 0
    /// Presentations that the parent answered.
    package var answeredAbove = 0
    /// Presentations that the parent refused for good.
    package var refusedAbove = 0

    package init() {}

    /// The counters by the names of their JSON keys.
    package var rows: [(name: String, count: Int)] {
        Self.fields.map { ($0, self[keyPath: $1]) }
    }

    package static let members = fields.map { JSONMember.count($0, $1) }

    private static let fields: [(String, any WritableKeyPath<LinkCounters, Int> & Sendable)] =
        [
            ("presentedBelow", \.presentedBelow), ("answeredBelow", \.answeredBelow),
            ("settledBelow", \.settledBelow), ("refusedBelow", \.refusedBelow),
            ("presentedAbove", \.presentedAbove), ("answeredAbove", \.answeredAbove),
            ("refusedAbove", \.refusedAbove),
        ]
}

/// The JSON of STATE (docs/wire.md, section 15). A later version may add or omit members: only
/// `node` is required.
extension NodeStatus: JSONObject {
    package init() { self.init(node: .bare) }

    package static let members: [JSONMember<NodeStatus>] = [
        .init("node", \.node, isRequired: true),
        .init("version", \.version, shown: \.asStatusText), .init("boot", \.boot),
        .init("upMilliseconds", \.upMilliseconds), .count("open", \.openCount),
        .init("tables", \.tables), .init("counters", \.counters), .init("dropped", \.dropped),
        .init("parents", \.parents), .init("children", \.children),
        .count("childrenLeftOut", \.childrenLeftOut), .init("faults", \.faults),
    ]

    /// Reads the status that another node sent.
    ///
    /// - Throws: When it is not JSON, or names no node.
    package init(payload: [UInt8]) throws(StatusFailure) {
        let json: JSONValue
        do {
            json = try JSONValue.parse(payload, limits: .report)
        } catch {
            throw .malformed("\(error)")
        }
        guard let status = NodeStatus(json: json) else { throw .malformed("no node in it") }
        self = status
    }
}

/// The reason why the status of a node could not be read.
package enum StatusFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// No node answered in time, with the reason if known.
    case unreachable(String)
    /// The node refused: 429 means too many requests, 505 a node that is too old.
    case refused(code: Int, reason: String)
    /// The reply is not a status.
    case malformed(String)

    package var description: String {
        switch self {
        case .unreachable(let reason): reason
        case .refused(505, _):
            "the node is running, but its version does not support STATUS (505)"
        case .refused(let code, let reason): "refused: \(code) \(reason)"
        case .malformed(let problem): "its answer cannot be read: \(problem)"
        }
    }

    /// Whether a node is running there and sent a reply.
    package var isAnswer: Bool {
        if case .unreachable = self { false } else { true }
    }
}

/// A fault of a node, kept for its status.
package struct NotedFault: Hashable, Sendable {
    package enum Source: String, Sendable, CaseIterable, JSONConvertible {
        /// The node logged it as an error.
        case logged
        /// The node refused a request.
        case sent
        /// The node's parent refused a request.
        case got
        /// Connections to the node failed before any message.
        case connection
    }

    package var source: Source
    package var text: String
    /// The number of times that it happened.
    package var count: Int
    /// The time since it last happened.
    package var agoMilliseconds: UInt64

    package init(source: Source, text: String, count: Int, agoMilliseconds: UInt64) {
        self.source = source
        self.text = text
        self.count = count
        self.agoMilliseconds = agoMilliseconds
    }
}

extension NotedFault: JSONObject {
    package init() { self.init(source: .logged, text: "", count: 1, agoMilliseconds: 0) }

    package static let members: [JSONMember<NotedFault>] = [
        .init("source", \.source), .init("text", \.text),
        .init("count", \.count, taken: { max(1, $0) }),
        .init("agoMilliseconds", \.agoMilliseconds),
    ]
}

extension String {
    /// The text for a status: without control characters, at most
    /// ``NodeStatus/textScalarMax`` scalars.
    package var asStatusText: String {
        escapedForTerminal(scalarLimit: NodeStatus.textScalarMax)
    }
}
