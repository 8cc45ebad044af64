public import ArgumentParser
import BusNodeKit
import ErrorBus
import Foundation
public import Logging
import ServiceLifecycle
import UnixSignals

/// `bus-node run`: one node of a topology, until SIGTERM or SIGINT.
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run one node of a topology.",
        discussion: """
            Ends on SIGTERM, SIGINT, or when its terminal is closed; SIGHUP reads rules, policies \
            and keys again and reopens the ledger (`events:`). Exits 66 when a file is missing, \
            73 when it cannot listen on an endpoint or create a file, 75 when another process has \
            the journal, 78 when the topology is invalid.

            Example: bus-node run --topology topology.yaml --node central
            """)

    @OptionGroup var choice: TopologyChoice

    @Option(help: "The node of the topology to run; BUS_NODE_NODE when not given.")
    var node: String?

    @Option(
        help: "A file to create once the node and its consoles listen; has the process id.")
    var readyFile: String?

    @Option(help: "Write the sizes of the node's tables to this file as JSON, every second.")
    var statusFile: String?

    /// For the children of `up`, which must not outlive it.
    @Flag(help: .hidden)
    var endsWithOutput = false

    @Option(help: "What to log: trace, debug, info, notice, warning, error or critical.")
    var logLevel: Logger.Level = .info

    func run() async throws {
        BusLogHandler.bootstrap(level: logLevel)
        try await orFail {
            try ServiceNotification.prepare(file: readyFile)
            let status = try statusFile.map { path throws(Failure) in try StatusFile(path) }
            let topology = try choice.path()
            let name = try nodeName(in: topology)
            let logger = Logger(label: name)
            DescriptorLimit.raise()
            let assembly = try NodeAssembly(topology: topology, node: name, logger: logger)
            Self.warn(of: assembly, logger)
            let file = readyFile
            let listening = assembly.settings.listen.map(\.description).joined(separator: " ")
            let parts = try assembly.parts {
                logger.info("node is up", metadata: ["listen": "\(listening)"])
                ServiceNotification.ready(file: file)
            }
            let node = Node(assembly.settings, in: assembly.loaded.topology, parts: parts)
            if endsWithOutput { OutputWatch.start() }
            defer { ServiceNotification.ended(file: file) }
            try await Self.serve(node, assembly, status, logger)
            logger.info("node is down")
        }
    }

    private func nodeName(in topology: String) throws -> String {
        let environment = ProcessInfo.processInfo.environment
        if let name = node ?? environment[filled: "BUS_NODE_NODE"] { return name }
        let known = try TopologyLoader.load(topology).topology.nodeNames
        throw Failure(.usage, "\(topology.shown()): give --node NAME; nodes: \(known)")
    }

    /// Logs the problems that do not keep this node from starting.
    private static func warn(of assembly: NodeAssembly, _ logger: Logger) {
        let (settings, path) = (assembly.settings, assembly.path)
        let missing = NamedFiles(assembly.loaded.topology, path).missingPrograms(of: settings)
        for text in assembly.loaded.warnings.map(\.description) + missing.map(\.problem.description)
        {
            logger.warning("topology", metadata: ["text": "\(text)"])
        }
        if settings.presenters.contains(.terminal), !Terminal.canBeAnswered {
            let other = settings.hasConsole ? "answer at its console" : "give it a console"
            logger.warning(
                "terminal: standard input is not a terminal, so it cannot answer prompts",
                metadata: ["try": "run this node in a terminal, or \(other)"])
        }
    }

    private static func serve(
        _ node: Node, _ assembly: NodeAssembly, _ status: StatusFile?, _ logger: Logger
    ) async throws {
        // Trapped before the node reports that it is up.
        let hangup = Hangup()
        let hangups = await UnixSignalsSequence(trapping: [.sighup])
        let reload = Task {
            for await _ in hangups {
                guard hangup.isTerminalClosed else {
                    assembly.reload()
                    continue
                }
                logger.notice("stopping: the terminal is closed")
                kill(getpid(), SIGTERM)
            }
        }
        defer { reload.cancel() }
        // Cancelled and waited for at the end of this function.
        async let _ = status?.keep(node)
        // Shut down in reverse order: no console accepts an answer for a node that is gone.
        var configuration = ServiceGroupConfiguration(
            services: [
                .init(service: node, successTerminationBehavior: .gracefullyShutdownGroup)
            ]
                + assembly.services(for: node).map {
                    .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup)
                },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() })
        // A node is down within a second; a longer shutdown is cut off.
        configuration.maximumGracefulShutdownDuration = .seconds(5)
        configuration.maximumCancellationDuration = .seconds(5)
        try await ServiceGroup(configuration: configuration).run()
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
