import ArgumentParser
import ErrorBus
import Foundation

/// `bus-node check FILE`: is this topology, with every file that it names, fit to be run?
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Validate a topology and every file that it names.",
        discussion: """
            Prints the tree of nodes and exits 0, or prints every problem with its file, line \
            and field and exits 78, or 66 where a file is missing. Warnings go to standard error.

            Example: bus-node check topology.yaml
            """)

    @Argument(help: "The topology file, YAML or JSON.")
    var file: String

    @Flag(help: "Print problems, warnings and nodes as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let loaded: LoadedTopology
            do throws(ConfigurationFailure) {
                loaded = try TopologyLoader.load(file)
            } catch {
                try report(error)
                throw error.exitStatus.exitCode
            }
            // What reads well may still name what a node would not start with.
            let problems = NamedFiles.problems(of: loaded.topology, file)
            if let first = problems.first {
                try report(.invalid(problems.map(\.problem), warnings: loaded.warnings))
                throw first.status.exitCode
            }
            try report(loaded)
        }
    }

    private func report(_ loaded: LoadedTopology) throws {
        for warning in loaded.warnings { printToStandardError(warning.description) }
        if json { return try printJSON(CheckReport(loaded)) }
        try StandardOutput.print(TopologyOutline(loaded.topology).lines)
    }

    private func report(_ failure: ConfigurationFailure) throws {
        if json { return try printJSON(CheckReport(failure)) }
        printToStandardError(failure.description)
    }

    private func printJSON(_ report: CheckReport) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try StandardOutput.print(Array(try encoder.encode(report)))
    }

    private func printToStandardError(_ line: String) {
        Terminal.say(line)
    }
}
