public import Logging

/// What a node is put together from, beside its settings: the parts that are code.
public struct NodeParts: Sendable {
    /// Puts responders in front of `next`, which is what the node itself adds at the end: its
    /// presenters, then its parent. Returns the head of the chain.
    public typealias Chain = @Sendable (_ next: any Responder) -> any Responder

    /// This process's own responders; nil for none.
    public var chain: Chain?
    /// Asked in order, once the responders have had their say.
    public var presenters: [any Presenter] = []
    /// Puts this node's presenters in front of `next`, where a list of ``presenters`` does not
    /// say it all (a policy between two of them). Used in place of ``presenters``.
    package var presenting: Chain?
    /// The ways that rules can send errors by: filled by the one node that is made of these parts.
    package let routes = RouteTable()
    /// Where this node's presenters keep what they decided, across its lives.
    package var journal: (any DecisionJournal)?
    /// What may have been shown before a restart and is asked again is shown again; otherwise
    /// refused (410).
    package var asksAgainAfterRestart = true
    /// Where this node writes what happened to each presentation.
    public var audit: (any AuditLog)?
    /// What presentations of this process name as their origin; nil: the node's own name.
    package var origin: NodeName?
    /// Which errors are nothing to show.
    public var cancellation = UserCancellation.standard
    package var times = LinkTimes()
    package var limits = LinkLimits()
    public var logger: Logger
    /// What this program calls its version, for those that ask how the node is.
    public var version = ""
    /// Where ``logger`` notes what it says at error level.
    let faults = RecentFaults()
    /// Called once every endpoint is listened on.
    public var ready: @Sendable () -> Void = {}

    /// - Parameter logger: Kept as ``logger`` in a form that also notes errors, so that the node
    ///   can tell of them. What else logs for this node may log with that one.
    public init(logger: Logger) { self.logger = faults.watching(logger) }
}
