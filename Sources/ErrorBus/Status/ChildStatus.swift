/// One child of a node, as the node sees it.
public struct ChildStatus: Hashable, Sendable {
    public enum State: String, Sendable, CaseIterable {
        case live
        /// It said goodbye, as a client does that is done; kept for ten minutes.
        case left
        /// Nothing reaches it; kept for ten minutes, should it come back.
        case lost
    }

    /// What it called itself.
    public var name: NodeName
    public var state: State
    /// For how long its state has been that.
    public var sinceMilliseconds: UInt64
    /// Its presentations that wait for a decision.
    public var openCount: Int
    /// Its presentations that are decided, and what came of them is not known yet.
    public var answeredCount: Int

    public init(
        name: NodeName, state: State, sinceMilliseconds: UInt64, openCount: Int,
        answeredCount: Int
    ) {
        self.name = name
        self.state = state
        self.sinceMilliseconds = sinceMilliseconds
        self.openCount = openCount
        self.answeredCount = answeredCount
    }
}
