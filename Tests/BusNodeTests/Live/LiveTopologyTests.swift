import ErrorBusTesting
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// How what the nodes say is put together, without a socket.
struct LiveTopologyTests {
    private let topology: Topology

    init() throws {
        var nodes: [TopologyNode] = []
        func add(_ name: NodeName, _ next: [Hop], listens: Bool = true) throws {
            var settings = TopologyNode(name: name)
            settings.next = next
            if listens { settings.listen = [try Endpoint("ipc:///run/\(name)")] }
            nodes.append(settings)
        }
        try add("central", [])
        try add("spare", [])
        try add("relay", [.node("central"), .node("spare")])
        try add("worker", [.node("relay")], listens: false)
        try add("far", [.endpoint(try Endpoint("tcp://10.0.0.1:7700"))])
        topology = Topology(nodes: .init(uniqueKeysWithValues: nodes.map { ($0.name, $0) }))
    }

    private func status(
        _ name: NodeName, children: [ChildStatus] = [], parents: [ParentStatus] = [],
        open: Int = 0, leftOut: Int = 0
    ) -> Result<NodeStatus, StatusFailure> {
        var status = NodeStatus(node: name)
        status.children = children
        status.parents = parents
        status.openCount = open
        status.childrenLeftOut = leftOut
        return .success(status)
    }

    private func child(
        _ name: NodeName, _ state: ChildStatus.State = .live, open: Int = 0
    ) -> ChildStatus {
        ChildStatus(
            name: name, state: state, sinceMilliseconds: 5_000, openCount: open, answeredCount: 0)
    }

    private func parent(_ state: ParentStatus.State, open: Int = 0) -> ParentStatus {
        ParentStatus(endpoint: "x", state: state, sinceMilliseconds: 9_000, openCount: open)
    }

    private let unreachable = Result<NodeStatus, StatusFailure>.failure(
        .unreachable("no answer within 2 s"))

    private func states(_ live: LiveTopology) -> [String] {
        live.links.map { "\($0.child) \($0.parent) \($0.state)" }
    }

