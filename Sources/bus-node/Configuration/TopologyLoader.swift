import ErrorBus
import Foundation

/// Loads a topology file and every file that it names.
enum TopologyLoader {
    /// - Parameters:
    ///   - path: The topology file. Relative paths in it start at its folder.
    ///   - environment: What `${NAME}` stands for.
    static func load(
        _ path: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ConfigurationFailure) -> LoadedTopology {
        let root = try YAMLConfiguration.read(path)
        return try TopologyReader.read(
            root, folder: FilePath.folder(of: path), environment: environment,
            openPolicy: { (path) throws(ConfigurationFailure) in try YAMLConfiguration.read(path) })
    }
}
