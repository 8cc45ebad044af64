import ErrorBus

@testable import BusNodeKit

/// Reads a topology given as text, without files.
enum TestTopology {
    /// What is wrong with a topology, a line each; the file is called t.yaml.
    static func problems(_ yaml: String) -> [String] {
        read(yaml).problems
    }

    static func warnings(_ yaml: String) -> [String] {
        read(yaml).warnings
    }

    private static func read(_ yaml: String) -> (problems: [String], warnings: [String]) {
        do throws(ConfigurationFailure) {
            let root = try YAMLConfiguration.read(Array(yaml.utf8), file: "t.yaml")
            let loaded = try TopologyReader.read(
                root, folder: "", environment: ["SET": "here"],
                openPolicy: { (path) throws(ConfigurationFailure) in
                    throw .unreadable(path: path, reason: "No such file or directory")
                })
            return ([], loaded.warnings.map(\.description))
        } catch {
            guard case .invalid(let problems, let warnings) = error else {
                return ([error.description], [])
            }
            return (problems.map(\.description), warnings.map(\.description))
        }
    }
}
