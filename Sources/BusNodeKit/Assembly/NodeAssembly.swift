package import ErrorBus
import Foundation
package import Logging
import OrderedCollections
package import ServiceLifecycle
import Synchronization

/// The assembly of a runnable node from its settings in the topology.
package final class NodeAssembly: Sendable {
    /// The version of this program.
    package static let version = "0.1.0"

    package let path: String
    package let loaded: LoadedTopology
    package let settings: TopologyNode
    let logger: Logger
    /// The parts that every node has, whatever its settings.
    private let base: NodeParts
    private let runner: SubprocessRunner
    private let terminal: TerminalPresenter
    /// Whether a command reads standard input.
    private let isInputTaken: Bool
    /// The consoles, by the index of their presenter.
    private let consoles: OrderedDictionary<Int, Console>
    /// The responders made from rules, for a reload.
    private let ruled = RuledResponders()
    private let ledger = Mutex<EventLog?>(nil)
    private let keys = Mutex<KeyRing?>(nil)
    /// The topology that keys were read for last; nil until a reload.
    private let latest = Mutex<Topology?>(nil)
    private let readiness = Mutex<Readiness?>(nil)

    package init(
        topology path: String, node: String, isInputTaken: Bool = false, logger: Logger
    ) throws {
        self.path = path
        self.isInputTaken = isInputTaken
        loaded = try TopologyLoader.load(path, policiesOf: NodeName(node).map { [$0] })
        settings = try loaded.topology.node(named: node, in: path)
        var base = NodeParts(logger: logger)
        base.version = Self.version
        self.base = base
        // Errors that its presenters and consoles log count as faults of the node.
        let logger = base.logger
        self.logger = logger
        var consoles: OrderedDictionary<Int, Console> = [:]
        for case (let index, .console(let console)) in settings.presenters.enumerated() {
            consoles[index] = try Console(
                console, of: settings.name, in: loaded.topology, logger: logger)
        }
        self.consoles = consoles
        terminal = TerminalPresenter(logger: logger, console: consoles.values.first)
        runner = SubprocessRunner(folder: FilePath.folder(of: path))
    }

    /// The node's parts; `ready` is called once it listens, and so do its consoles.
    package func parts(
        use: JournalLock.Use = .alone, ready: @escaping @Sendable () -> Void = {}
    ) throws -> NodeParts {
        makeFoldersOfSockets()
        var parts = base
        // One without keys may get them later.
        parts.keys = try KeyFolder.ring(of: settings.name, in: loaded.topology) ?? KeyRing()
        keys.withLock { $0 = parts.keys }
        // The node itself, and each console that it serves.
        let readiness = Readiness(of: 1 + (use == .alone ? consoles.count : 0), ready: ready)
        self.readiness.withLock { $0 = readiness }
        parts.ready = { readiness.listens() }
        var logs: [any AuditLog] = consoles.values.map(\.audit)
        if let events = settings.events {
            let log = try EventLog(events, node: settings.name, logger: logger)
            ledger.withLock { $0 = log }
            for console in consoles.values { console.log(to: log) }
            logs.insert(log, at: 0)
        }
        if !logs.isEmpty { parts.audit = AuditLogs(logs: logs) }
        if let path = settings.journal {
            let journal = try SQLiteJournal(
                path, of: settings.name, use: use, logger: logger)
            for file in journal.tightened {
                logger.warning(
                    "journal: other users could read it; mode set to 0600",
                    metadata: ["file": "\(file)"])
            }
            parts.journal = journal
            for (number, console) in consoles.values.enumerated() {
                try console.silences.keep(
                    in: JournalSilences(journal: journal, console: number))
                // A client in the node's place serves no console.
                if use == .alone { try console.keepHistory(in: journal, number: number) }
            }
            if use == .alone { try journal.leaveFormerConsoles(from: consoles.count, at: .now) }
            parts.asksAgainAfterRestart = settings.afterRestart == .ask
            Task { [logger, weak journal, retention = settings.retention] in
                // Ends with the node, which owns the journal.
                while await journal?.pruneIfDue(retention, logger) != nil {
                    try? await Task.sleep(for: SQLiteJournal.lookEvery)
                }
            }
        }
        let commands = RuleCommands(runner: runner) { $0.payload() }
        if !settings.responders.isEmpty {
            parts.chain = { [self, audit = parts.audit] next in
                rules(
                    settings.responders, .everyMatch, next, commands, audit, nil, at: .responders)
            }
        }
        if !settings.presenters.isEmpty {
            parts.presenting = { [self, audit = parts.audit, journal = parts.journal] next in
                presenting(next, commands, audit, journal, use)
            }
        }
        return parts
    }

    /// Creates the folders of ipc endpoints, for this user alone, since they have no keys. The
    /// opening of the endpoint reports a failure.
    private func makeFoldersOfSockets() {
        for case .ipc(let path) in settings.listen.map(\.address) {
            let folder = FilePath.folder(of: path)
            guard !folder.isEmpty else { continue }
            try? FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
    }

    /// The services of this node's consoles, once the node is made, in the order of their start.
    package func services(for node: Node) -> [any Service] {
        let readiness = readiness.withLock { $0 }
        return consoles.values.flatMap { console -> [any Service] in
            console.attach(node)
            let server = ConsoleServer(console, listens: { readiness?.listens() })
            // The last answers, which the console sends as it stops, are notified as well.
            return (console.notifier.map { [$0] } ?? []) + [server]
        }
    }

    /// The presenters in order, each in front of those after it. Adjacent consoles and terminals
    /// get a prompt at the same time.
    private func presenting(
        _ next: any Responder, _ commands: RuleCommands, _ audit: (any AuditLog)?,
        _ journal: (any DecisionJournal)?, _ use: JournalLock.Use
    ) -> any Responder {
        var next = next
        var people: [any Presenter] = []
        var silencing: [any Presenter] = []
        func askPeople() {
            defer { (people, silencing) = ([], []) }
            guard let first = people.first else { return }
            let presenter =
                people.count == 1 ? first : FirstOfPresenters(people, logger: logger)
            // A silence of a console also applies to the terminal beside it.
            next = responder(silencing + [presenter], next, audit, journal)
        }
        for (index, presenter) in settings.presenters.enumerated().reversed() {
            switch presenter {
            case .terminal where isInputTaken && isatty(STDIN_FILENO) == 0:
                // The lines of a pipe are for the command, and answer nothing.
                logger.notice("terminal: does not ask, since the command reads the input")
            case .terminal: people.insert(terminal, at: 0)
            case .console:
                guard let console = consoles[index] else { continue }
                if use == .alone {
                    people.insert(console.inbox, at: 0)
                } else {
                    // A client in the node's place serves no page.
                    logger.notice("console: does not ask, since a command takes the node's place")
                }
                silencing.insert(console.silences.presenter(audit: audit), at: 0)
            case .policy(let path, let rules):
                askPeople()
                next = self.rules(
                    rules, .firstMatch, next, commands, audit, journal, at: .policy(path: path))
            case .command(let command):
                askPeople()
                let presenter = CommandPresenter(command: command, runner: runner, logger: logger)
                next = responder([presenter], next, audit, journal)
            }
        }
        askPeople()
        return next
    }

    private func responder(
        _ presenters: [any Presenter], _ next: any Responder, _ audit: (any AuditLog)?,
        _ journal: (any DecisionJournal)?
    ) -> any Responder {
        PresentingResponder(
            settings.name.description, presenters: presenters, next: next, journal: journal,
            audit: audit,
            logger: logger)
    }

    private func rules(
        _ rules: [Rule], _ mode: RuleBook.Mode, _ next: any Responder, _ commands: RuleCommands,
        _ audit: (any AuditLog)?, _ journal: (any DecisionJournal)?, at place: RuledResponders.Place
    ) -> any Responder {
        let policy: String? =
            if case .policy(let path) = place { settings.policyName(path) } else { nil }
        let responder = RuleResponder(
            settings.name, policy: policy, book: RuleBook(rules, mode: mode), next: next,
            routes: base.routes, commands: commands, journal: journal, audit: audit, logger: logger)
        ruled.add(responder, at: place)
        return responder
    }

    /// Reopens the ledger's file, which may have been rotated. Reads the topology again, and
    /// replaces the keys of links, and rules and policies for errors that arrive from now on. An
    /// unreadable file changes nothing.
    package func reload() {
        ledger.withLock { $0 }?.reopen()
        // First, and whatever becomes of the rest: a key may have to be revoked.
        reloadKeys()
        do {
            let fresh = try TopologyLoader.load(path, policiesOf: [self.settings.name])
            guard let settings = fresh.topology.nodes[self.settings.name] else {
                throw Failure(.badConfiguration, "the topology no longer has \(self.settings.name)")
            }
            ruled.replaceRules(with: settings)
            let left = changes(in: fresh.topology, settings)
            var metadata: Logger.Metadata = ["file": "\(path)"]
            if let files = settings.policyFiles { metadata["policies"] = "\(files)" }
            logger.notice("rules read again", metadata: metadata)
            for text in left { logger.warning("needs a restart", metadata: ["what": "\(text)"]) }
        } catch {
            for line in Failure(error).lines(upTo: 20) {
                logger.error("rules not read again", metadata: ["problem": "\(line)"])
            }
        }
    }

    /// The keys of the settings that need a restart: their values differ in `fresh`.
    private func changes(in fresh: Topology, _ node: TopologyNode) -> [String] {
        var keys = settings.changes(in: node).filter(\.value).map(\.key)
        let (former, name) = (loaded.topology, settings.name)
        if !keys.contains("next"),
            former.parentEndpoints(of: name) != fresh.parentEndpoints(of: name)
        {
            keys.append("next")
        }
        let routes = former.routeEndpoints(of: name)
        if fresh.routeEndpoints(of: name).contains(where: { new in
            !routes.contains { $0 == new }
        }) {
            keys.append("route")
        }
        // Links to parents get them at once; a port that is listened on, and links that have
        // them, stay as they are.
        let isListening = settings.listen.contains {
            if case .tcp = $0.address { true } else { false }
        }
        if (fresh.keys == nil) != (former.keys == nil), isListening || fresh.keys == nil {
            keys.append("keys")
        }
        return keys
    }

    /// Reads the folder of keys again. If a file in it cannot be used, the keys stay as they are,
    /// except for keys that their own files no longer have.
    private func reloadKeys() {
        let fresh = try? TopologyLoader.load(path, policiesOf: [settings.name]).topology
        if let fresh, fresh.keys != nil { latest.withLock { $0 = fresh } }
        let topology = latest.withLock(\.self) ?? loaded.topology
        guard let ring = keys.withLock({ $0 }), let path = topology.keys else { return }
        let folder = KeyFolder(path)
        do throws(Failure) {
            var keys = try folder.keys(of: settings.name, in: topology)
            // Nodes that have not read the new public file yet know only the former key, which all
            // accept until it is retired.
            if let own = ring.keys?.own, keys.former[settings.name] == own.publicKey {
                keys.own = own
            }
            ring.replace(with: keys)
            logger.notice("keys read again", metadata: ["folder": "\(path)"])
        } catch {
            logger.error("keys not read again", metadata: ["problem": "\(error.text)"])
            guard var keys = ring.keys, (try? folder.dropRemoved(from: &keys)) != nil else {
                return
            }
            ring.replace(with: keys)
        }
    }
}

/// The responders of one node that were made from rules, by their place in the topology.
final class RuledResponders: Sendable {
    enum Place: Hashable, Sendable {
        case responders
        /// The presenter that reads this policy file.
        case policy(path: String)
    }

    private let responders = Mutex<[(place: Place, responder: RuleResponder)]>([])

    func add(_ responder: RuleResponder, at place: Place) {
        responders.withLock { $0.append((place, responder)) }
    }

    /// Replaces the rules by those of `fresh` settings. A policy that the topology no longer lists
    /// keeps its rules.
    func replaceRules(with fresh: TopologyNode) {
        var books: [Place: RuleBook] = [
            .responders: RuleBook(fresh.responders, mode: .everyMatch)
        ]
        for case .policy(let path, let rules) in fresh.presenters {
            books[.policy(path: path)] = RuleBook(rules, mode: .firstMatch)
        }
        for (place, responder) in responders.withLock(\.self) {
            if let book = books[place] { responder.replaceRules(book) }
        }
    }
}

extension TopologyNode {
    /// The most files of policies that one line of the log names.
    static let policyFileMax = 10

    /// The node's policy files, each once, for a line of the log; nil without any.
    var policyFiles: String? {
        var files: [String] = []
        for case .policy(let path, _) in presenters where !files.contains(path) {
            files.append(path)
        }
        guard !files.isEmpty else { return nil }
        let named = files.prefix(Self.policyFileMax).joined(separator: ", ")
        let rest = files.count - Self.policyFileMax
        return rest > 0 ? "\(named) and \(rest) more" : named
    }
}
