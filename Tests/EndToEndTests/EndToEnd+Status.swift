import ErrorBus
import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// What `status` and `graph --live` say of real processes.
    struct Status {
        let sandbox: Sandbox
        init() throws { sandbox = try Sandbox() }

        private var topology: String { sandbox.path("topology.yaml") }

        private func bus(extra: String = "") async throws -> (
            central: Launched, relay: Launched, pty: Pty
        ) {
            let pty = try Pty()
            try sandbox.writeTopology(presenters: "terminal", extra: extra)
            let central = try await sandbox.start("central", input: .terminal(pty))
            return (central, try await sandbox.start("relay"), pty)
        }

        private func output(of arguments: String...) async throws -> JSONValue {
            let process = try Launched(arguments)
            #expect(try await process.ending() == 0, "\(process.errors.value)")
            #expect(await process.prints("\n"))
            return try JSONValue.parse(
                Array(process.output.value.trimmingCharacters(in: .whitespacesAndNewlines).utf8))
        }

        @Test("An open presentation is in the status, by name, by endpoint and by its parents")
        func openQuestion() async throws {
            let worker = """
                  worker:
                    next: relay
                """
            let nodes = try await bus(extra: worker)
            let present = try Launched([
                "present", "--topology", topology, "--node", "worker", "--description", "Boom",
                "--option", "retry=Retry",
            ])
            #expect(await nodes.pty.shows("[r] Retry"))
            let central = try await output(
                of: "status", "central", "--topology", topology, "--json")
            #expect(central["node"] == "central")
            #expect(central["version"]?.stringValue?.isEmpty == false)
            #expect(central["open"] == 1)
            let child = central["children"]?.arrayValue?.first
            #expect(child?["name"] == "relay")
            #expect(child?["state"] == "live")
            #expect(child?["open"] == 1)
            let relay = try await output(
                of: "status", "--to", sandbox.endpoint("relay"), "--json")
            let parent = relay["parents"]?.arrayValue?.first
            #expect(parent?["node"] == "central")
            #expect(parent?["state"] == "up")
            #expect(parent?["open"] == 1)
            // It listens nowhere: its parent is asked.
            let hearsay = try await output(
                of: "status", "worker", "--topology", topology, "--json")
            let said = hearsay["parents"]?.arrayValue?.first
            #expect(said?["parent"] == "relay")
            #expect(said?["child"]?["open"] == 1)
            let text = try Launched(
                ["status", "relay"], environment: ["BUS_NODE_TOPOLOGY": topology])
            #expect(try await text.ending() == 0)
            #expect(await text.prints("worker"))
            #expect(text.output.value.contains("node      relay\n"))
            present.send(SIGINT)
            #expect(try await present.ending() == 130)
            withExtendedLifetime(nodes) {}
        }

        @Test("An exec that has ended has left its node, and is not lost to it")
        func endedExec() async throws {
            let nodes = try await bus()
            let exec = try sandbox.exec(["--name", "job"], "false")
            #expect(await nodes.pty.shows("[s] Skip"))
            #expect(await nodes.pty.enter("s", brings: "answered: skip"))
            #expect(try await exec.ending() == 0)
            // Its goodbye may come after its end.
            var state: JSONValue?
            for _ in 0..<100 where state != "left" {
                let relay = try await output(
                    of: "status", "--to", sandbox.endpoint("relay"), "--json")
                state = relay["children"]?.arrayValue?.first { $0["name"] == "job" }?["state"]
                #expect(state != "lost")
            }
            #expect(state == "left")
        }

        @Test("A console shows the state of every link, its own node's from memory")
        func console() async throws {
            try sandbox.writeTopology(
                presenters: "console: { listen: \"127.0.0.1:*\" }",
                extra: """
                      worker:
                        next: relay
                    """)
            let central = try await sandbox.start("central")
            let relay = try await sandbox.start("relay")
            let isThere = await central.says("/?token=")
            try #require(isThere)
            let said = try #require(
                central.errors.value.split(whereSeparator: \.isNewline)
                    .first { $0.contains("/?token=") })
            let parts = said.components(separatedBy: "http://")[1]
                .components(separatedBy: "/?token=")
            let client = ConsoleClient(
                address: parts[0], token: parts[1].trimmingCharacters(in: .whitespaces))
            let present = try Launched([
                "present", "--topology", topology, "--node", "worker", "--description", "Boom",
                "--option", "retry=Retry",
            ])
            _ = try await client.send("GET", "/api/v1/events", until: "\"stage\":\"open\"")
            let topology = try await client.send("GET", "/api/v1/status").json["topology"]
            let links = topology?["links"]?.arrayValue ?? []
            #expect(links.map { $0["child"] } == ["worker", "relay"])
            #expect(links.map { $0["state"] } == ["up", "up"])
            #expect(links.map { $0["openCount"] } == [1, 1])
            let nodes = topology?["nodes"]?.arrayValue ?? []
            #expect(nodes.map { $0["state"] } == ["up", "up", "up"])
            present.send(SIGINT)
            #expect(try await present.ending() == 130)
            withExtendedLifetime((central, relay)) {}
        }

        @Test("No node there: 69 within seconds, with the endpoint tried")
        func unreachable() async throws {
            try sandbox.writeTopology(presenters: "terminal")
            let process = try Launched(["status", "relay", "--topology", topology])
            #expect(try await process.ending() == 69)
            #expect(
                await process.says(
                    "relay at \(sandbox.endpoint("relay")): no answer within 2 s"))
            #expect(process.output.value.isEmpty)
        }

        @Test("A killed relay: graph --live shows its link down, and that it does not answer")
        func killedRelay() async throws {
            let nodes = try await bus()
            let live = try await output(of: "graph", topology, "--live", "--json")
            #expect(live["links"]?.arrayValue?.first?["state"] == "up")
            #expect(live["nodes"]?.arrayValue?.map { $0["state"] } == ["up", "up"])
            nodes.relay.send(SIGKILL)
            _ = try await nodes.relay.ending()
            // Silence finds it within 12 s.
            #expect(await nodes.pty.shows("child is down"))
            let text = try Launched(["graph", topology, "--live"])
            #expect(try await text.ending() == 0)
            #expect(await text.prints("no answer within 2 s"))
            #expect(text.output.value.contains("relay [down "))
            let dead = try await output(of: "graph", topology, "--live", "--json")
            #expect(dead["links"]?.arrayValue?.first?["state"] == "down")
            #expect(dead["nodes"]?.arrayValue?.map { $0["state"] } == ["up", "unreachable"])
            withExtendedLifetime(nodes) {}
        }
    }
}
