import ArgumentParser
import ErrorBus

/// `bus-node graph FILE`: the topology as a picture.
struct Graph: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draw a topology: parents above children, endpoints, presenters.",
        discussion: """
            Formats: text for a terminal, mermaid for Markdown, dot for Graphviz. The picture \
            is of the file; the live state of links is not in it.

            Example: bus-node graph topology.yaml --format dot | dot -Tsvg >topology.svg
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text
        case mermaid
        case dot
    }

    @Argument(help: "The topology file, YAML or JSON.")
    var file: String

    @Option(help: "text, mermaid or dot.")
    var format = Format.text

    @Flag(help: "Print nodes and links as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let graph = TopologyGraph(try TopologyLoader.load(file).topology)
            if json { return try StandardOutput.print(graph.json.encoded()) }
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
