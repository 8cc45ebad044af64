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
