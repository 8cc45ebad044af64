import ErrorBus
import Testing

@testable import BusNodeKit

@Suite struct DrawingTests {
    private func graph() throws -> TopologyGraph {
        let yaml = """
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
}
