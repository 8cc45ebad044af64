import ArgumentParser
import BusNodeKit
import ErrorBus
import Foundation
import Logging

/// The node that a client command presents to, and the client's own name.
struct Target: ParsableArguments {
    @OptionGroup var choice: NodeChoice

    @Option(
        help: """
            How long to wait for a link before giving up, as in 10s; when not given, the \
            topology's grace for the node, or 10s with --to. Without an effect where the node has \
            whenUnreachable: hold.
            """)
    var grace: String?

    @Option(
        help: """
            This client's own name on the bus, 1 to 64 of A-Z a-z 0-9 . _ -; unique to this \
            process when not given.
            """)
    var name: String?

    @Flag(
        help: """
            Allow --to a node on another machine: without a topology there are no keys, and any \
            host on the way can read the report and answer it.
            """)
    var allowUnauthenticated = false

    @Option(help: "What to log: trace, debug, info, notice, warning, error or critical.")
    var logLevel: Logger.Level = .warning

    private static let localPresentingTime: Duration = .seconds(5)

    /// A node for this command, ready to run.
    struct Leaf {
        let node: Node
        /// Whether the topology sets `whenUnreachable: fail`.
        let failsByTopology: Bool
        /// The topology's deadline for what it presents; nil without one.
        let deadline: Duration?
    }

    /// Makes the leaf node that presents.
    ///
    /// - Parameter origin: The origin of its presentations, when it differs from its own name: a
    ///   presentation under a given id must have the same origin each time.
    func leaf(origin: NodeName?, command: String, logger: Logger) throws -> Leaf {
        switch try choice.chosen(missing: "no node to present to") {
        case .node(let node, let path):
            return try leaf(of: path, node, origin: origin, command: command, logger: logger)
        case .endpoint(let endpoint):
            var settings = NodeSettings(name: try ownName(command))
            settings.whenUnreachable = .fail
            settings.allowUnauthenticated = allowUnauthenticated
            if !allowUnauthenticated, !endpoint.isLocal {
                throw Failure(
                    .usage,
                    "cannot present to \"\(endpoint)\": it is on another machine, and an endpoint "
                        + "has no keys; name the node of a topology with keys (--topology FILE "
                        + "--node NAME), or add --allow-unauthenticated if the network itself is "
                        + "trusted")
            }
            settings.grace = try graceDuration() ?? settings.grace
            var parts = NodeParts(logger: logger)
            parts.origin = origin
            let node = Node(settings, parents: [endpoint], parts: parts)
            return Leaf(node: node, failsByTopology: false, deadline: nil)
        }
    }

    private func leaf(
        of path: String, _ node: String, origin: NodeName?, command: String, logger: Logger
    ) throws -> Leaf {
        // A client of a node uses none of the policies.
        let topology = try TopologyLoader.load(path, policiesOf: []).topology
        let settings = try topology.node(named: node, in: path)
        guard !settings.listen.isEmpty else {
            return try leafInPlace(of: node, in: path, command: command, logger: logger)
        }
        guard let endpoint = settings.endpoint else {
            throw Failure(
                .badConfiguration, "\(path): \(node) has no `listen` endpoint to connect to")
        }
        let keys = try choice.key.ring(in: topology)
        var leaf = NodeSettings(
            name: try ownName(keys == nil ? command : "\(try choice.key.name)-\(command)"))
        leaf.whenUnreachable = settings.whenUnreachable == .hold ? .hold : .fail
        // What the node allows its children, the topology allows this one.
        leaf.allowUnauthenticated = settings.allowUnauthenticated || allowUnauthenticated
        // A node that asks its own presenters without a parent does so after its grace.
        let ownGrace =
            settings.whenUnreachable == .presentLocally
            ? settings.grace + Self.localPresentingTime : settings.grace
        leaf.grace = try graceDuration() ?? ownGrace
        leaf.deadline = settings.deadline
        var parts = NodeParts(logger: logger)
        // What is presented under one id has one origin, and the key's name in it.
        parts.origin =
            keys == nil ? origin : try origin.flatMap { NodeName("\(try choice.key.name)-\($0)") }
        parts.keys = keys
        return Leaf(
            node: Node(leaf, parents: [endpoint], parts: parts),
            failsByTopology: settings.whenUnreachable == .fail, deadline: settings.deadline)
    }

