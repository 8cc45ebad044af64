import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct EnvironmentExpansionTests {
    private let environment = ["HOST": "relay", "EMPTY": "", "NEST": "${HOST}"]

    @Test(arguments: [
        ("plain", "plain"), ("tcp://${HOST}:1", "tcp://relay:1"), ("${HOST}${HOST}", "relayrelay"),
        ("$${HOST}", "${HOST}"), ("$HOST", "$HOST"), ("/a$/", "/a$/"), ("${EMPTY}", ""),
        ("${NONE:-other}", "other"), ("${EMPTY:-other}", "other"), ("${HOST:-other}", "relay"),
        ("${NONE:-a$b{c}", "a$b{c"),
        // What a variable says is not read again.
        ("${NEST}", "${HOST}"),
    ])
    func expands(text: String, expected: String) throws {
        #expect(try EnvironmentExpansion.expand(text, environment) == expected)
    }

    @Test(arguments: [
        "${NONE}", "${", "${HOST", "${}", "${1A}", "${A B}", "x${a-b}", "${HOST:-${NONE}}",
        "${NONE:-${HOST}/bus}",
    ])
    func refuses(text: String) {
        #expect(throws: EnvironmentExpansion.Problem.self) {
            try EnvironmentExpansion.expand(text, environment)
        }
    }

    @Test("the result has a limit")
    func limit() throws {
        let half = String(repeating: "x", count: EnvironmentExpansion.byteCountMax / 2)
        let expanded = try EnvironmentExpansion.expand("${A}${A}", ["A": half])
        #expect(expanded.utf8.count == EnvironmentExpansion.byteCountMax)
        #expect(throws: EnvironmentExpansion.Problem.self) {
            try EnvironmentExpansion.expand("${A}${A}${A}", ["A": half])
        }
    }

    @Test("A text of empty variables is refused", arguments: ["journal", "events"])
    func empty(key: String) {
        let nodes = "nodes: { a: { presenters: [terminal], \(key): '${NONE:-}' } }"
        #expect(
            TestTopology.problems("version: 1\n" + nodes) == [
                "t.yaml:2: nodes.a.\(key): found \"${NONE:-}\", which is empty, allowed: the path "
                    + "of a file"
            ])
    }

    @Test("An argument of a program may be empty, in the file and once its variables are expanded")
    func emptyArgument() {
        let presenters = "presenters: [{ command: [./page, '', '${NONE:-}'] }]"
        #expect(TestTopology.problems("version: 1\nnodes: { a: { \(presenters) } }") == [])
    }
}
