/// One parent of a node, as the node itself sees it.
public struct ParentStatus: Hashable, Sendable {
    public enum State: String, Sendable, CaseIterable {
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
    public var node: NodeName?
    public var endpoint: String
    public var state: State
    /// Why it is not up, as far as known.
    public var reason: String?
    /// For how long its state has been that.
    public var sinceMilliseconds: UInt64
    /// Presentations that wait for its answer.
    public var openCount: Int

    public init(
        node: NodeName? = nil, endpoint: String, state: State, reason: String? = nil,
        sinceMilliseconds: UInt64, openCount: Int
    ) {
        self.node = node
        self.endpoint = endpoint
        self.state = state
        self.reason = reason
        self.sinceMilliseconds = sinceMilliseconds
        self.openCount = openCount
    }
}
