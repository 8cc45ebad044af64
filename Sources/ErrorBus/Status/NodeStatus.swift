/// How a running node is, as it answers a STATUS: its links, what is open, what went wrong.
/// Times are ages, since the clocks of two nodes never meet.
package struct NodeStatus: Hashable, Sendable {
    /// The most children that it lists; the live ones come first.
    package static let childrenMax = 1024

    package var node: NodeName
    /// What its program calls its version; empty where it has none.
    package var version = ""
    /// One life of its process.
    package var boot = ""
    /// For how long it has been running.
    package var upMilliseconds: UInt64 = 0
    /// Presentations of children that wait for a decision.
    package var openCount = 0
    package var tables = TableSizes()
    package var counters = LinkCounters()
    /// What peers sent that changed nothing, by kind.
    package var dropped: [String: Int] = [:]
    /// In the order of preference.
    package var parents: [ParentStatus] = []
    /// At most ``childrenMax``, live ones first, then by name.
    package var children: [ChildStatus] = []
    /// How many children there are beside those.
    package var childrenLeftOut = 0
    /// Newest first.
    package var faults: [NotedFault] = []

    package init(node: NodeName) { self.node = node }

    /// Puts the children in order and leaves out those above the limit.
    mutating func arrangeChildren() {
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
        /// It said WELCOME, and is heard of.
        case up
        /// It is being tried.
        case connecting
        /// It is there, and does not take this node.
        case refused
        /// It was tried in vain; another one is in use or is being tried.
        case down
        /// It comes later in the list than the one in use, and has not been needed.
        case standby
    }

    /// What it called itself; nil before its first WELCOME.
    package var node: NodeName?
    package var endpoint: String
    package var state: State
    /// Why it is not up, as far as known.
    package var reason: String?
    /// For how long its state has been that.
    package var sinceMilliseconds: UInt64
    /// Presentations that wait for its answer.
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
        /// It said goodbye, as a client does that is done; kept for ten minutes.
        case left
        /// Nothing reaches it; kept for ten minutes, should it come back.
        case lost
    }

    /// What it called itself.
    package var name: NodeName
    package var state: State
    /// For how long its state has been that.
    package var sinceMilliseconds: UInt64
    /// Its presentations that wait for a decision.
    package var openCount: Int
    /// Its presentations that are decided, and what came of them is not known yet.
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

/// How many entries each table of a node holds. All but ``children`` are 0 when nothing is open
/// and what was remembered is forgotten: a table that stays above is a leak.
package struct TableSizes: Hashable, Sendable, JSONObject {
    /// Children known by name, reachable or not.
    package var children = 0
    /// Presentations of children that are not settled.
    package var openBelow = 0
    /// Results and withdrawals kept for children that ask again.
    package var rememberedBelow = 0
    /// Answers sent down whose result is awaited here.
    package var attempts = 0
    /// Presentations of children that this node's chain works on.
    package var offered = 0
    /// Presentations asked of the parent that are not settled.
    package var openAbove = 0
    /// Results and withdrawals kept for a parent that has not heard them.
    package var rememberedAbove = 0
    /// Presentations whose answer from above something in this process waits for.
    package var waiting = 0

    package init() {}

    /// All entries of all tables together, children aside.
    package var entryCount: Int { rows.reduce(-children) { $0 + $1.count } }

    /// With the names they have as data.
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

/// What a node has done since it started. They only grow.
package struct LinkCounters: Hashable, Sendable, JSONObject {
    /// Presentations that children asked; asked again after it was given up counts once more.
    package var presentedBelow = 0
    /// Those that were decided.
    package var answeredBelow = 0
    /// Those of which the child said what came of them.
    package var settledBelow = 0
    /// Refusals said to children.
    package var refusedBelow = 0
    /// Presentations asked of the parent.
    package var presentedAbove = 0
    /// Those that the parent answered.
    package var answeredAbove = 0
    /// Those that the parent refused for good.
    package var refusedAbove = 0

    package init() {}

    /// With the names they have as data.
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

/// As STATE carries it (docs/wire.md, section 15). A later version may say more, or leave out what
/// nothing here depends on: only `node` is required.
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

    /// Reads what another node said of itself.
    ///
    /// - Throws: When it is no JSON, or nothing that names its node.
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

/// Why a node did not tell how it is.
package enum StatusFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// No node answered in time; what is known of why.
    case unreachable(String)
    /// It is there, and refused: 429 is asked too often, 505 an earlier version of the node.
    case refused(code: Int, reason: String)
    /// What came is no status.
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

    /// A node is there.
    package var isAnswer: Bool {
        if case .unreachable = self { false } else { true }
    }
}
