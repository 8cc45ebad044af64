import ArgumentParser
import BusNodeKit
import ErrorBus
import Foundation
import OrderedCollections

/// `bus-node explain`: the path that an error would take.
struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show the path that an error would take through a topology.",
        discussion: """
            Prints each node on the way up, which rules match there (position, file and line) \
            and what they change, and where it ends: answered, withheld, presented, or nowhere. \
            Rules are applied as in a node, to the report as changed so far; limits count as \
            unused, and no command is run. The report has the format of `present --report`.

            Example: bus-node explain --topology topology.yaml --from worker-1 --report error.json
            """)

    @OptionGroup var choice: TopologyChoice

    @Option(help: "The node of the topology where the error enters.")
    var from: String

    @Option(help: "The error report as JSON; - reads standard input.")
    var report: String

    @Option(help: "The node that the error arose in, when it is a client below --from.")
    var origin: String?

    @Option(help: "When it happens, for rules with `during`, as in 2026-11-21T09:30:00Z.")
    var at: String?

    @Flag(help: "Print the path as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let topology = try choice.path()
            let loaded = try TopologyLoader.load(topology)
            let start = try loaded.topology.node(named: from, in: topology).name
            let origin = try Self.name(origin) ?? start
            var walk = PathWalk(
                loaded.topology, file: topology, try ReportFile.read(report), origin: origin,
                date: try MomentOption.date(at, option: "--at"))
            let explanation = walk.explain(from: start)
            if json { return try StandardOutput.print(explanation.json) }
            try StandardOutput.print(explanation.lines)
        }
    }

    static func name(_ text: String?) throws -> NodeName? {
        guard let text else { return nil }
        guard let name = NodeName(text) else {
            throw Failure(.usage, "--origin: found \"\(text)\", allowed: \(NodeName.allowed)")
        }
        return name
    }
}
