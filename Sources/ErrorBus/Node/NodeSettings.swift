/// The settings of one node.
public struct NodeSettings: Hashable, Sendable {
    /// The node's name, unique in its topology. Not ``NodeName/bare``, which is reserved.
    public let name: NodeName
    /// The endpoints where children connect; empty: no child can.
    public var listen: [Endpoint] = []
    /// The time limit of a presentation that arises here; nil: as long as its caller lives.
    public var deadline: Duration?
    /// The policy for open presentations once ``grace`` has passed without a parent.
    public var whenUnreachable = UnreachablePolicy.hold
    /// The time without a reachable parent after which ``whenUnreachable`` applies; 10 s by
    /// default.
    public var grace: Duration = .seconds(10)
    /// The time after which the node withdraws the presentations of a child that is out of reach;
    /// 60 s by default.
    public var abandonAfter: Duration = .seconds(60)
    /// The most open presentations of the node, of all its children together; 16,384 by default.
    /// One outside of ``maxOpenRange`` counts as the nearest in it. Each takes a few times the
    /// memory of its report.
    public var maxOpen = LinkLimits.openPerNodeDefault
    /// The values that ``maxOpen`` can have.
    public static let maxOpenRange = 1...131_072
    /// Whether links to other machines need no keys. By default a node without keys refuses to
    /// listen on anything but ipc and loopback (``NodeError/unauthenticated(_:)``), and to connect
    /// to anything else (``NodeError/unauthenticatedParent(_:)``).
    public var allowUnauthenticated = false

    /// Settings with a name and the defaults of everything else: no endpoint, no parent.
    public init(name: NodeName) { self.name = name }

    /// The limits of a node, with room for ``maxOpen``.
    func limits(_ limits: LinkLimits) -> LinkLimits {
        guard maxOpen != LinkLimits.openPerNodeDefault else { return limits }
        let range = Self.maxOpenRange
        var limits = limits
        limits.allow(open: min(max(maxOpen, range.lowerBound), range.upperBound))
        return limits
    }
}

/// The policy of an origin for an open presentation once its parent has been out of reach for
/// longer than the grace.
public enum UnreachablePolicy: String, Hashable, Sendable, CaseIterable {
    /// Wait; the error is presented when the link is back.
    case hold
    /// Ask the presenters of this process.
    case presentLocally
    /// Complete with reason `unreachable`.
    case fail
}