    @Test("The parent's view counts; an unneeded second parent is not in use")
    func parentsView() {
        let live = LiveTopology(
            topology,
            answers: [
                "central": status("central", children: [child("relay", open: 3)], open: 3),
                "spare": status("spare"),
                "relay": status(
                    "relay", children: [child("worker", open: 2)],
                    parents: [parent(.connecting), parent(.standby)], open: 2),
                "far": status("far", parents: [parent(.refused)]),
            ])
        #expect(
            states(live) == [
                "relay central up", "relay spare down", "worker relay up",
                "far tcp://10.0.0.1:7700 down",
            ])
        #expect(live.links.map(\.isStandby) == [false, true, false, false])
        #expect(live.links.map(\.openCount) == [3, nil, 2, 0])
        #expect(live.links.map(\.sinceMilliseconds) == [5_000, nil, 5_000, 9_000])
        #expect(live.nodes["central"] == .init(state: .up, openCount: 3))
        // It cannot be asked; its parent reports it.
        #expect(live.nodes["worker"] == .init(state: .up, openCount: 2))
    }

    @Test("A node that claims its own parent as a child changes nothing")
    func circle() {
        let claims = [child("central"), child("worker"), child("far")]
        let live = LiveTopology(topology, answers: ["relay": status("relay", children: claims)])
        let lines = TextDrawing(TopologyGraph(topology, live: live)).lines
        #expect(lines.contains("central"))
        #expect(lines.contains { $0.contains("worker") })
        #expect(lines.contains { $0.contains("central (not in the file)") })
    }

    @Test("A parent that is named by its endpoint has its child as one of the file")
    func parentByEndpoint() throws {
        var central = TopologyNode(name: "central")
        central.listen = [try Endpoint("tcp://127.0.0.1:7700")]
        var relay = TopologyNode(name: "relay")
        relay.next = [.endpoint(central.listen[0])]
        let topology = Topology(nodes: ["central": central, "relay": relay])
        let live = LiveTopology(
            topology, answers: ["central": status("central", children: [child("relay", open: 1)])])
        #expect(states(live) == ["relay central up"])
        #expect(live.links.map(\.openCount) == [1])
        #expect(TopologyGraph(topology, live: live).links.map(\.isListed) == [true])
        #expect(topology.roots == ["central"] && topology.children(of: "central") == ["relay"])
    }

    @Test("Of two endpoints of one parent the child says which one it uses")
    func twoEndpoints() throws {
        var central = TopologyNode(name: "central")
        central.listen = [
            try Endpoint("tcp://10.0.0.1:7700"), try Endpoint("tcp://10.1.0.1:7700"),
        ]
        var relay = TopologyNode(name: "relay")
        relay.next = central.listen.map { .endpoint($0) }
        let topology = Topology(nodes: ["central": central, "relay": relay])
        func live(
            _ relay: Result<NodeStatus, StatusFailure>, as state: ChildStatus.State = .live
        ) -> LiveTopology {
            let central = status("central", children: [child("relay", state, open: 1)])
            return LiveTopology(topology, answers: ["central": central, "relay": relay])
        }
        let second = live(status("relay", parents: [parent(.down), parent(.up, open: 1)]))
        #expect(second.links.map(\.state) == [.down, .up])
        #expect(second.links.map(\.openCount) == [0, 1])
        let graph = TopologyGraph(topology, live: second)
        #expect(graph.links.map { $0.live?.state } == [.down, .up])
        let first = live(status("relay", parents: [parent(.up, open: 1), parent(.standby)]))
        #expect(first.links.map(\.state) == [.up, .down])
        #expect(first.links.map(\.isStandby) == [false, true])
        // One of them, as far as the parent knows.
        #expect(live(unreachable).links.map(\.state) == [.up, .unknown])
        #expect(live(unreachable, as: .lost).links.map(\.state) == [.down, .down])
    }

    @Test("When the parent does not answer, the child's view counts")
    func childsView() {
        let live = LiveTopology(
            topology,
            answers: [
                "central": unreachable, "spare": unreachable, "far": unreachable,
                "relay": status("relay", parents: [parent(.down), parent(.up, open: 4)]),
            ])
        #expect(
            states(live) == [
                "relay central down", "relay spare up", "worker relay down",
                "far tcp://10.0.0.1:7700 unknown",
            ])
        #expect(live.links.map(\.isStandby) == [false, false, false, false])
        #expect(live.links[1].openCount == 4)
        #expect(live.nodes["central"]?.state == .unreachable)
        #expect(live.nodes["central"]?.reason == "no answer within 2 s")
        #expect(live.nodes["worker"]?.state == .unreachable)
    }

    @Test("A dead relay: its link is down, and the nodes below are unknown")
    func deadRelay() {
        let live = LiveTopology(
            topology,
            answers: [
                "central": status("central", children: [child("relay", .lost, open: 1)], open: 1),
                "relay": unreachable,
            ])
        #expect(states(live).first == "relay central down")
        #expect(live.links[0].openCount == 1)
        #expect(live.link("worker", .node("relay"))?.state == .unknown)
        #expect(live.nodes["worker"]?.state == .unknown)
        #expect(live.nodes["relay"]?.state == .unreachable)
    }

    @Test("A child dropped from a long list is not lost")
    func leftOut() {
        let live = LiveTopology(topology, answers: ["relay": status("relay", leftOut: 9)])
        #expect(live.link("worker", .node("relay"))?.state == .unknown)
    }

    @Test("Children outside the file are links too; gone ones only with open presentations")
    func unlisted() {
        let live = LiveTopology(
            topology,
            answers: [
                "central": status(
                    "central",
                    children: [
                        child("cron"), child("worker"), child("gone", .lost),
                        child("owes", .lost, open: 1),
                    ])
            ])
        #expect(
            states(live).suffix(3) == [
                "cron central up", "worker central up", "owes central down",
            ])
        #expect(live.links.suffix(3).allSatisfy { $0.rank == nil })
    }

    @Test("A route whose parent does not have the node is down, not a parent in reserve")
    func routeDown() throws {
        var edge = TopologyNode(name: "edge")
        edge.next = [.node("central")]
        edge.responders = [Rule(match: RuleMatch(), actions: [.route("spare")], position: 1)]
        let names: [NodeName] = ["central", "spare"]
        let nodes = try names.map { name -> TopologyNode in
            var node = TopologyNode(name: name)
            node.listen = [try Endpoint("ipc:///run/\(name)")]
            return node
        }
        let topology = Topology(
            nodes: .init(uniqueKeysWithValues: (nodes + [edge]).map { ($0.name, $0) }))
        let live = LiveTopology(
            topology,
            answers: [
                "central": status("central", children: [child("edge")]), "spare": status("spare"),
            ])
        #expect(states(live) == ["edge central up", "edge spare down"])
        #expect(live.links.map(\.isRoute) == [false, true])
        #expect(live.links.map(\.isStandby) == [false, false])
        #expect(live.links[1].words == "down")
    }

    @Test("A node at which a child's rules aim has it as a child of the file")
    func routeUp() throws {
        var edge = TopologyNode(name: "edge")
        edge.responders = [Rule(match: RuleMatch(), actions: [.route("spare")], position: 1)]
        var spare = TopologyNode(name: "spare")
        spare.listen = [try Endpoint("ipc:///run/spare")]
        let live = LiveTopology(
            Topology(nodes: ["spare": spare, "edge": edge]),
            answers: ["spare": status("spare", children: [child("edge", open: 1)])])
        #expect(states(live) == ["edge spare up"])
        #expect(live.links.first?.rank == 0)
    }

    @Test("A link that is not in use is no fault in a picture")
    func standby() {
        let live = LiveTopology(
            topology,
            answers: [
                "central": status("central", children: [child("relay")]), "spare": status("spare"),
            ])
        let link = #""relay" -> "spare" [style=dashed, label="not in use", color=gray];"#
        #expect(DotDrawing(TopologyGraph(topology, live: live)).lines.contains("    " + link))
    }

    @Test("A node that answers with a refusal is running")
    func refused() {
        let live = LiveTopology(
            topology, answers: ["central": .failure(.refused(code: 505, reason: "x"))])
        #expect(live.nodes["central"]?.state == .up)
        #expect(live.nodes["central"]?.words.contains("505") == true)
    }

    @Test("Every format shows states, open counts, and nodes outside the file")
    func pictures() {
        let live = LiveTopology(
            topology,
            answers: [
                "central": status(
                    "central", children: [child("relay", open: 3), child("cron")], open: 3),
                "spare": unreachable,
                "relay": status("relay", children: [child("worker", .lost)], open: 0),
            ])
        let graph = TopologyGraph(topology, live: live)
        #expect(
            TextDrawing(graph).lines == [
                "(tcp://10.0.0.1:7700)",
                "└── far [unknown]",
                "      ipc:///run/far",
                "      unknown: it does not listen, and no parent reports it",
                "central",
                "│ ipc:///run/central",
                "│ up, 3 open",
                "├── relay [up 5 s, 3 open]",
                "│   │ ipc:///run/relay",
                "│   │ up, 0 open",
                "│   └── worker [down 5 s]",
                "└── cron (not in the file) [up 5 s, 0 open]",
                "spare",
                "│ ipc:///run/spare",
                "│ no answer within 2 s",
                "└── relay (when its other parents cannot be reached) [unknown]",
            ])
        let dot = DotDrawing(graph).lines
        #expect(dot.contains(#"    "worker" -> "relay" [label="down 5 s", color=red];"#))
        #expect(
            dot.contains(#"    "relay" -> "spare" [style=dashed, label="unknown", color=gray];"#))
        #expect(dot.contains(#"    "cron" [shape=ellipse];"#))
        let mermaid = MermaidDrawing(graph).lines
        #expect(mermaid.contains(#"    n2 -->|"up 5 s, 3 open"| n0"#))
        #expect(mermaid.contains(#"    s0 -->|"up 5 s, 0 open"| n0"#))
        let links = graph.json["links"]?.arrayValue ?? []
        #expect(links.count == 5)
        #expect(links.first?["state"] == "up")
        #expect(links.first?["openCount"] == 3)
        #expect(links.last?["rank"] == .null)
        #expect(graph.json["nodes"]?.arrayValue?.first?["state"] == "up")
    }

    @Test("Within 2 s, and during a request, no node is asked again")
    func cached() async {
        let asked = Observations()
        let time = ManualTime()
        let view = LiveView(now: { time.now.instant }) { [topology] in
            asked.add()
            return LiveTopology(topology, answers: [:])
        }
        async let first = view.current
        async let second = view.current
        #expect(await first == second)
        time.advance(by: .seconds(1))
        _ = await view.current
        #expect(asked.count == 1)
        time.advance(by: .seconds(1))
        _ = await view.current
        #expect(asked.count == 2)
    }
}