    /// A leaf with the settings, the key and the presenters of a node that does not listen.
    private func leafInPlace(
        of node: String, in path: String, command: String, logger: Logger
    ) throws -> Leaf {
        try refuseNames(besides: node)
        let assembly = try NodeAssembly(
            topology: path, node: node, isInputTaken: command == "exec", logger: logger)
        var settings = assembly.settings
        settings.grace = try graceDuration() ?? settings.grace
        let parents = assembly.loaded.topology.parentEndpoints(of: settings.name)
        guard !parents.isEmpty || !settings.presenters.isEmpty else {
            throw Failure(
                .badConfiguration,
                "\(path): node \(node) has neither listen nor next nor presenters; add one of "
                    + "them, or name another node")
        }
        return Leaf(
            node: Node(
                settings, in: assembly.loaded.topology,
                parts: try assembly.parts(use: .amongClients)),
            failsByTopology: settings.whenUnreachable == .fail, deadline: settings.deadline)
    }

    /// A command in the place of a node has that node's name and key.
    private func refuseNames(besides node: String) throws(Failure) {
        for (option, found) in [("--name", name), ("--key", choice.key.key)] {
            guard let found, found != node else { continue }
            throw Failure(
                .usage,
                "\(option): found \"\(found.shown())\", allowed: \(node.shown()): that node does "
                    + "not listen, and the command runs in its place; for another name give --node "
                    + "with the node's parent")
        }
    }

    private func graceDuration() throws -> Duration? {
        guard let grace else { return nil }
        return try Self.duration(grace, option: "--grace")
    }

    /// Reads a duration in the form of the topology file.
    ///
    /// - Parameters:
    ///   - words: What else is allowed, for the error.
    ///   - range: The allowed durations; nil: all that can be written.
    static func duration(
        _ text: String, option: String, words: String = "", in range: ClosedRange<Duration>? = nil
    ) throws -> Duration {
        guard let duration = DurationText.read(text), range?.contains(duration) ?? true else {
            let form = "a whole number and ms, s, m, h or d"
            var bounds = "\(form), at most \(DurationText.dayCountMax)d"
            if let range {
                let ends = [range.lowerBound, range.upperBound].map { DurationText.text($0) }
                bounds = "\(ends[0]) to \(ends[1]), as \(form)"
            }
            throw Failure(
                .usage, "\(option): found \"\(text.shown())\", allowed: \(bounds)\(words)")
        }
        return duration
    }

    private func ownName(_ command: String) throws -> NodeName {
        if let name {
            guard let name = NodeName(name) else {
                throw Failure(.usage, "--name: found \"\(name)\", allowed: \(NodeName.allowed)")
            }
            return name
        }
        guard let name = ClientName.unique(command, process: getpid()) else {
            throw Failure(.software, "no name for this process")
        }
        return name
    }
}

/// The running node that a command is about: an endpoint, or a node of a topology.
struct NodeChoice: ParsableArguments {
    enum Chosen {
        case endpoint(Endpoint)
        case node(String, topology: String)
    }

    @Option(
        help: """
            The endpoint of the node, as tcp://HOST:PORT or ipc://PATH; BUS_NODE_TO when no node \
            is given at all.
            """)
    var to: String?

    @Option(
        help: "A topology file, to find the node by its name; else BUS_NODE_TOPOLOGY.")
    var topology: String?

    @Option(
        help: """
            The node of the topology. If it does not listen, present and exec run in its place, \
            with its settings, and status asks its parents.
            """)
    var node: String?

    @OptionGroup var key: KeyChoice

