import ArgumentParser
import BusNodeKit
import ErrorBus

/// `bus-node graph`: the topology as a picture.
struct Graph: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graph",
        abstract: "Draw a topology: parents above children, endpoints, presenters.",
        discussion: """
            Formats: text for a terminal, mermaid for Markdown, dot for Graphviz. The picture \
            shows the file. With --live every node that listens is asked for its status, for 2 s \
            at most, and the picture also shows links up or down, and open presentations.

            Example: bus-node graph topology.yaml --format dot | dot -Tsvg >topology.svg
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text
        case mermaid
        case dot
    }

    @OptionGroup var choice: TopologyChoice

    @Option(help: "text, mermaid or dot.")
    var format = Format.text

    @Flag(help: "Ask the nodes for their status and show it.")
    var live = false

    @OptionGroup var key: KeyChoice

    @Flag(help: "Print nodes and links as JSON.")
    var json = false

    func check() throws(Failure) {
        guard key.key == nil || live else {
            throw Failure(.usage, "--key: allowed only with --live, which connects with the key")
        }
    }

    func run() async throws {
        try await orFail {
            try check()
            let topology = try TopologyLoader.load(try choice.path()).topology
            let graph = TopologyGraph(
                topology,
                live: live
                    ? await LiveTopology.ask(topology, keys: try key.ring(in: topology)) : nil)
            if json { return try StandardOutput.print(graph.json) }
            let lines =
                switch format {
                case .text: TextDrawing(graph).lines
                case .mermaid: MermaidDrawing(graph).lines
                case .dot: DotDrawing(graph).lines
                }
            try StandardOutput.print(lines)
        }
    }
}
