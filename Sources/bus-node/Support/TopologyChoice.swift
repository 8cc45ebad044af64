import ArgumentParser
import ErrorBus
import Foundation

/// Which topology file a command reads: as an argument, as an option, or by the environment.
struct TopologyChoice: ParsableArguments {
    @Argument(help: "The topology file, YAML or JSON; the same as --topology.")
    var file: String?

    @Option(help: "The topology file; BUS_NODE_TOPOLOGY when neither is given.")
    var topology: String?

    /// - Throws: When none is given, or two.
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
                "found two topology files, \(file.shown()) and --topology \(topology.shown())")
        }
        guard let path = file ?? topology ?? environment["BUS_NODE_TOPOLOGY"] else {
            throw Failure(
                .usage, "no topology: give its FILE, or --topology FILE, or set BUS_NODE_TOPOLOGY")
        }
        return path
    }
}
