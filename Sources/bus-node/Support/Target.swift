import ArgumentParser
import ErrorBus
import Foundation
import Logging

/// Where a client command presents: an endpoint, or a node of a topology.
struct Target: ParsableArguments {
    @Option(help: "The endpoint of the node to present to, as tcp://HOST:PORT or ipc://PATH.")
    var to: String?

    @Option(help: "A topology file, to find the node by its name.")
    var topology: String?

    @Option(
        help: """
            The node of the topology to present to; one that listens nowhere is a leaf, and is \
            taken on: its settings apply and its parent is presented to.
            """)
    var node: String?

    @Option(
        help: """
            How long to look for somebody who answers for that endpoint, as in 10s; without it \
            what the topology says for the node, else 10s.
            """)
    var grace: String?

    /// A node for this command, ready to run.
    struct Leaf {
        let node: Node
        /// Whether the topology itself says that unreachable means failing.
        let failsByTopology: Bool
        let deadline: Duration?
    }

    /// Makes the leaf node that presents.
    ///
    /// - Parameters:
    ///   - name: Its own name; unique to this process unless given.
    ///   - origin: What its presentations name as their origin, where that is not its own name:
    ///     a presentation under a given id must have the same origin each time.
    func leaf(
        name: String?, origin: NodeName?, command: String, logger: Logger
    ) throws -> Leaf {
        let environment = ProcessInfo.processInfo.environment
        guard to == nil || (topology == nil && node == nil) else {
            throw Failure(.usage, "give either --to ENDPOINT or --topology FILE --node NAME")
        }
        let given = topology == nil && node == nil ? to ?? environment["BUS_NODE_TO"] : nil
        if given == nil, let topology = topology ?? environment["BUS_NODE_TOPOLOGY"] {
            return try leaf(
                of: topology, name: name, origin: origin, command: command, logger: logger)
        }
        guard let text = given else {
            throw Failure(
                .usage,
                "nobody to present to: give --to ENDPOINT, or --topology FILE --node NAME, or set "
                    + "BUS_NODE_TO or BUS_NODE_TOPOLOGY")
        }
        var settings = NodeSettings(name: try Self.name(name, command))
        settings.whenUnreachable = .fail
        settings.grace = try graceDuration() ?? settings.grace
        let endpoint: Endpoint
        do throws(EndpointError) {
            endpoint = try Endpoint(text)
        } catch {
            throw Failure(.usage, "\(to == nil ? "BUS_NODE_TO" : "--to"): \(error)")
        }
        var parts = NodeParts(logger: logger)
        parts.origin = origin
        let node = Node(settings, parents: [endpoint], parts: parts)
        return Leaf(node: node, failsByTopology: false, deadline: nil)
    }

    private func leaf(
        of path: String, name: String?, origin: NodeName?, command: String, logger: Logger
    ) throws -> Leaf {
        let environment = ProcessInfo.processInfo.environment
        guard let node = node ?? environment["BUS_NODE_NODE"] else {
            throw Failure(.usage, "--topology needs --node NAME: which node to present to")
        }
        let assembly = try NodeAssembly(topology: path, node: node, logger: logger)
        var settings = assembly.settings
        if settings.listen.isEmpty {
            settings.grace = try graceDuration() ?? settings.grace
            let parents = assembly.loaded.topology.parentEndpoints(of: settings.name)
            guard !parents.isEmpty || !settings.presenters.isEmpty else {
                throw Failure(
                    .badConfiguration, "\(path): \(node) has neither listen, next nor presenters")
            }
            return Leaf(
                node: Node(settings, parents: parents, parts: try assembly.parts()),
                failsByTopology: settings.whenUnreachable == .fail, deadline: settings.deadline)
        }
        guard let endpoint = settings.listen.lazy.compactMap(\.connectable).first else {
            throw Failure(.badConfiguration, "\(path): \(node) listens nowhere one can connect to")
        }
        var leaf = NodeSettings(name: try Self.name(name, command))
        leaf.whenUnreachable = settings.whenUnreachable == .hold ? .hold : .fail
        leaf.grace = try graceDuration() ?? settings.grace
        leaf.deadline = settings.deadline
        var parts = NodeParts(logger: logger)
        parts.origin = origin
        return Leaf(
            node: Node(leaf, parents: [endpoint], parts: parts),
            failsByTopology: settings.whenUnreachable == .fail, deadline: settings.deadline)
    }

    private func graceDuration() throws -> Duration? {
        guard let grace else { return nil }
        return try Self.duration(grace, option: "--grace")
    }

    /// Reads a duration as the topology file writes them.
    static func duration(_ text: String, option: String) throws -> Duration {
        guard let duration = DurationText.read(text) else {
            throw Failure(
                .usage,
                "\(option): found \"\(text)\", allowed: a whole number and ms, s, m, h or d, "
                    + "at most \(DurationText.dayCountMax)d")
        }
        return duration
    }

    private static func name(_ name: String?, _ command: String) throws -> NodeName {
        if let name {
            guard let name = NodeName(name) else {
                throw Failure(.usage, "--name: found \"\(name)\", allowed: \(NodeName.allowed)")
            }
            return name
        }
        let unique = String(UInt32.random(in: 0...UInt32.max), radix: 36)
        guard let name = NodeName("\(command)-\(getpid())-\(unique)") else {
            throw Failure(.software, "no name for this process")
        }
        return name
    }
}
