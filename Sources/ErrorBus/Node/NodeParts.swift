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
    /// Where this node writes what happened to each presentation.
    public var audit: (any AuditLog)?
    /// Which errors are nothing to show.
    public var cancellation = UserCancellation.standard
    public var times = LinkTimes()
    public var limits = LinkLimits()
    public var logger: Logger
    /// Called once every endpoint is listened on.
    public var ready: @Sendable () -> Void = {}

    public init(logger: Logger) { self.logger = logger }
}
