import ErrorBus
import Foundation
import Testing

extension EndToEnd {
    struct Policies {
        let sandbox: Sandbox
        init() throws { sandbox = try Sandbox() }

        private static let demo = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Examples/demo").path

        private static func json(_ text: String) throws -> JSONValue {
            try JSONValue.parse(Array(text.utf8))
        }

        private func copyDemo() throws {
            let files = FileManager.default
            for name in try files.contentsOfDirectory(atPath: Self.demo) where name != "run" {
                try files.copyItem(atPath: "\(Self.demo)/\(name)", toPath: sandbox.path(name))
            }
            try files.createDirectory(
                atPath: sandbox.path("run"), withIntermediateDirectories: true)
        }

        private func writeReport(_ command: String, domain: String) throws -> String {
            try sandbox.write(
                "report.json",
                """
                {"domain": "\(domain)", "code": 1, "description": "It failed.",
                 "userInfo": {"command": "\(command)"},
                 "recoveryOptions": [{"id": "retry", "title": "Retry"},
                                     {"id": "abort", "title": "Abort", "role": "cancel"}]}
                """)
        }

        @Test("a rule routes to another node, live and explained, and everything is settled")
        func route() async throws {
            try sandbox.write("central.yaml", "rules: [{ match: {}, answer: left }]")
            try sandbox.write("ops.yaml", "rules: [{ match: {}, answer: right }]")
            try sandbox.write(
                "topology.yaml",
                """
                version: 1
                nodes:
                  central:
                    listen: ["ipc://$DIR/central.sock"]
                    presenters: [policy: central.yaml]
                  ops:
                    listen: ["ipc://$DIR/ops.sock"]
                    presenters: [policy: ops.yaml]
                    events: ops.jsonl
                  relay:
                    next: central
                    listen: ["ipc://$DIR/relay.sock"]
                    responders: [{ match: { severity: critical }, route: ops }]
                """)
            let nodes = [
                try await sandbox.start("central"), try await sandbox.start("ops"),
                try await sandbox.start("relay"),
            ]
            for (severity, option) in [("critical", "right"), ("error", "left")] {
                let present = try sandbox.present(
                    "--option", "left=Left", "--option", "right=Right", "--severity", severity)
                #expect(try await present.ending() == 0)
                #expect(present.output.value == "\(option)\n")
            }
            let topology = sandbox.path("topology.yaml")
            let log = try Launched(["log", "--topology", topology, "--json"])
            #expect(try await log.ending() == 0)
            #expect(await log.prints(#""result":"recovered""#))
            let live = try Launched(["graph", "--live", "--json", topology])
            #expect(try await live.ending() == 0)
            let links = try Self.json(live.output.value)["links"]?.arrayValue ?? []
            let routed = try #require(links.first { $0["parent"] == "ops" })
            #expect(routed["route"]?.boolValue == true)
            #expect(routed["state"] == "up")
            withExtendedLifetime(nodes) {}
        }

        @Test("A node and its clients do without the policy files of other nodes")
        func policiesOfOthers() async throws {
            try sandbox.writeTopology(presenters: "policy: none.yaml")
            let relay = try await sandbox.start("relay")
            func ending(_ command: String, _ more: String...) async throws -> Int32 {
                let topology = ["--topology", sandbox.path("topology.yaml")]
                return try await Launched([command] + topology + more).ending()
            }
            #expect(try await ending("exec", "--node", "relay", "--", "true") == 0)
            #expect(try await ending("exec", "--node", "central", "--", "true") == 0)
            #expect(try await ending("status", "--node", "relay") == 0)
            #expect(try await ending("run", "--node", "central") == 66)
            #expect(try await ending("check") == 66)
            #expect(try await ending("graph") == 66)
            withExtendedLifetime(relay) {}
        }

