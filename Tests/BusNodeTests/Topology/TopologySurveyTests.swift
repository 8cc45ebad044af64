import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct TopologySurveyTests {
    private func topology(_ links: KeyValuePairs<NodeName, [NodeName]>) -> Topology {
        var nodes: OrderedDictionary<NodeName, TopologyNode> = [:]
        for (name, parents) in links {
            var settings = TopologyNode(name: name)
            settings.next = parents.map(Hop.node)
            nodes[name] = settings
        }
        return Topology(nodes: nodes)
    }

    @Test("the longest way counts")
    func depth() {
        let survey = TopologySurvey(
            topology(["root": [], "a": ["root"], "b": ["root", "a"], "c": ["b"]]))
        #expect(survey.cycles.isEmpty)
        #expect(survey.hopCounts.map(\.hops) == [1, 2, 3, 4])
    }

    @Test("A36 each cycle is found once, from its first node on")
    func cycles() {
        let survey = TopologySurvey(
            topology(["x": ["c"], "a": ["b"], "b": ["c"], "c": ["a"], "own": ["own"]]))
        #expect(survey.cycles == [["a", "b", "c"], ["own"]])
    }

    @Test("a parent by its endpoint is the node that listens there")
    func endpoints() throws {
        var (a, b) = (TopologyNode(name: "a"), TopologyNode(name: "b"))
        a.listen = [try Endpoint("tcp://127.0.0.1:1001")]
        b.listen = [try Endpoint("tcp://127.0.0.1:1002")]
        a.next = [.endpoint(b.listen[0])]
        b.next = [.node("a")]
        #expect(TopologySurvey(Topology(nodes: ["a": a, "b": b])).cycles == [["a", "b"]])
        b.next = [.endpoint(try Endpoint("tcp://127.0.0.1:1003"))]
        let survey = TopologySurvey(Topology(nodes: ["a": a, "b": b]))
        #expect(survey.cycles.isEmpty)
        #expect(survey.hopCounts.map(\.hops) == [2, 1])
    }

    @Test("a chain of many thousand nodes does not exhaust the stack")
    func long() {
        var nodes: OrderedDictionary<NodeName, TopologyNode> = [:]
        for index in 0..<20_000 {
            guard let name = NodeName("n\(index)"), let next = NodeName("n\(index + 1)") else {
                continue
            }
            var settings = TopologyNode(name: name)
            settings.next = [.node(next)]
            nodes[name] = settings
        }
        #expect(TopologySurvey(Topology(nodes: nodes)).hopCounts.first?.hops == 20_000)
    }

    @Test("a node's place is below all nodes of its ways, and anywhere if one leads elsewhere")
    func places() throws {
        let nodes = topology([
            "root": [], "a": ["root"], "b": ["root"], "leaf": ["a"], "both": ["b", "leaf"],
        ])
        let places = nodes.places(at: "root")
        #expect(places["root"] == .below([]))
        #expect(places["leaf"] == .below(["a", "root"]))
        #expect(places["both"] == .below(["b", "leaf", "a", "root"]))
        var (outer, inner) = (TopologyNode(name: "outer"), TopologyNode(name: "inner"))
        outer.next = [.endpoint(try Endpoint("ipc:///run/far"))]
        inner.next = [.node("outer")]
        let open = Topology(nodes: ["outer": outer, "inner": inner])
        #expect(open.places(at: "inner") == ["outer": .anywhere, "inner": .anywhere])
        // What comes from beyond this node has been here.
        #expect(open.places(at: "outer")["inner"] == .below(["outer"]))
    }

    @Test("a node whose policy is on another machine alone may have any route")
    func unreadPolicies() {
        var (relay, leaf) = (TopologyNode(name: "relay"), TopologyNode(name: "leaf"))
        relay.next = [.node("hub")]
        relay.presenters = [.policy(path: "night.yaml", rules: [])]
        leaf.next = [.node("relay")]
        let nodes = Topology(nodes: [
            "hub": TopologyNode(name: "hub"), "relay": relay, "leaf": leaf,
        ])
        #expect(nodes.places(at: "hub")["leaf"] == .anywhere)
        #expect(nodes.places(at: "relay")["leaf"] == .below(["relay"]))
        let rule = Rule(match: RuleMatch(), actions: [.route("ops")], position: 1)
        relay.presenters = [.policy(path: "night.yaml", rules: [rule])]
        let read = Topology(nodes: [
            "hub": TopologyNode(name: "hub"), "ops": TopologyNode(name: "ops"), "relay": relay,
            "leaf": leaf,
        ])
        #expect(read.places(at: "hub")["leaf"] == .below(["relay", "hub", "ops"]))
    }

    @Test("the route of a rule is a way")
    func routes() {
        var node = TopologyNode(name: "leaf")
        node.next = [.node("a")]
        node.responders = [Rule(match: RuleMatch(), actions: [.route("ops")], position: 1)]
        let nodes = Topology(nodes: [
            "a": TopologyNode(name: "a"), "ops": TopologyNode(name: "ops"), "leaf": node,
        ])
        #expect(nodes.places(at: "ops")["leaf"] == .below(["a", "ops"]))
    }

    @Test("two endpoints of one node are two ways to it")
    func twoWays() {
        let yaml = """
            version: 1
            nodes:
              central:
                listen: ["tcp://127.0.0.1:1", "tcp://127.0.0.1:2"]
                presenters: [terminal]
              w: { next: [central, "tcp://127.0.0.1:2"] }
            """
        #expect(TestTopology.problems(yaml) == [])
    }
}
