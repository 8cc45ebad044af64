import ArgumentParser
import ErrorBus
import Foundation

/// `bus-node check`: is this topology, with every file that it names, fit to be run?
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Validate a topology and every file that it names.",
        discussion: """
            Prints the tree of nodes and exits 0, or prints every problem with its file, line \
            and field and exits 78, or 66 where all that is wrong is that files or programs are \
            missing. Warnings go to standard error.

            Example: bus-node check topology.yaml
            """)

    @OptionGroup var choice: TopologyChoice

    @Flag(help: "Print problems, warnings and nodes as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let file = try choice.path()
            var loaded: LoadedTopology
            do throws(ConfigurationFailure) {
                loaded = try TopologyLoader.load(file)
            } catch {
                try report(error)
                throw error.exitStatus.exitCode
            }
            // What reads well may still name what a node would not start with.
            let files = NamedFiles(loaded.topology, file)
            loaded = LoadedTopology(
                topology: loaded.topology, warnings: loaded.warnings + files.warnings)
            let problems = files.problems
            if !problems.isEmpty {
                try report(.invalid(problems.map(\.problem), warnings: loaded.warnings))
                let isMissing = problems.allSatisfy { $0.status == .noInput }
                throw (isMissing ? ExitStatus.noInput : .badConfiguration).exitCode
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
