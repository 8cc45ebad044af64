package import ErrorBus
import Foundation

/// The loader of a topology file and every file that it names.
package enum TopologyLoader {
    /// - Parameters:
    ///   - path: The topology file, whose folder is the base of relative paths.
    ///   - users: The nodes whose policy files have to be readable; nil: all nodes. An unreadable
    ///     file of another node, which may run on another machine, is left out.
    ///   - environment: The values of `${NAME}`.
    package static func load(
        _ path: String, policiesOf users: Set<NodeName>? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ConfigurationFailure) -> LoadedTopology {
        let root = try YAMLConfiguration.read(path)
        return try TopologyReader.read(
            root, folder: FilePath.folder(of: path), environment: environment, policiesOf: users,
            openPolicy: { (path) throws(ConfigurationFailure) in try YAMLConfiguration.read(path) })
    }
}

extension Topology {
    /// The node with the name given on a command line.
    ///
    /// - Parameter path: The file, for the message.
    package func node(named text: String, in path: String) throws(Failure) -> TopologyNode {
        guard let settings = NodeName(text).flatMap({ self[$0] }) else {
            throw Failure(
                .badConfiguration,
                "\(path.shown()): no node \"\(text.shown())\"; nodes: \(nodeNames)")
        }
        return settings
    }

    /// The names of the nodes, in the order of the file.
    package var nodeNames: String { settings.map(\.name.description).joined(separator: ", ") }
}

extension ConfigurationFailure {
    package var exitStatus: ExitStatus {
        switch self {
        case .unreadable: .noInput
        case .invalid(let problems, _):
            problems.allSatisfy(\.isUnreadableFile) ? .noInput : .badConfiguration
        }
    }
}
