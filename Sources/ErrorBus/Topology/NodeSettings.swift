/// The settings of one node in the topology, with defaults applied and paths resolved.
public struct NodeSettings: Hashable, Sendable {
    /// The node's name, unique in its topology. Not ``NodeName/bare``, which is reserved.
    public let name: NodeName
    /// The parents, in order of preference; empty at a root.
    package var next: [Hop] = []
    /// The endpoints where children connect; empty: none can.
    public var listen: [Endpoint] = []
    /// Where children on other machines connect, when that is not what ``listen`` says.
    package var advertise: Endpoint?
    /// In the order in which they are asked, until one does not decline.
    package var presenters: [PresenterSettings] = []
    /// In order; every matching rule applies.
    package var responders: [Rule] = []
    /// The time limit of a presentation that arises here; nil: as long as its caller lives.
    public var deadline: Duration?
    /// What happens to open presentations once ``grace`` has passed without a parent.
    public var whenUnreachable = UnreachablePolicy.hold
    /// How long no parent may be reachable before ``whenUnreachable`` applies; 10 s by default.
    public var grace: Duration = .seconds(10)
    /// How long a child may be out of reach before its presentations are withdrawn; 60 s by
    /// default.
    public var abandonAfter: Duration = .seconds(60)
    /// Whether links to other machines need no keys. By default a node without keys refuses to
    /// listen on anything but ipc and loopback (``NodeError/unauthenticated(_:)``), and to connect
    /// to anything else (``NodeError/unauthenticatedParent(_:)``).
    public var allowUnauthenticated = false
    /// The webhooks that its console notifies.
    package var notify: [HookSettings] = []
    /// The path of the ledger, one JSON value a line.
    package var events: String?
    /// The path of the presenter's journal, where decisions survive a restart.
    package var journal: String?
    /// The endings of the files beside a journal: SQLite's, and the lock.
    package static let journalEndings = ["-wal", "-shm", "-journal", "-lock"]
    /// How presentations are treated that were shown, but not answered, before a restart.
    package var afterRestart = RestartPolicy.ask
    /// How long the journal keeps what is over.
    package var retention = JournalRetention()

    /// Settings with a name and the defaults of everything else: no endpoint, no parent.
    public init(name: NodeName) { self.name = name }

    /// The endpoint that others connect to: the advertised one, else the first of ``listen`` that
    /// is concrete. Nil when there is none.
    package var endpoint: Endpoint? {
        advertise ?? listen.lazy.compactMap(\.connectable).first
    }

    /// The destinations of its rules other than ``next``, each once.
    package var routes: [Hop] {
        var rules = responders
        for case .policy(_, let policy) in presenters { rules += policy }
        var hops: [Hop] = []
        for hop in rules.compactMap({ $0.route.flatMap { Hop($0) } }) where !hops.contains(hop) {
            hops.append(hop)
        }
        return hops
    }

    /// Whether its presenters are asked only while all parents are out of reach.
    package var asksPresentersOnlyWhenCutOff: Bool {
        whenUnreachable == .presentLocally && !next.isEmpty
    }
}

/// What an origin does with an open presentation once its parent has been out of reach for longer
/// than the grace.
public enum UnreachablePolicy: String, Hashable, Sendable, CaseIterable {
    /// Wait; it is presented when the link is back.
    case hold
    /// Ask the presenters of this process.
    case presentLocally
    /// Complete with reason `unreachable`.
    case fail
}

/// How a restarted presenter treats a presentation that it had shown without an answer.
package enum RestartPolicy: String, Hashable, Sendable, CaseIterable {
    /// Shows it again, marked as shown before, when its origin sends it again.
    case ask
    /// Refuses it (410): a person may have acted on it.
    case never
}
