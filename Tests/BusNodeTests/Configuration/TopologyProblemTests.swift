import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct TopologyProblemTests {
    private static let nodeKeys = TopologyReader.nodeKeys.joined(separator: ", ")

    @Test(
        "the file as a whole",
        arguments: [
            ("", "t.yaml:1: found an empty file, allowed: a mapping"),
            (
                "[]",
                "t.yaml:1: found a list, allowed: a mapping with keys of: version, keys, "
                    + "signers, defaults, nodes"
            ),
            (
                "nodes: { a: { presenters: [terminal] } }",
                "t.yaml:1: version: found nothing, allowed: 1"
            ),
            (
                "version: 2\nnodes: { a: { presenters: [terminal] } }",
                "t.yaml:1: version: found \"2\", allowed: 1"
            ),
            (
                "version: 1",
                "t.yaml:1: nodes: found nothing, allowed: a mapping of node names to their settings"
            ),
            (
                "version: 1\nnodes: {}",
                "t.yaml:2: nodes: found an empty mapping, "
                    + "allowed: a mapping of node names to their settings"
            ),
            (
                "version: 1\nnode: {}\nnodes: { a: { presenters: [terminal] } }",
                "t.yaml:2: node: found unknown key \"node\", allowed: version, keys, signers, "
                    + "defaults, nodes; did you mean \"nodes\"?"
            ),
            (
                "version: 1\nnodes: { a: {}, a: {} }",
                "t.yaml:2: found the key \"a\" more than once, here for the first time, "
                    + "allowed: each key once"
            ),
            (
                "version: 1\nnodes: { ? [a] : {} }",
                "t.yaml:2: found a key that is a list or a mapping, allowed: a text as key"
            ),
            (
                "version: 1\nnodes: { a b: { presenters: [terminal] } }",
                "t.yaml:2: nodes.a b: found the name \"a b\", "
                    + "allowed: 1 to 64 characters of A-Z a-z 0-9 . _ -"
            ),
            (
                "version: 1\nnodes: { bare: { presenters: [terminal] } }",
                "t.yaml:2: nodes.bare: found the name \"bare\", "
                    + "allowed: 1 to 64 characters of A-Z a-z 0-9 . _ -, "
                    + "but bare is what clients without a name are called"
            ),
            (
                "a: *b",
                "t.yaml:1: found invalid YAML (found undefined alias), "
                    + "allowed: YAML or JSON"
            ),
        ])
    func file(yaml: String, expected: String) {
        #expect(TestTopology.problems(yaml) == [expected])
    }

    @Test(
        "one node's settings",
        arguments: [
            (
                "next: centrl",
                "next: found \"centrl\", allowed: a node of this topology (central) or an "
                    + "endpoint; did you mean \"central\"?"
            ),
            (
                "next: [central, centrl]",
                "next[1]: found \"centrl\", allowed: a node of this topology (central) or an "
                    + "endpoint; did you mean \"central\"?"
            ),
            ("next: [central, central]", "next[1]: found \"central\", allowed: each parent once"),
            (
                "next: [central, \"tcp://127.0.0.1:7700\"]",
                "next[1]: found \"tcp://127.0.0.1:7700\", the same endpoint as \"central\", "
                    + "allowed: each parent once"
            ),
            (
                "next: tcp://*:1",
                "next: found \"tcp://*:1\", allowed: an endpoint with a host and a port"
            ),
            ("next: tcp://x:0", "next: found \"tcp://x:0\", allowed: a port from 1 to 65535"),
            (
                "next: { a: b }",
                "next: found a mapping, allowed: a node name, an endpoint, or a list of them"
            ),
            (
                "nxt: central",
                "nxt: found unknown key \"nxt\", allowed: \(nodeKeys); did you mean \"next\"?"
            ),
            (
                "deadline: 10",
                "deadline: found \"10\", allowed: a duration above 0 such as 250ms, 30s, 10m, 1h "
                    + "or 2d, or none; a unit is missing, as in \"10s\""
            ),
            (
                "grace: -1s",
                "grace: found \"-1s\", allowed: a duration such as 250ms, 30s, 10m, 1h or 2d"
            ),
            (
                "abandonAfter: 0s",
                "abandonAfter: found \"0s\", allowed: a duration above 0 such as 250ms, 30s, 10m, "
                    + "1h or 2d"
            ),
            (
                "whenUnreachable: hodl",
                "whenUnreachable: found \"hodl\", allowed: hold, presentLocally, fail; "
                    + "did you mean \"hold\"?"
            ),
            (
                "events: ${UNSET}",
                "events: found \"${UNSET}\", allowed: an environment variable that is set, or "
                    + "${NAME:-otherwise}; UNSET is not set"
            ),
            ("events:", "events: found nothing, allowed: the path of a file"),
            (
                "allowUnauthenticated: yes",
                "allowUnauthenticated: found \"yes\", allowed: true or false"
            ),
            (
                "listen: [tcp://0.0.0.0:7702]",
                "listen[0]: found \"tcp://0.0.0.0:7702\", open to other machines without security, "
                    + "allowed: ipc, or tcp on a loopback host such as 127.0.0.1; add keys: FOLDER "
                    + "to the topology and run bus-node keygen; if the network itself is trusted, "
                    + "say allowUnauthenticated: true"
            ),
            (
                "next: tcp://hub:7700",
                "next: found \"tcp://hub:7700\", on another machine, without security, "
                    + "allowed: ipc, or tcp on a loopback host such as 127.0.0.1; add keys: FOLDER "
                    + "to the topology and run bus-node keygen; if the network itself is trusted, "
                    + "say allowUnauthenticated: true"
            ),
            (
                "listen: tcp://127.0.0.1:7700",
                "listen: found \"tcp://127.0.0.1:7700\", which node central has already, "
                    + "allowed: an endpoint that no other entry has"
            ),
            (
                "presenters: [terminl]",
                "presenters[0]: found \"terminl\", allowed: policy, terminal, command, console; "
                    + "did you mean \"terminal\"?"
            ),
            (
                "presenters: [command]",
                "presenters[0]: found \"command\", allowed: command: SETTINGS"
            ),
            (
                "presenters: [{}]",
                "presenters[0]: found 0 presenters, allowed: one for each list entry"
            ),
            (
                "presenters: [{ command: [] }]",
                "presenters[0].command: found an empty list, allowed: a list of program and "
                    + "arguments, as in [\"./page-oncall\", \"--now\"]"
            ),
            (
                "presenters: [{ policy: none.yaml }]",
                "presenters[0].policy: found \"none.yaml\", allowed: a policy file that can be "
                    + "read; No such file or directory"
            ),
            (
                "presenters: [{ console: { token: file:x } }]",
                "presenters[0].console: found no listen, allowed: listen: HOST:PORT"
            ),
            (
                "presenters: [{ console: { listen: 8080 } }]",
                "presenters[0].console.listen: found \"8080\", allowed: HOST:PORT, or HOST:* "
                    + "to let the system choose the port"
            ),
            (
                "presenters: [{ console: { listen: 0.0.0.0:8080 } }]",
                "presenters[0].console.listen: found \"0.0.0.0:8080\", open to other machines "
                    + "without a token, allowed: a loopback host such as 127.0.0.1, or any host "
                    + "with users: file:PATH or token: file:PATH"
            ),
            (
                "presenters: [{ console: { listen: 127.0.0.1:7700 } }]",
                "presenters[0].console.listen: found \"tcp://127.0.0.1:7700\", which node central "
                    + "has already, allowed: an endpoint that no other entry has"
            ),
            (
                "presenters: [{ console: { listen: 127.0.0.1:8080, token: secret } }]",
                "presenters[0].console.token: found a text without file:, allowed: file:PATH, a "
                    + "file that only its owner can read"
            ),
            (
                "presenters: [{ console: { listen: 127.0.0.1:8080, hosts: [a b] } }]",
                "presenters[0].console.hosts[0]: found \"a b\", allowed: what browsers send as the "
                    + "host, as in console.example:8443, or a list"
            ),
            (
                "afterRestart: maybe",
                "afterRestart: found \"maybe\", allowed: ask, never"
            ),
            (
                "retention: { age: 5m }",
                "retention.age: found \"5m\", allowed: 1h to 3650d"
            ),
            (
                "retention: { count: 999 }",
                "retention.count: found \"999\", allowed: a whole number from 1000 to 10000000"
            ),
            (
                "retention: { megabytes: 1g }",
                "retention.megabytes: found \"1g\", allowed: a whole number from 16 to 1000000"
            ),
            (
                "responders: [{ match: {}, route: central, answer: retry }]",
                "responders[0].answer: found answer beside route, allowed: one of them in a rule"
            ),
        ])
    func node(settings: String, expected: String) {
        let yaml = """
            version: 1
            nodes:
              central: { listen: "tcp://127.0.0.1:7700", presenters: [terminal] }
              relay:
                \(settings)
            """
        #expect(TestTopology.problems(yaml) == ["t.yaml:5: nodes.relay.\(expected)"])
    }

    @Test("all problems are reported at once, in the order of the file")
    func all() {
        let yaml = """
            version: 3
            defaults: { grace: soon }
            nodes:
              a: { next: nowhere }
              b: { listn: x }
            """
        #expect(
            TestTopology.problems(yaml).map { $0.prefix(9) } == [
                "t.yaml:1:", "t.yaml:2:", "t.yaml:4:", "t.yaml:5:",
            ])
    }

    @Test("A journal or a ledger belongs to one node, however its path is written")
    func sharedFiles() {
        let yaml = """
            version: 1
            nodes:
              a: { presenters: [terminal], journal: var/a.sqlite, events: var/a.jsonl }
              b: { presenters: [terminal], journal: ./var/../var//a.sqlite, events: b.jsonl }
              c: { presenters: [terminal], journal: /var/a.sqlite, events: var/a.jsonl }
              d: { presenters: [terminal], journal: d, events: ./d }
              e: { presenters: [terminal], journal: e-wal, events: var/a.sqlite-lock }
              f: { presenters: [terminal], journal: e }
            """
        let allowed = "allowed: a file that no other entry has"
        #expect(
            TestTopology.problems(yaml) == [
                "t.yaml:4: nodes.b.journal: found \"./var/../var//a.sqlite\", which is journal of "
                    + "node a already, \(allowed)",
                "t.yaml:5: nodes.c.events: found \"var/a.jsonl\", which is events of node a "
                    + "already, \(allowed)",
                "t.yaml:6: nodes.d.events: found \"./d\", which is journal of node d already, "
                    + allowed,
                "t.yaml:7: nodes.e.events: found \"var/a.sqlite-lock\", which is a file of the "
                    + "journal of node a already, \(allowed)",
                "t.yaml:8: nodes.f.journal: found \"e\", whose e-wal is journal of node e already, "
                    + allowed,
            ])
    }

    @Test("A36 F30 a cycle is printed")
    func cycle() {
        let yaml = """
            version: 1
            nodes:
              o: { next: m }
              m: { next: p, listen: "tcp://127.0.0.1:1" }
              p: { next: m, listen: "tcp://127.0.0.1:2" }
            """
        #expect(
            TestTopology.problems(yaml) == [
                "t.yaml:4: nodes.m.next: found a cycle, m -> p -> m, "
                    + "allowed: links that end at a root"
            ])
    }

    @Test("F30 a path of 16 nodes is allowed, of 17 not")
    func depth() {
        func chain(_ count: Int) -> String {
            let nodes = (1...count).map { index in
                let next = index == 1 ? "presenters: [terminal]" : "next: n\(index - 1)"
                return "  n\(index): { listen: \"tcp://127.0.0.1:\(index)\", \(next) }"
            }
            return "version: 1\nnodes:\n" + nodes.joined(separator: "\n")
        }
        #expect(TestTopology.problems(chain(Topology.hopCountMax)) == [])
        #expect(
            TestTopology.problems(chain(17)) == [
                "t.yaml:19: nodes.n17.next: found 17 nodes on the way to the root, "
                    + "allowed: at most 16"
            ])
    }

    @Test(
        "a parent must listen where a child can find it",
        arguments: [
            (
                "",
                "\"p\", which does not listen, allowed: a node with listen, or an endpoint; "
                    + "add listen to node p"
            ),
            (
                "listen: 'tcp://127.0.0.1:*', ",
                "\"p\", which listens only where the system chooses, allowed: a node with an ipc "
                    + "endpoint or a fixed port, or an endpoint"
            ),
        ])
    func parent(listen: String, expected: String) {
        let yaml = "version: 1\nnodes:\n  p: { \(listen)presenters: [terminal] }\n  c: { next: p }"
        #expect(TestTopology.problems(yaml) == ["t.yaml:4: nodes.c.next: found \(expected)"])
    }

    @Test("the settings of a node with an invalid name are checked as well")
    func unnamed() {
        let yaml = "version: 1\nnodes:\n  a b: { afterRestart: maybe, allowUnauthenticated: 1 }"
        #expect(
            TestTopology.problems(yaml) == [
                "t.yaml:3: nodes.a b: found the name \"a b\", "
                    + "allowed: 1 to 64 characters of A-Z a-z 0-9 . _ -",
                "t.yaml:3: nodes.a b.afterRestart: found \"maybe\", allowed: ask, never",
                "t.yaml:3: nodes.a b.allowUnauthenticated: found \"1\", allowed: true or false",
            ])
    }

    @Test("a probable mistake is a warning")
    func doubtful() {
        let yaml = """
            version: 1
            nodes:
              alone:
                responders:
                  - { match: { domain: com.* }, withhold: true }
                  - { match: { domain: com.acme, code: 1 }, answer: skip }
            """
        #expect(
            TestTopology.warnings(yaml) == [
                "t.yaml:6: nodes.alone.responders[1]: warning: never reached: rule 1 (line 5) "
                    + "matches all that it matches",
                "t.yaml:3: nodes.alone: warning: neither next nor presenters: errors that end "
                    + "here are answered with 503",
            ])
    }

    @Test("a setting without effect is a warning")
    func withoutEffect() {
        func warnings(_ node: String) -> [String] {
            TestTopology.warnings(
                "version: 1\nnodes:\n  p: { listen: 'ipc://p', presenters: [terminal] }\n  n: { "
                    + node + " }")
        }
        let journal = "warning: no effect without a journal: add journal: FILE"
        #expect(
            warnings("next: p, afterRestart: never, retention: { age: 30d }") == [
                "t.yaml:4: nodes.n.afterRestart: \(journal)",
                "t.yaml:4: nodes.n.retention: \(journal)",
            ])
        #expect(warnings("next: p, afterRestart: never, journal: n.sqlite") == [])
        #expect(
            warnings("presenters: [terminal], whenUnreachable: fail") == [
                "t.yaml:4: nodes.n.whenUnreachable: warning: no effect at a node without parents: "
                    + "add next, or take it away"
            ])
        #expect(warnings("listen: 'ipc://n', presenters: [terminal], whenUnreachable: fail") == [])
        #expect(
            warnings("next: p, whenUnreachable: presentLocally") == [
                "t.yaml:4: nodes.n.whenUnreachable: warning: presentLocally at a node without "
                    + "presenters: add presenters, or choose hold or fail"
            ])
        #expect(
            warnings("next: p, presenters: [terminal], whenUnreachable: presentLocally") == [])
        #expect(warnings("next: p, whenUnreachable: fail") == [])
    }

    @Test("a message stays on one line, whatever the file contains")
    func controlCharacters() {
        let yaml = "version: \"1\\e[31m\\n2\"\nnodes: { a: { presenters: [terminal] } }"
        #expect(
            TestTopology.problems(yaml) == [
                "t.yaml:1: version: found \"1\\u{1B}[31m\\n2\", allowed: 1"
            ])
    }
}