        @Test(
            "explain names the path that a live run of the demo then takes",
            arguments: [
                ("bus-node.exec", "cp report.txt run/inbox/", "answered"),
                ("bus-node.exec", "ls run/optional-cache", "withheld"),
                ("com.acme", "true", "presented"),
            ])
        func explained(domain: String, command: String, how: String) async throws {
            try copyDemo()
            let report = try writeReport(command, domain: domain)
            let topology = sandbox.path("topology.yaml")
            let explain = try Launched([
                "explain", "--topology", topology, "--from", "worker-1", "--report", report,
                "--json",
            ])
            #expect(try await explain.ending() == 0)
            #expect(await explain.prints("\n"))
            let path = try Self.json(explain.output.value)
            let end = try #require(path["end"])
            #expect(end["how"] == .string(how))

            let pty = try Pty()
            let ports = try (0..<2).map { _ in try Port() }.map { "\($0.number)" }
            let environment = ["DEMO_CENTRAL": ports[0], "DEMO_RELAY": ports[1]]
            #expect(try await Launched(["keygen", topology]).ending() == 0)
            let nodes = [
                try await sandbox.start(
                    "central", input: .terminal(pty), environment: environment),
                try await sandbox.start("relay", environment: environment),
                try await sandbox.start("worker-1", environment: environment),
            ]
            let present = try Launched([
                "present", "--topology", topology, "--node", "worker-1", "--report", report,
                "--name", "origin", "--json",
            ])
            if how == "presented" {
                #expect(end["by"] == "console and terminal")
                #expect(await pty.shows("from origin via worker-1 > relay ──"))
                pty.type("r\n")
            }
            _ = try await present.ending()
            #expect(await present.prints("\n"))
            let outcome = try Self.json(present.output.value)
            let stations = path["hops"]?.arrayValue?.compactMap { $0["node"]?.stringValue } ?? []
            switch how {
            case "answered":
                #expect(stations == ["worker-1", "relay", "central"])
                #expect(outcome["by"] == end["by"])
                #expect(outcome["option"] == end["option"])
                #expect(outcome["didRecover"] == true)
                // Its owner ran it.
                #expect(end["owner"] == "worker-1")
                #expect(sandbox.exists("run/inbox"))
            case "withheld":
                #expect(stations == ["worker-1", "relay"])
                #expect(outcome["reason"] == "withheld")
                let by = try #require(outcome["by"]?.stringValue)
                #expect(end["by"]?.stringValue?.hasPrefix("\(by) rule 2 (") == true)
            default:
                #expect(stations == ["worker-1", "relay", "central"])
                #expect(outcome["via"] == "person")
            }
            withExtendedLifetime(nodes) {}
        }

        @Test("A38 A policy that always retries stops at its limit; the person sees the retries")
        func intensity() async throws {
            try sandbox.write(
                "policy.yaml", "rules: [{ match: {}, answer: { option: retry, limit: 2 per 1h } }]")
            try sandbox.writeTopology(
                presenters: "policy: policy.yaml\n      - terminal")
            let pty = try Pty()
            let nodes = [
                try await sandbox.start("central", input: .terminal(pty)),
                try await sandbox.start("relay"),
            ]
            let runs = sandbox.path("runs")
            // A name, so that all attempts have the same origin.
            let exec = try sandbox.exec(
                ["--name", "worker"], "sh", "-c", "echo run >>\(runs); exit 3")
            #expect(await pty.shows("after 2 retries"))
            let ids = try sandbox.read("central.jsonl").split(separator: "\n")
                .map { try Self.json(String($0)) }
                .filter { $0["event"] == "decide" }.compactMap { $0["id"]?.stringValue }
            #expect(ids.count == 2)
            #expect(await pty.shows("retry of \(ids.last ?? "none")"))
            #expect(try sandbox.read("runs") == "run\nrun\nrun\n")
            pty.type("a\n")
            #expect(try await exec.ending() == 3)
            withExtendedLifetime(nodes) {}
        }

        @Test(
            "policy test exits 0 when a rule answers, 1 when none does, 78 for an invalid file",
            arguments: [
                ("answer: retry", Int32(0), #""option":"retry""#),
                ("answer: skip", 1, #""reason":"notOffered""#),
                ("withhold: true", 1, #""verdict":"withholds""#),
            ])
        func tested(action: String, status: Int32, text: String) async throws {
            let report = try writeReport("x", domain: "d")
            let policy = try sandbox.write("p.yaml", "rules: [{ match: {}, \(action) }]")
            let test = try Launched(["policy", "test", policy, "--report", report, "--json"])
            #expect(try await test.ending() == status)
            #expect(await test.prints(text))
            try sandbox.write("p.yaml", "rules: [{ match: {}, anser: retry }]")
            let wrong = try Launched(["policy", "test", policy, "--report", report])
            #expect(try await wrong.ending() == 78)
            #expect(await wrong.says("p.yaml:1: rules[0].anser: found unknown key"))
        }
    }
}
