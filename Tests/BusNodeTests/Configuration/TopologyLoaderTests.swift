import ErrorBus
import Testing

@testable import BusNodeKit

@Suite struct TopologyLoaderTests {
    private static let topology = """
        version: 1
        defaults: { deadline: 10m, whenUnreachable: fail, grace: 5s, abandonAfter: 90s }
        nodes:
          central:
            listen: [tcp://127.0.0.1:7700]
            presenters:                       # asked in order
              - policy: policies/retry.yaml
              - terminal
              - command: ["./page-oncall"]
            events: var/central.jsonl
          relay-eu:
            next: central
            listen: [tcp://127.0.0.1:7701, ipc:///run/bus/relay-eu]
            responders:
              - match: { domain: com.acme.auth, code: 401 }
                addOption:
                  id: login
                  title: Log in
                  run: ["./login.sh"]
                  first: true
                  signed: true
                  twoPeople: true
              - match: { severity: debug }
                withhold: true
          worker-1:
            next: [relay-eu, "tcp://${OTHER}:7700"]
            deadline: ${LIMIT:-none}
            whenUnreachable: hold
        """

    private static let policy = """
        rules:
          - match: { domain: com.acme.*, severity: ">=error" }
            answer: { option: retry, limit: 3 per 1m }
          - match: { userInfo.kind: /^a+$/ }
            answer: skip
        """

    private func load(_ topology: String, policy: String = policy) throws -> LoadedTopology {
        let folder = try TemporaryFolder()
        try folder.write(policy, to: "policies/retry.yaml")
        let file = try folder.write(topology, to: "topology.yaml")
        return try TopologyLoader.load(file, environment: ["OTHER": "localhost", "DIGITS": "4711"])
    }

