/// What the topology says about one node, defaults applied and paths resolved.
public struct NodeSettings: Hashable, Sendable {
    public let name: NodeName
    /// The parents, in order of preference; empty at a root.
    public var next: [Hop] = []
    /// Where children connect.
    public var listen: [Endpoint] = []
    /// Asked in order; the first that does not decline answers.
    public var presenters: [PresenterSettings] = []
    /// Every matching rule applies, top to bottom.
    public var responders: [Rule] = []
    /// How long a presentation that arises here may take; nil: as long as its caller lives.
    public var deadline: Duration?
    public var whenUnreachable = UnreachablePolicy.hold
    /// How long the parent may be out of reach before ``whenUnreachable`` applies.
    public var grace: Duration = .seconds(10)
    /// How long a child may be out of reach before its presentations are withdrawn.
    public var abandonAfter: Duration = .seconds(60)
    /// Whether other machines may connect without keys.
    public var allowUnauthenticated = false
    /// The path of a log of events, one JSON value a line.
    public var events: String?
    /// The path of the presenter's journal, where decisions survive a restart.
    public var journal: String?
    /// What becomes of questions that were shown, and not answered, before a restart.
    public var afterRestart = RestartPolicy.ask

    public init(name: NodeName) { self.name = name }

    /// Where its rules send errors instead of to ``next``, each once.
    public var routes: [Hop] {
        var rules = responders
        for case .policy(_, let policy) in presenters { rules += policy }
        var hops: [Hop] = []
        for hop in rules.compactMap({ $0.route.flatMap { Hop($0) } }) where !hops.contains(hop) {
            hops.append(hop)
        }
        return hops
    }

    /// Whether its presenters only stand in for parents that are out of reach.
    package var asksPresentersOnlyWhenCutOff: Bool {
        whenUnreachable == .presentLocally && !next.isEmpty
    }
}
