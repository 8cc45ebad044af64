/// How a running node is, as it answers a STATUS: its links, what is open, what went wrong.
/// Times are ages, since the clocks of two nodes never meet.
public struct NodeStatus: Hashable, Sendable {
    /// The most children that it lists; the live ones come first.
    public static let childrenMax = 1024

    public var node: NodeName
    /// What its program calls its version; empty where it has none.
    public var version = ""
    /// One life of its process.
    public var boot = ""
    /// For how long it has been running.
    public var upMilliseconds: UInt64 = 0
    /// Presentations of children that wait for a decision.
    public var openCount = 0
    public var tables = TableSizes()
    public var counters = LinkCounters()
    /// What peers sent that changed nothing, by kind.
    public var dropped: [String: Int] = [:]
    /// In the order of preference.
    public var parents: [ParentStatus] = []
    /// At most ``childrenMax``, live ones first, then by name.
    public var children: [ChildStatus] = []
    /// How many children there are beside those.
    public var childrenLeftOut = 0
    /// Newest first.
    public var faults: [NotedFault] = []

    public init(node: NodeName) { self.node = node }

    /// Puts the children in order and leaves out those above the limit.
    mutating func arrangeChildren() {
        let sorted = children.sorted {
            ($0.state == .live ? 0 : 1, $0.name) < ($1.state == .live ? 0 : 1, $1.name)
        }
        children = Array(sorted.prefix(Self.childrenMax))
        childrenLeftOut = sorted.count - children.count
    }
}
