import ErrorBus
import Testing

/// Problems of a topology with keys.
@Suite struct KeyProblemTests {
    @Test("with keys: listening anywhere, and parents by name only")
    func keys() {
        let text = """
            version: 1
            keys: keys
            nodes:
              central: { listen: "tcp://*:1", advertise: "tcp://hub:7700", presenters: [terminal] }
              relay: { next: central, listen: "tcp://127.0.0.1:7701" }
              worker: { next: ["tcp://hub:7700", "ipc://other"] }
              lost: { next: "tcp://elsewhere:7700" }
              mute: { next: relay, advertise: "tcp://hub:7702" }
            """
        #expect(
            TestTopology.problems(text) == [
                "t.yaml:7: nodes.lost.next: found \"tcp://elsewhere:7700\", "
                    + "whose key is not known, allowed: a node of this topology, since it has "
                    + "keys; add the node with its listen, and name it here",
                "t.yaml:8: nodes.mute.advertise: found \"tcp://hub:7702\" of a node that does "
                    + "not listen, allowed: a node with listen",
            ])
    }

    @Test("what a node advertises has a host and a port, for children to connect to")
    func advertised() {
        func problems(_ endpoint: String) -> [String] {
            TestTopology.problems(
                """
                version: 1
                keys: keys
                nodes:
                  central:
                    listen: "tcp://*:7700"
                    advertise: "\(endpoint)"
                    presenters: [terminal]
                """)
        }
        #expect(problems("tcp://hub:7700") == [])
        for endpoint in ["tcp://*:7700", "tcp://hub:*"] {
            #expect(
                problems(endpoint) == [
                    "t.yaml:6: nodes.central.advertise: found \"\(endpoint)\", "
                        + "allowed: an endpoint with a host and a port"
                ])
        }
    }

    @Test("without keys: a child of a node on another machine has to allow it, too")
    func farParent() {
        let text = """
            version: 1
            nodes:
              central:
                listen: "tcp://*:7700"
                advertise: "tcp://hub:7700"
                allowUnauthenticated: true
                presenters: [terminal]
              worker: { next: central }
              trusting: { next: central, allowUnauthenticated: true }
            """
        #expect(
            TestTopology.problems(text) == [
                "t.yaml:8: nodes.worker.next: found \"tcp://hub:7700\", on another machine, "
                    + "without security, allowed: ipc, or tcp on a loopback host such as "
                    + "127.0.0.1; add keys: FOLDER to the topology and run bus-node keygen; if the "
                    + "network itself is trusted, say allowUnauthenticated: true"
            ])
    }

    @Test("signers are nodes of a topology with keys")
    func signers() {
        let nodes = "nodes: { central: { presenters: [terminal], listen: \"ipc://c\" } }"
        #expect(
            TestTopology.problems("version: 1\nsigners: [centrel, central]\n\(nodes)") == [
                "t.yaml:2: signers: found signers in a topology without keys, allowed: signers "
                    + "with keys: FOLDER; add keys: FOLDER to the topology and run bus-node keygen",
                "t.yaml:2: signers[0]: found \"centrel\", allowed: a node of this topology "
                    + "(central); did you mean \"central\"?",
            ])
        #expect(
            TestTopology.problems("version: 1\nkeys: k\nsigners: central\n\(nodes)").isEmpty)
        #expect(
            TestTopology.problems("version: 1\nkeys: k\nsigners: [\"a b\"]\n\(nodes)") == [
                "t.yaml:3: signers[0]: found \"a b\", allowed: a node of this topology"
            ])
    }
}
