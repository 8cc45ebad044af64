/// What the topology says about one node, defaults applied and paths resolved.
public struct NodeSettings: Hashable, Sendable {
    public let name: NodeName
    /// The parents, in order of preference; empty at a root.
    package var next: [Hop] = []
    /// Where children connect.
    public var listen: [Endpoint] = []
    /// Asked in order; the first that does not decline answers.
    package var presenters: [PresenterSettings] = []
    /// Every matching rule applies, top to bottom.
    package var responders: [Rule] = []
    /// How long a presentation that arises here may take; nil: as long as its caller lives.
    public var deadline: Duration?
    public var whenUnreachable = UnreachablePolicy.hold
    /// How long the parent may be out of reach before ``whenUnreachable`` applies.
    public var grace: Duration = .seconds(10)
    /// How long a child may be out of reach before its presentations are withdrawn.
    public var abandonAfter: Duration = .seconds(60)
    /// Whether other machines may connect without keys. Without it a node refuses to listen on
    /// anything but ipc and loopback (``NodeError/unauthenticated(_:)``).
    public var allowUnauthenticated = false
    /// The path of a log of events, one JSON value a line.
    package var events: String?
    /// The path of the presenter's journal, where decisions survive a restart.
    package var journal: String?
    /// What becomes of questions that were shown, and not answered, before a restart.
    package var afterRestart = RestartPolicy.ask

    public init(name: NodeName) { self.name = name }

    /// Where its rules send errors instead of to ``next``, each once.
    package var routes: [Hop] {
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

/// What an origin does with an open presentation once its parent has been out of reach for
/// longer than the grace.
public enum UnreachablePolicy: String, Hashable, Sendable, CaseIterable {
    /// Wait on; it is presented when the link comes back.
    case hold
    /// Ask the presenters of this process.
    case presentLocally
    /// Complete with reason `unreachable`.
    case fail
}

/// What a presenter does with a question that it had shown, unanswered, before it was restarted.
package enum RestartPolicy: String, Hashable, Sendable, CaseIterable {
    /// Shows it again, marked as shown before, once its origin asks again.
    case ask
    /// Refuses it (410): a person may have acted on it.
    case never
}
