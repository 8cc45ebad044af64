package import ErrorBus

/// A node of a topology: its settings as a node of the library, and the parts that `bus-node` adds;
/// with defaults applied and paths resolved.
@dynamicMemberLookup
package struct TopologyNode: Hashable, Sendable {
    package var settings: NodeSettings
    /// The parents, in order of preference; empty at a root.
    package var next: [Hop] = []
    /// The endpoint where children on other machines connect, if ``listen`` does not have it.
    package var advertise: Endpoint?
    /// The presenters, in the order in which they get a prompt until one does not decline.
    package var presenters: [PresenterSettings] = []
    /// The rules in order; every matching rule applies.
    package var responders: [Rule] = []
    /// The webhooks that the node's console notifies.
    package var notify: [HookSettings] = []
    /// The path of the ledger, one JSON value a line.
    package var events: String?
    /// The path of the presenter's journal, in which decisions survive a restart.
    package var journal: String?
    /// The endings of SQLite's files beside a journal, which belong to its content.
    static let logEndings = ["-wal", "-shm", "-journal"]
    /// The endings of the files beside a journal: SQLite's, and the lock.
    package static let journalEndings = logEndings + ["-lock"]
    /// The treatment of presentations that were shown, but not answered, before a restart.
    package var afterRestart = RestartPolicy.ask
    /// The retention of the journal.
    package var retention = JournalRetention()

    package init(name: NodeName) { settings = NodeSettings(name: name) }

    package subscript<Value>(dynamicMember member: KeyPath<NodeSettings, Value>) -> Value {
        settings[keyPath: member]
    }

    package subscript<Value>(dynamicMember member: WritableKeyPath<NodeSettings, Value>) -> Value {
        get { settings[keyPath: member] }
        set { settings[keyPath: member] = newValue }
    }

    /// The endpoint that others connect to: the advertised one, else the first of ``listen`` that
    /// is concrete. Nil without such an endpoint.
    package var endpoint: Endpoint? {
        advertise ?? settings.listen.lazy.compactMap(\.connectable).first
    }

    /// The destinations of the node's rules other than ``next``, each once.
    package var routes: [Hop] {
        var rules = responders
        for case .policy(_, let policy) in presenters { rules += policy }
        var hops: [Hop] = []
        for hop in rules.compactMap({ $0.route.flatMap { Hop($0) } }) where !hops.contains(hop) {
            hops.append(hop)
        }
        return hops
    }

    /// Whether a policy file of the node was not read: only the node's own machine has to have it.
    var hasUnreadPolicy: Bool {
        presenters.contains { presenter in
            if case .policy(_, let rules) = presenter { rules.isEmpty } else { false }
        }
    }

    /// The name of a policy in the author of its answers, beside that of the node: the name of its
    /// file, or its path if another policy has a file of that name. Nil if the node has no other
    /// rules.
    func policyName(_ path: String) -> String? {
        var paths: Set<String> = []
        for case .policy(let path, _) in presenters { paths.insert(path) }
        guard paths.count > 1 || !responders.isEmpty else { return nil }
        func file(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }
        let isAlone = paths.count { file($0) == file(path) } == 1
        return (isAlone ? file(path) : path).shown().clipped(Self.policyNameScalarMax)
    }

    /// The most characters of a policy's name in the author of an answer.
    private static let policyNameScalarMax = 80

    /// The keys of the settings that a running node does not take from a topology that was read
    /// again, each with whether it differs there. `responders` and policies it takes.
    func changes(in fresh: TopologyNode) -> KeyValuePairs<String, Bool> {
        [
            "next": next != fresh.next, "listen": self.listen != fresh.listen,
            "advertise": advertise != fresh.advertise,
            "presenters": presenters.map(\.withoutRules) != fresh.presenters.map(\.withoutRules),
            "notify": notify != fresh.notify,
            // The first ones change the chain itself.
            "responders": responders.isEmpty && !fresh.responders.isEmpty,
            "deadline": self.deadline != fresh.deadline,
            "whenUnreachable": self.whenUnreachable != fresh.whenUnreachable,
            "grace": self.grace != fresh.grace,
            "abandonAfter": self.abandonAfter != fresh.abandonAfter,
            "maxOpen": self.maxOpen != fresh.maxOpen,
            "allowUnauthenticated": self.allowUnauthenticated != fresh.allowUnauthenticated,
            "events": events != fresh.events, "journal": journal != fresh.journal,
            "afterRestart": afterRestart != fresh.afterRestart,
            "retention": retention != fresh.retention,
        ]
    }

    package var hasConsole: Bool {
        presenters.contains { if case .console = $0 { true } else { false } }
    }

    /// Whether the node asks its presenters only while all parents are out of reach.
    package var asksPresentersOnlyWhenCutOff: Bool {
        settings.whenUnreachable == .presentLocally && !next.isEmpty
    }
}

extension PresenterSettings {
    fileprivate var withoutRules: PresenterSettings {
        if case .policy(let path, _) = self { .policy(path: path, rules: []) } else { self }
    }
}

extension Node {
    /// A node of a topology, with its parents and the destinations of its rules.
    package convenience init(_ node: TopologyNode, in topology: Topology, parts: NodeParts) {
        self.init(
            node.settings, parents: topology.parentEndpoints(of: node.name),
            routes: topology.routeEndpoints(of: node.name), parts: parts)
    }
}

/// The policy of a restarted presenter for a presentation that it had shown without an answer.
package enum RestartPolicy: String, Hashable, Sendable, CaseIterable {
    /// Shows the presentation again, marked as shown before, when its origin sends it again.
    case ask
    /// Refuses the presentation (410): a person may have acted on it.
    case never
}
