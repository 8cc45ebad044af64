import ErrorBus
import Testing

@testable import BusNodeKit

@Suite struct DrawingTests {
    private static let tree = """
        version: 1
        nodes:
          central: { listen: "tcp://127.0.0.1:1", presenters: [{ command: ['a"]<b>'] }] }
          spare: { listen: "ipc://s", presenters: [terminal] }
          relay:
            next: [central, spare]
            listen: "ipc://r"
            responders: [{ match: {}, withhold: true }]
          worker: { next: relay }
          alone: { next: "tcp://127.0.0.1:9" }
        """

    private func graph(_ yaml: String = Self.tree) throws -> TopologyGraph {
        let root = try YAMLConfiguration.read(Array(yaml.utf8), file: "t.yaml")
        let loaded = try TopologyReader.read(
            root, folder: "", environment: [:],
            openPolicy: { (path) throws(ConfigurationFailure) in
                throw .unreadable(path: path, reason: "none")
            })
        return TopologyGraph(loaded.topology)
    }

    @Test("text: parents above children, a second parent names its child")
    func text() throws {
        #expect(
            TextDrawing(try graph()).lines == [
                "(tcp://127.0.0.1:9)",
                "└── alone",
                "central",
                "│ tcp://127.0.0.1:1",
                "│ asks command a\"]<b>",
                "└── relay",
                "    │ ipc://r",
                "    │ 1 rule",
                "    └── worker",
                "spare",
                "│ ipc://s",
                "│ asks terminal",
                "└── relay (when its other parents cannot be reached)",
            ])
    }

    @Test("mermaid: nothing from the file is read as markup")
    func mermaid() throws {
        #expect(
            MermaidDrawing(try graph()).lines == [
                "flowchart BT",
                "    n0[\"central<br/>tcp://127.0.0.1:1<br/>asks command a#34;#93;#60;b#62;\"]",
                "    n1[\"spare<br/>ipc://s<br/>asks terminal\"]",
                "    n2[\"relay<br/>ipc://r<br/>1 rule\"]",
                "    n3[\"worker\"]",
                "    n4[\"alone\"]",
                "    e0([\"tcp://127.0.0.1:9\"])",
                "    n2 --> n0",
                "    n2 -.-> n1",
                "    n3 --> n2",
                "    n4 --> e0",
            ])
    }

    @Test("dot: quotes and backslashes are escaped")
    func dot() throws {
        let lines = DotDrawing(try graph()).lines
        #expect(lines.first == "digraph topology {")
        #expect(lines.last == "}")
        #expect(
            lines.contains(
                #"    "central" [label="central\ntcp://127.0.0.1:1\nasks command a\"]<b>"];"#))
        #expect(lines.contains(#"    "relay" -> "central";"#))
        #expect(lines.contains(#"    "relay" -> "spare" [style=dashed];"#))
        #expect(lines.contains(#"    "tcp://127.0.0.1:9" [shape=ellipse, style=dashed];"#))
    }

    @Test("a link by rules is dashed and says so, and its node has a place of its own")
    func routes() throws {
        let graph = try graph(
            """
            version: 1
            nodes:
              ops: { listen: "ipc://o", presenters: [terminal] }
              edge:
                presenters: [terminal]
                responders: [{ match: {}, route: ops }]
            """)
        #expect(
            TextDrawing(graph).lines == [
                "ops",
                "│ ipc://o",
                "│ asks terminal",
                "└── edge (what its rules route here)",
                "edge",
                "  1 rule",
                "  asks terminal",
            ])
        #expect(MermaidDrawing(graph).lines.last == "    n1 -.->|\"by rules\"| n0")
        #expect(
            DotDrawing(graph).lines.contains(
                #"    "edge" -> "ops" [style=dashed, label="by rules"];"#))
        #expect(graph.json["links"]?.arrayValue?.first?["route"] == true)
    }

    @Test("a parent outside the file is drawn once, with all of its children")
    func outside() throws {
        let graph = try graph(
            """
            version: 1
            nodes:
              one: { next: "tcp://127.0.0.1:9" }
              two: { next: "tcp://127.0.0.1:9" }
            """)
        #expect(TextDrawing(graph).lines == ["(tcp://127.0.0.1:9)", "├── one", "└── two"])
        #expect(MermaidDrawing(graph).lines.count { $0.contains("127.0.0.1:9") } == 1)
    }
}
