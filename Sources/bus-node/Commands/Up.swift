import ArgumentParser
import BusNodeKit
import ErrorBus
import Foundation
import Glibc
import Logging
import OrderedCollections
import UnixSignals

/// `bus-node up`: runs a whole topology on this machine.
struct Up: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Run a whole topology on this machine, one child process per node.",
        discussion: """
            Output is prefixed with the node's name; a node that dies is restarted, a little \
            later each time. SIGHUP goes on to all; Ctrl-C stops all, and so does closing the \
            terminal. Nodes without listen, responders and presenters have nothing to do on their \
            own and are left out: exec and present run in their place. Exits 78 when the topology \
            is invalid or lacks a node that was named.

            Example: bus-node up --topology topology.yaml
            """)

    @Option(help: "The topology file; the first argument or BUS_NODE_TOPOLOGY when not given.")
    var topology: String?

    @Option(help: "A file to create once every node listens.")
    var readyFile: String?

    @Option(help: "What the nodes log: trace, debug, info, notice, warning, error or critical.")
    var logLevel: Logger.Level = .info

    @Argument(
        help: ArgumentHelp(
            "The topology file, when it ends in .yaml, .yml or .json; then only these nodes.",
            valueName: "node"))
    var words: [String] = []

    func run() async throws {
        try await orFail {
            try ServiceNotification.prepare(file: readyFile)
            let (topology, nodes) = try chosen
            let loaded = try TopologyLoader.load(topology)
            for warning in loaded.warnings { Terminal.say("bus-node up: \(warning)") }
            let names = try names(of: nodes, in: loaded.topology, topology)
            let household = try Household(
                names: names, topology: topology, logLevel: logLevel.rawValue,
                interactive: try interactiveNode(names, loaded.topology), readyFile: readyFile)
            try await household.run()
        }
    }

    /// The topology file, and the nodes named.
    private var chosen: (topology: String, nodes: [String]) {
        get throws {
            let file = words.first.flatMap { word in
                [".yaml", ".yml", ".json"].contains { word.hasSuffix($0) } ? word : nil
            }
            let path = try TopologyChoice.path(file: file, topology: topology)
            return (path, Array(words.dropFirst(file == nil ? 0 : 1)))
        }
    }

    private func names(
        of nodes: [String], in topology: Topology, _ path: String
    ) throws -> [NodeName] {
        guard nodes.isEmpty else {
            return try nodes.map { try topology.node(named: $0, in: path).name }.uniqued()
        }
        let names = topology.nodes.values.filter {
            !$0.listen.isEmpty || !$0.presenters.isEmpty || !$0.responders.isEmpty
        }.map(\.name)
        guard !names.isEmpty else {
            throw Failure(
                .badConfiguration, "no node listens or presents: there is nothing to run")
        }
        return names
    }

    /// The node that reads this terminal's input; at most one can.
    private func interactiveNode(
        _ names: [NodeName], _ topology: Topology
    ) throws -> NodeName? {
        let asking = names.filter { topology.nodes[$0]?.presenters.contains(.terminal) == true }
        guard asking.count <= 1 else {
            throw Failure(
                .badConfiguration,
                "found nodes that ask at the terminal: "
                    + "\(asking.map(\.description).joined(separator: ", ")); allowed: one. Run the "
                    + "others in terminals of their own, with bus-node run")
        }
        return asking.first
    }
}

extension [NodeName] {
    fileprivate func uniqued() -> [NodeName] { Array(OrderedSet(self)) }
}
