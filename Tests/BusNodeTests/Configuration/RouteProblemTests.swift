import Testing

/// Problems of the routes of rules.
@Suite struct RouteProblemTests {
    @Test("A36 a rule's route is a link like any other")
    func routes() {
        func problems(_ route: String) -> [String] {
            TestTopology.problems(
                """
                version: 1
                nodes:
                  central: { listen: ["tcp://127.0.0.1:1", "ipc://c"], presenters: [terminal] }
                  ops: { next: relay, listen: "tcp://127.0.0.1:3" }
                  leaf: { next: central }
                  relay:
                    next: central
                    listen: "tcp://127.0.0.1:2"
                    responders: [{ match: {}, route: "\(route)" }]
                """)
        }
        let field = "t.yaml:9: nodes.relay.responders[0].route: found"
        #expect(
            problems("ops") == [
                "t.yaml:4: nodes.ops.next: found a cycle, ops -> relay -> ops, "
                    + "allowed: links that end at a root"
            ])
        #expect(
            problems("opps").first?.hasPrefix("\(field) \"opps\", allowed: a node of this") == true)
        #expect(
            problems("leaf").first?.hasPrefix("\(field) \"leaf\", which does not listen") == true)
        for (next, what) in [
            ("central", "which"), ("tcp://127.0.0.1:1", "whose node central"),
            ("ipc://c", "whose node central"),
        ] {
            #expect(
                problems(next) == [
                    "\(field) \"\(next)\", \(what) is next of relay already, "
                        + "allowed: another node or endpoint"
                ])
        }
        #expect(problems("tcp://127.0.0.1:9") == [])
    }

    @Test("two routes to one node are one, however they are written")
    func equalRoutes() {
        func problems(_ first: String, _ second: String) -> [String] {
            TestTopology.problems(
                """
                version: 1
                nodes:
                  central: { listen: "ipc://central", presenters: [terminal] }
                  ops: { next: central, listen: ["ipc://ops", "ipc://ops-2"] }
                  relay:
                    next: central
                    responders:
                      - { match: { code: 1 }, route: "\(first)" }
                      - { match: { code: 2 }, route: "\(second)" }
                """)
        }
        for route in ["ops", "ipc://ops", "ipc://else"] {
            #expect(problems(route, route) == [])
        }
        #expect(problems("ops", "ipc://else") == [])
        let field = "t.yaml:9: nodes.relay.responders[1].route: found"
        #expect(
            problems("ops", "ipc://ops-2") == [
                "\(field) \"ipc://ops-2\", whose node ops has the route \"ops\" already, "
                    + "allowed: \"ops\", or another node or endpoint"
            ])
        #expect(
            problems("ipc://ops", "ops") == [
                "\(field) \"ops\", which has the route \"ipc://ops\" already, "
                    + "allowed: \"ipc://ops\", or another node or endpoint"
            ])
    }
}
