import ErrorBus
import Testing

@testable import BusNodeKit

/// What follows from the settings of a node.
struct TopologyNodeTests {
    private func rule(_ position: Int, _ actions: RuleAction...) -> Rule {
        Rule(match: RuleMatch(), actions: actions, position: position)
    }

    @Test("The routes of a node are those of its responders and of its policies, each once")
    func routes() throws {
        var node = TopologyNode(name: "relay")
        #expect(node.routes.isEmpty)
        node.responders = [rule(1, .route("ops")), rule(2, .withhold), rule(3, .route("ops"))]
        node.presenters = [
            .terminal,
            .policy(
                path: "p.yaml", rules: [rule(1, .route("ops")), rule(2, .route("ipc:///run/far"))]),
            .policy(path: "q.yaml", rules: [rule(1, .route("desk"))]),
        ]
        let far = try Endpoint("ipc:///run/far")
        #expect(node.routes == [.node("ops"), .endpoint(far), .node("desk")])
    }

    @Test("A policy has a name in the author of its answers if its node has other rules")
    func policyNames() {
        var node = TopologyNode(name: "central")
        node.presenters = [.policy(path: "/etc/bus/night.yaml", rules: []), .terminal]
        #expect(node.policyName("/etc/bus/night.yaml") == nil)
        node.responders = [rule(1, .withhold)]
        #expect(node.policyName("/etc/bus/night.yaml") == "night.yaml")
        node.responders = []
        node.presenters.append(.policy(path: "/etc/bus/day.yaml", rules: []))
        #expect(node.policyName("/etc/bus/night.yaml") == "night.yaml")
        #expect(node.policyName("/etc/bus/day.yaml") == "day.yaml")
        node.presenters.append(.policy(path: "/srv/day.yaml", rules: []))
        #expect(node.policyName("/etc/bus/day.yaml") == "/etc/bus/day.yaml")
        #expect(node.policyName("/srv/day.yaml") == "/srv/day.yaml")
        #expect(node.policyName("/etc/bus/night.yaml") == "night.yaml")
    }

    @Test("Others connect to the advertised endpoint, else to the first that they can reach")
    func endpoint() throws {
        var node = TopologyNode(name: "relay")
        #expect(node.endpoint == nil)
        node.listen = [try Endpoint("tcp://127.0.0.1:*"), try Endpoint("tcp://127.0.0.1:7701")]
        #expect(node.endpoint == node.listen[1])
        node.advertise = try Endpoint("tcp://10.0.0.1:7701")
        #expect(node.endpoint == node.advertise)
    }
}