    /// - Parameters:
    ///   - argument: The node's name where the command has an argument for it.
    ///   - missing: The message when nothing is given.
    func chosen(
        naming argument: String? = nil, missing: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(Failure) -> Chosen {
        let name = argument ?? node
        if let argument, let node, argument != node {
            throw Failure(
                .usage, "found two nodes, \(argument.shown()) and --node \(node.shown()); give one")
        }
        guard to == nil || (topology == nil && name == nil) else {
            throw Failure(.usage, "give either --to ENDPOINT or --topology FILE --node NAME")
        }
        let isNamed = topology != nil || name != nil
        if let text = isNamed ? nil : to ?? environment[filled: "BUS_NODE_TO"] {
            guard key.key == nil else {
                throw Failure(
                    .usage,
                    "--key: not allowed with an endpoint, which has no keys; give --topology FILE "
                        + "--node NAME")
            }
            do throws(EndpointError) {
                return .endpoint(try Endpoint(text))
            } catch {
                throw Failure(.usage, "\(to == nil ? "BUS_NODE_TO" : "--to"): \(error)")
            }
        }
        guard let path = topology ?? environment[filled: "BUS_NODE_TOPOLOGY"] else {
            throw Failure(
                .usage,
                "\(missing): give --to ENDPOINT, or --topology FILE --node NAME, or set "
                    + "BUS_NODE_TO or BUS_NODE_TOPOLOGY")
        }
        guard let name = name ?? environment[filled: "BUS_NODE_NODE"] else {
            // A topology that cannot be read has its own refusal once a node is named.
            let known = (try? TopologyLoader.load(path).topology.nodeNames).map { "; nodes: \($0)" }
            throw Failure(
                .usage,
                "\(missing): \(path.shown()) needs a node's name, as --node NAME\(known ?? "")")
        }
        return .node(name, topology: path)
    }
}

/// The key that a command uses in a topology with keys.
struct KeyChoice: ParsableArguments {
    @Option(
        help: """
            The key to connect with, in a topology with `keys:`; BUS_NODE_KEY when not given, else \
            client.
            """)
    var key: String?

    var name: NodeName {
        get throws(Failure) {
            let text = key ?? ProcessInfo.processInfo.environment[filled: "BUS_NODE_KEY"]
            guard let text else { return KeyFolder.clientName }
            guard let name = NodeName(text) else {
                throw Failure(
                    .usage,
                    "\(key == nil ? "BUS_NODE_KEY" : "--key"): found \"\(text.shown())\", "
                        + "allowed: \(NodeName.allowed)")
            }
            return name
        }
    }

    /// The keys of this command; nil in a topology without keys.
    func ring(in topology: Topology) throws(Failure) -> KeyRing? {
        try KeyFolder.ring(of: try name, in: topology)
    }
}

/// The nodes whose files a command reads, whether or not they run.
struct TopologyNodes: ParsableArguments {
    @Option(help: "The topology file; BUS_NODE_TOPOLOGY when not given.")
    var topology: String?

    @Option(help: "Only this node of the topology.")
    var node: String?

    func chosen() throws -> (path: String, nodes: [TopologyNode]) {
        let environment = ProcessInfo.processInfo.environment
        guard let path = topology ?? environment[filled: "BUS_NODE_TOPOLOGY"] else {
            throw Failure(.usage, "no topology: give --topology FILE, or set BUS_NODE_TOPOLOGY")
        }
        let loaded = try TopologyLoader.load(path).topology
        return (path, try node.map { [try loaded.node(named: $0, in: path)] } ?? loaded.settings)
    }
}

/// The topology file of a command: an argument, an option, or the environment.
struct TopologyChoice: ParsableArguments {
    @Argument(help: "The topology file, YAML or JSON; the same as --topology.")
    var file: String?

    @Option(help: "The topology file; BUS_NODE_TOPOLOGY when neither is given.")
    var topology: String?

    /// - Throws: When no file is given, or two.
    func path() throws(Failure) -> String {
        try Self.path(file: file, topology: topology)
    }

    static func path(
        file: String?, topology: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(Failure) -> String {
        if let file, let topology, file != topology {
            throw Failure(
                .usage,
                "found two topology files, \(file.shown()) and --topology \(topology.shown()); "
                    + "give one")
        }
        guard let path = file ?? topology ?? environment[filled: "BUS_NODE_TOPOLOGY"] else {
            throw Failure(
                .usage, "no topology: give its FILE, or --topology FILE, or set BUS_NODE_TOPOLOGY")
        }
        return path
    }
}

extension [String: String] {
    /// The text of a variable; nil if it is not set, or empty, as `NAME=` in a unit file leaves it.
    subscript(filled name: String) -> String? { self[name].flatMap { $0.isEmpty ? nil : $0 } }
}
