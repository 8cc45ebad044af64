import ArgumentParser
import BusLab
import BusNodeKit
import ErrorBus
import Foundation
import Glibc
import Logging
import OrderedCollections
import UnixSignals

/// One process of a chaos run, started by `bus-node chaos`, by `bus-node soak` and in containers,
/// not by people.
struct ChaosNode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos-node", abstract: "One process of a chaos run.", shouldDisplay: false)

    @Option var topology: String
    @Option var node: String
    @Option var folder: String
    @Option var seed: UInt64
    @Option var role: String
    @Option var parent: [String] = []
    @Option var share = 0
    /// Microseconds on the machine's clock; when not given, it waits for the folder's start.
    @Option var start: Int64?
    /// Microseconds.
    @Option var window: Int64 = 0
    /// A share presented before the one above, in the form of `share`: how many, when, how long.
    @Option var warmUpShare = 0
    @Option var warmUpStart: Int64 = 0
    @Option var warmUpWindow: Int64 = 0
    /// How many milliseconds results are remembered.
    @Option var tombstone = LinkTimes().tombstone
    @Option var statusFile: String?
    /// For a soak, which measures memory.
    @Flag var givesMemoryBack = false
    @Option var logLevel: Logger.Level = .error

    func run() async throws {
        BusLogHandler.bootstrap(level: logLevel)
        try await orFail {
            let loaded = try TopologyLoader.load(topology)
            guard let name = NodeName(node), let settings = loaded.topology.nodes[name],
                let role = ChaosPlan.Role(rawValue: role)
            else { throw Failure(.usage, "no node \(node) as \(role)") }
            let folder = ChaosFolder(path: folder)
            let status = try statusFile.map { path throws(Failure) in try StatusFile(path) }
            try FileManager.default.createDirectory(
                atPath: folder.path, withIntermediateDirectories: true)
            let path = folder.log(of: name)
            var past = LedgerReader(path)
            let done = Set(past.newEvents().filter { $0.kind == .report }.map(\.id)).count
            let log = try ChaosLog(path, node: name)
            log.record(.start, .make())
            let parents = try parent.map { try Endpoint($0) }
            var parts = try parts(settings, role, folder, log)
            parts.keys = try keys(of: settings, in: loaded.topology, parents)
            let node = Node(settings.settings, parents: parents, parts: parts)
            let warmUp = ChaosWorker(
                name: name, node: node, log: log, share: warmUpShare, done: done,
                start: Duration.microseconds(warmUpStart), folder: folder,
                window: .microseconds(warmUpWindow), seed: seed)
            let worker = ChaosWorker(
                name: name, node: node, log: log, share: share, done: max(0, done - warmUpShare),
                start: start.map { Duration.microseconds($0) }, folder: folder,
                window: .microseconds(window), seed: seed)
            try await Self.serve(
                node, role == .worker ? [warmUp, worker] : [], status, givesMemoryBack)
        }
    }

    /// The topology's keys, for links to parents by way of the proxies before them.
    private func keys(
        of settings: TopologyNode, in topology: Topology, _ parents: [Endpoint]
    ) throws(Failure) -> KeyRing? {
        guard let path = topology.keys else { return nil }
        var keys = try KeyFolder(path).keys(of: settings.name, in: topology)
        let destinations = topology.destinations(of: settings)
        for case (.node(let parent), let endpoint) in zip(destinations, parents) {
            keys.parents[endpoint] = parent
        }
        return KeyRing(keys)
    }

    private func parts(
        _ settings: TopologyNode, _ role: ChaosPlan.Role, _ folder: ChaosFolder, _ log: ChaosLog
    ) throws -> NodeParts {
        let logger = Logger(label: node)
        let audit = try EventLog(
            folder.log(of: settings.name), node: settings.name, logger: logger)
        var parts = NodeParts(logger: logger)
        parts.times.tombstone = tombstone
        parts.audit = audit
        parts.ready = { ServiceNotification.ready(file: folder.readyFile(of: settings.name)) }
        if !settings.responders.isEmpty {
            parts.chain = { next in
                RuleResponder(
                    settings.name, book: RuleBook(settings.responders, mode: .everyMatch),
                    next: next, commands: RuleCommands(runner: NoCommands()) { $0.payload() },
                    audit: audit, logger: logger)
            }
        }
        if role == .presenter {
            let presenter = ChaosPresenter(
                log, seed: SeededGenerator.seed(seed, part: "\(settings.name) \(getpid())"))
            // A journal of this run: the topology's holds people's decisions.
            if settings.journal != nil {
                parts.journal = try SQLiteJournal(
                    folder.journal(of: settings.name), of: settings.name)
                parts.asksAgainAfterRestart = settings.afterRestart == .ask
            }
            let journal = parts.journal
            parts.presenting = { next in
                PresentingResponder(
                    settings.name.description, presenters: [presenter], next: next,
                    journal: journal, audit: audit,
                    logger: logger)
            }
        }
        return parts
    }

    /// Runs until a signal, or until the process that started it is gone.
    private static func serve(
        _ node: Node, _ workers: [ChaosWorker], _ status: StatusFile?,
        _ givesMemoryBack: Bool
    ) async throws {
        let starter = getppid()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await node.run() }
            group.addTask {
                for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) { return }
            }
            group.addTask {
                while getppid() == starter { try await Task.sleep(for: .seconds(1)) }
            }
            if let status { group.addTask { await status.keep(node) } }
            if givesMemoryBack {
                group.addTask { try await keepGivingMemoryBack(of: node) }
            }
            if !workers.isEmpty {
                // Stays after its share, for answers that are still on their way.
                group.addTask {
                    for worker in workers { try await worker.run() }
                    try await Task.sleep(for: .seconds(86_400))
                }
            }
            try await group.next()
            group.cancelAll()
            while (try? await group.next()) != nil {}
        }
    }

    /// So that resident memory shows what is in use whenever the node's tables are empty.
    private static func keepGivingMemoryBack(of node: Node) async throws {
        while true {
            try await Task.sleep(for: .seconds(2))
            if await node.tableSizes.entryCount == 0 { ProcessMemory.giveBack() }
        }
    }
}

/// Runs no command: those of the topology's rules have real effects.
private struct NoCommands: CommandRunner {
    func run(
        _ command: [String], environment: [String: String], input: [UInt8], timeLimit: Duration
    ) async throws -> CommandResult {
        throw Failure(.notPermitted, "a chaos run starts no commands")
    }
}
