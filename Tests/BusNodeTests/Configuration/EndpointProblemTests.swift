import Testing

@testable import BusNodeKit

/// The endpoints of one node that cannot all be listened on.
struct EndpointProblemTests {
    private func problems(_ settings: String) -> [String] {
        TestTopology.problems(
            """
            version: 1
            nodes:
              a:
                allowUnauthenticated: true
                \(settings.replacing("\n", with: "\n    "))
            """)
    }

    @Test(
        "A node listens once on a port of an address, and a wildcard has every address",
        arguments: [
            ("tcp://*:7700", "tcp://127.0.0.1:7700"), ("tcp://10.0.0.1:7700", "tcp://*:7700"),
            ("tcp://0.0.0.0:7700", "tcp://localhost:7700"), ("tcp://[::]:7700", "tcp://*:7700"),
            ("tcp://[::]:7700", "tcp://[::1]:7700"), ("tcp://[::]:7700", "tcp://10.0.0.1:7700"),
            ("tcp://localhost:7700", "tcp://127.0.0.1:7700"),
        ])
    func taken(first: String, second: String) {
        #expect(
            problems("presenters: [terminal]\nlisten: [\"\(first)\", \"\(second)\"]") == [
                "t.yaml:6: nodes.a.listen[1]: found \"\(second)\", whose port \"\(first)\" takes "
                    + "already, allowed: another port, or one entry for both"
            ])
    }

    @Test("A console cannot have the port of its node")
    func console() {
        let console = "presenters: [{ console: { listen: 127.0.0.1:8080 } }]"
        #expect(
            problems("listen: tcp://*:8080\n\(console)") == [
                "t.yaml:6: nodes.a.presenters[0].console.listen: found \"tcp://127.0.0.1:8080\", "
                    + "whose port \"tcp://*:8080\" takes already, allowed: another port, or one "
                    + "entry for both"
            ])
        #expect(problems("listen: tcp://*:8081\n\(console)") == [])
    }

    @Test(
        "Endpoints that differ in port, address or machine are allowed",
        arguments: [
            ("tcp://*:7700", "tcp://127.0.0.1:7701"), ("tcp://*:*", "tcp://127.0.0.1:*"),
            ("tcp://10.0.0.1:7700", "tcp://127.0.0.1:7700"),
            ("tcp://0.0.0.0:7700", "tcp://[::1]:7700"), ("tcp://*:7700", "ipc://7700"),
        ])
    func free(first: String, second: String) {
        #expect(
            problems("presenters: [terminal]\nlisten: [\"\(first)\", \"\(second)\"]") == [])
    }

    @Test("Nodes of different machines may have one port")
    func machines() {
        #expect(
            TestTopology.problems(
                """
                version: 1
                nodes:
                  a: { listen: "tcp://*:1", allowUnauthenticated: true, presenters: [terminal] }
                  b: { listen: "tcp://10.0.0.1:1", allowUnauthenticated: true, next: a }
                """) == [])
    }
}