    @Test("A41 an added option has fields, and a rule gives values")
    func values() throws {
        let loaded = try load(
            """
            version: 1
            nodes:
              central:
                listen: tcp://127.0.0.1:7700
                presenters: [{ policy: policies/retry.yaml }]
                responders:
                  - match: {}
                    addOption:
                      id: move
                      title: Move
                      run: [./move.sh]
                      fields:
                        - { name: path, label: Path, kind: text, required: true, pattern: /* }
                        - { name: count, label: C, kind: number, min: 1, default: 3, whole: true }
                        - { name: mode, label: Mode, kind: choice, choices: [fast, "1"] }
                        - { name: pin, label: PIN, kind: secret }
            """,
            policy: """
                rules:
                  - match: {}
                    answer:
                      option: move
                      values: { path: "/${OTHER}", n: 4, p: "12", f: true, v: "${DIGITS}" }
                  - match: {}
                    answer:
                      option: move
                      values:
                        pin: ${DIGITS}
                        count: ${DIGITS}
                """)
        let central = try #require(loaded.topology["central"])
        guard case .addOption(let added) = central.responders.first?.actions.first,
            case .policy(_, let rules) = central.presenters[0]
        else {
            Issue.record("not the rules of the file")
            return
        }
        #expect(added.place == .last)
        #expect(
            added.fields == [
                .text("path", label: "Path", pattern: "/*"),
                .number(
                    "count", label: "C", isRequired: false, default: 3, in: 1 ... .infinity,
                    isWhole: true),
                .choice("mode", label: "Mode", among: ["fast", "1"], isRequired: false),
                .secret("pin", label: "PIN", isRequired: false),
            ])
        #expect(
            rules[0].answer?.given
                == ["path": "/localhost", "n": 4, "p": "12", "f": true, "v": "4711"])
        // A variable is text, and a number where the field is one.
        #expect(
            rules[1].answer?.values(for: added.fields) == ["pin": "4711", "count": 4_711])
    }

    @Test("a whole topology with its policy file")
    func whole() throws {
        let loaded = try load(Self.topology)
        #expect(loaded.warnings.isEmpty)
        let topology = loaded.topology
        #expect(topology.settings.map(\.name) == ["central", "relay-eu", "worker-1"])

        let central = try #require(topology["central"])
        #expect(central.next.isEmpty)
        #expect(central.deadline == .seconds(600))
        #expect(central.whenUnreachable == .fail)
        #expect(central.grace == .seconds(5))
        #expect(central.abandonAfter == .seconds(90))
        #expect(central.events?.hasSuffix("/var/central.jsonl") == true)
        #expect(central.presenters.map(\.kind) == ["policy", "terminal", "command"])
        guard case .policy(_, let rules) = central.presenters[0],
            case .command(let command) = central.presenters[2]
        else {
            Issue.record("not the presenters of the file")
            return
        }
        #expect(rules.count == 2)
        #expect(
            rules[0].actions == [
                .answer(RuleAnswer("retry", limit: IntensityLimit(3, per: .seconds(60))))
            ])
        #expect(rules[0].match.severity == [.error, .critical])
        #expect(rules[1].actions == [.answer(RuleAnswer("skip"))])
        #expect(command[0].hasPrefix("/") && command[0].hasSuffix("/page-oncall"))

        let relay = try #require(topology["relay-eu"])
        #expect(relay.responders.map(\.position) == [1, 2])
        #expect(relay.responders[1].withholds)
        guard case .addOption(let login)? = relay.responders[0].actions.first else {
            Issue.record("no option")
            return
        }
        #expect(login.needsSignature && login.needsTwoPeople && login.place == .first)
        #expect(topology.parentEndpoints(of: "relay-eu") == [try Endpoint("tcp://127.0.0.1:7700")])

        let worker = try #require(topology["worker-1"])
        #expect(worker.deadline == nil)
        #expect(worker.whenUnreachable == .hold)
        #expect(
            topology.parentEndpoints(of: "worker-1") == [
                try Endpoint("tcp://127.0.0.1:7701"), try Endpoint("tcp://localhost:7700"),
            ])
        #expect(topology.roots == ["central"])
        #expect(topology.children(of: "central") == ["relay-eu"])
    }

    @Test("missing settings have their defaults")
    func defaults() throws {
        let json = #"{"version": 1, "nodes": {"a": {"presenters": ["terminal"]}}}"#
        let node = try #require(try load(json).topology["a"])
        #expect(node.deadline == nil)
        #expect(node.whenUnreachable == .hold)
        #expect(node.grace == .seconds(10))
        #expect(node.abandonAfter == .seconds(60))
        #expect(node.maxOpen == 16_384)
        #expect(!node.allowUnauthenticated)
    }

    @Test("a node's open presentations have a limit of its own")
    func maxOpen() throws {
        let yaml = "version: 1\nnodes: { a: { maxOpen: 100000 }, b: { maxOpen: 1 } }"
        let topology = try load(yaml).topology
        #expect(topology["a"]?.maxOpen == 100_000)
        #expect(topology["b"]?.maxOpen == 1)
    }

    @Test("a journal's retention has its three limits")
    func retention() throws {
        let node = try #require(
            try load(
                """
                version: 1
                nodes:
                  a:
                    presenters: [terminal]
                    journal: a.sqlite
                    retention: { age: 7d, count: 5000, megabytes: 100 }
                """
            ).topology["a"])
        let week = Duration.seconds(7 * 86_400)
        #expect(node.retention == JournalRetention(age: week, count: 5_000, megabytes: 100))
    }

    @Test("a program of a policy is in the folder of that policy")
    func policyProgram() throws {
        let loaded = try load(
            Self.topology,
            policy: """
                rules:
                  - match: {}
                    addOption: { id: fix, title: Fix it, run: [./fix, ./here] }
                """)
        guard case .policy(let path, let rules)? = loaded.topology["central"]?.presenters.first,
            case .addOption(let option)? = rules.first?.actions.first
        else {
            Issue.record("no option")
            return
        }
        #expect(path.hasSuffix("/policies/retry.yaml"))
        #expect(option.run == ["\(FilePath.folder(of: path))/fix", "./here"])
    }

    @Test("warnings about the rules of a policy name its file and lines")
    func policyWarnings() throws {
        let loaded = try load(
            Self.topology,
            policy: """
                rules:
                  - match: { domain: net }
                    rewrite: { severity: info }
                  - match: { domain: net, code: 1 }
                    answer: retry
                """)
        #expect(loaded.warnings.map(\.field) == ["rules[1]", "rules[1].answer"])
        #expect(loaded.warnings.map(\.location.line) == [4, 5])
        for warning in loaded.warnings {
            #expect(warning.location.file.hasSuffix("/policies/retry.yaml"))
        }
    }

    @Test("a problem in a policy file names that file and its line")
    func policyProblem() throws {
        let error = #expect(throws: ConfigurationFailure.self) {
            try load(Self.topology, policy: "rules:\n  - match: {}\n    anser: retry")
        }
        #expect(error?.exitStatus == .badConfiguration)
        guard case .invalid(let problems, _)? = error else { return }
        #expect(problems.count == 1)
        #expect(problems.first?.location.file.hasSuffix("/policies/retry.yaml") == true)
        #expect(problems.first?.location.line == 3)
        #expect(problems.first?.field == "rules[0].anser")
        #expect(problems.first?.hint == "did you mean \"answer\"?")
    }

    @Test("A policy file that cannot be read is a problem of the nodes that use it")
    func policyOfOthers() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.topology, to: "topology.yaml")
        func load(policiesOf users: Set<NodeName>?) throws -> LoadedTopology {
            try TopologyLoader.load(file, policiesOf: users, environment: ["OTHER": "localhost"])
        }
        for users: Set<NodeName> in [[], ["worker-1", "relay-eu"]] {
            #expect(try load(policiesOf: users).topology["central"]?.presenters.count == 3)
        }
        for users: Set<NodeName>? in [["central"], nil] {
            let error = #expect(throws: ConfigurationFailure.self) {
                try load(policiesOf: users)
            }
            #expect(error?.exitStatus == .noInput)
        }
        // What is wrong in a file that is there is wrong for each node.
        try folder.write("rules: [{ match: {}, anser: retry }]", to: "policies/retry.yaml")
        let error = #expect(throws: ConfigurationFailure.self) { try load(policiesOf: []) }
        #expect(error?.exitStatus == .badConfiguration)
    }

    @Test("a missing file, a folder and a file that is too large")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        for path in ["\(folder.path)/none.yaml", folder.path, "", "a\0b"] {
            let error = #expect(throws: ConfigurationFailure.self) {
                try TopologyLoader.load(path, environment: [:])
            }
            #expect(error?.exitStatus == .noInput)
        }
        let limit = ConfigurationFile.byteCountMax
        let file = try folder.write(String(repeating: "#", count: limit), to: "large.yaml")
        #expect(try ConfigurationFile.read(file).count == limit)
        try folder.write(String(repeating: "#", count: limit + 1), to: "large.yaml")
        let error = #expect(throws: ConfigurationFailure.self) {
            try ConfigurationFile.read(file)
        }
        #expect(error?.exitStatus == .badConfiguration)
    }
}
