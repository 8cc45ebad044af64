import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// What a node does with the files, ports and names of its host.
    struct Host {
        let sandbox: Sandbox
        init() throws { sandbox = try Sandbox() }

        private static let systemdAnalyze = "/usr/bin/systemd-analyze"

        private func run(_ node: String) throws -> Launched {
            try Launched(["run", "--topology", sandbox.path("topology.yaml"), "--node", node])
        }

        @Test("A journal has one process and one node: a second process exits 75, another node 78")
        func oneProcess() async throws {
            try sandbox.writeTopology(
                presenters: "terminal", extra: "    journal: $DIR/central.sqlite")
            let central = try await sandbox.start("central")
            let again = try run("central")
            #expect(try await again.ending() == 75)
            #expect(
                await again.says("in use by another process (pid \(central.pid), node central)"))
            central.send(SIGKILL)
            #expect(try await central.ending() == 137)
            try sandbox.write(
                "topology.yaml",
                """
                version: 1
                nodes:
                  other: { presenters: [terminal], journal: $DIR/central.sqlite }
                """)
            let other = try run("other")
            #expect(try await other.ending() == 78)
            #expect(await other.says("belongs to node central"))
        }

        @Test("A folder that is missing for an ipc endpoint is made for the node's user alone")
        func folderOfSocket() async throws {
            try sandbox.write(
                "topology.yaml",
                """
                version: 1
                nodes:
                  central: { listen: "ipc://$DIR/made/here/central", presenters: [terminal] }
                """)
            _ = try await sandbox.start("central")
            var status = stat()
            #expect(stat(sandbox.path("made/here"), &status) == 0)
            #expect(status.st_mode & 0o777 == 0o700)
        }

        @Test("SIGHUP opens a new ledger after a rotation, even beside an invalid topology")
        func rotatedLedger() async throws {
            try sandbox.write("policy.yaml", "rules: [{ match: {}, answer: one }]\n")
            try sandbox.writeTopology(presenters: "policy: policy.yaml")
            let central = try await sandbox.start("central")
            let relay = try await sandbox.start("relay")
            func present() async throws {
                let present = try sandbox.present("--option", "one=One")
                #expect(try await present.ending() == 0)
            }
            try await present()
            try sandbox.write("policy.yaml", "rules: broken\n")
            try FileManager.default.moveItem(
                atPath: sandbox.path("central.jsonl"), toPath: sandbox.path("central.jsonl.1"))
            central.send(SIGHUP)
            #expect(await central.says("rules not read again"))
            try await present()
            let isThere = await eventually { [sandbox] in
                (try? sandbox.read("central.jsonl").contains("\"event\":\"decide\"")) == true
            }
            #expect(isThere)
            var status = stat()
            #expect(stat(sandbox.path("central.jsonl"), &status) == 0)
            #expect(status.st_mode & 0o137 == 0)
            withExtendedLifetime(relay) {}
        }

        @Test("A service manager gets READY=1 at the socket that it names, once the node listens")
        func notified() async throws {
            let path = sandbox.path("manager")
            let manager = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            defer { close(manager) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let isBound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(manager, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                }
            }
            #expect(isBound)
            try sandbox.writeTopology(listening: sandbox.endpoint("central"))
            let central = try await sandbox.start(
                "central", environment: ["NOTIFY_SOCKET": path])
            var item = pollfd(fd: manager, events: Int16(POLLIN), revents: 0)
            try #require(poll(&item, 1, Int32(patience * 1_000)) == 1)
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = recv(manager, &bytes, bytes.count, 0)
            #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "READY=1")
            withExtendedLifetime(central) {}
        }

        @Test(
            "systemd takes the unit of the example",
            .enabled(if: FileManager.default.isExecutableFile(atPath: systemdAnalyze)))
        func unit() async throws {
            let name = "errorbus@central.service"
            let file = URL(filePath: #filePath)
                .appending(path: "../../../Examples/systemd/errorbus@.service").standardizedFileURL
            let unit = try String(contentsOf: file, encoding: .utf8)
            // A program that is there.
            try sandbox.write(
                name, unit.replacing("/usr/local/bin/bus-node", with: Launched.busNode))
            let verify = try Launched(
                ["verify", "--man=no", "--recursive-errors=no", sandbox.path(name)],
                program: Self.systemdAnalyze)
            #expect(try await verify.ending() == 0, "\(verify.errors.value)")
            #expect(verify.errors.value.isEmpty)
        }

        @Test("The log of a node reports its parent as up, as lost with a reason, and as refusing")
        func parentLog() async throws {
            try sandbox.writeTopology(presenters: "terminal")
            let central = try await sandbox.start("central")
            #expect(await central.says("standard input is not a terminal"))
            let relay = try await sandbox.start("relay")
            #expect(await relay.says("info relay: parent is up parent=central"))
            try sandbox.write(
                "second.yaml",
                """
                version: 1
                nodes:
                  relay: { next: "ipc://$DIR/central.sock", listen: "ipc://$DIR/new/r.sock" }
                """)
            let second = try Launched(
                ["run", sandbox.path("second.yaml")], environment: ["BUS_NODE_NODE": "relay"])
            #expect(await second.says("warning relay: parent refuses this node code=403"))
            #expect(await central.says("warning central: link refused code=403"))
            // Its folder was made.
            #expect(sandbox.exists("new/r.sock"))
            central.send(SIGTERM)
            #expect(try await central.ending() == 0)
            #expect(
                await relay.says(
                    "info relay: parent is lost parent=central reason=parent left: shutdown"))
            withExtendedLifetime(second) {}
        }

        @Test("A missing policy file exits 66, with another mistake 78; so does a node")
        func exitStatuses() async throws {
            try sandbox.writeTopology(presenters: "policy: none.yaml")
            let topology = sandbox.path("topology.yaml")
            let report = try sandbox.write("report.json", #"{"domain":"d","description":"x"}"#)
            func status(_ words: String...) async throws -> Int32 {
                try await Launched(words).ending()
            }
            #expect(try await status("check", topology) == 66)
            #expect(try await status("run", topology, "--node", "central") == 66)
            try sandbox.writeTopology(presenters: "policy: none.yaml", extra: "    jurnal: x")
            #expect(try await status("check", topology) == 78)
            try sandbox.writeTopology(presenters: "command: [./not-there]")
            #expect(try await status("check", "--topology", topology) == 66)
            try sandbox.writeTopology(
                presenters: "terminal", extra: "    journal: /dev/null/j.sqlite")
            let check = try Launched(["check", topology])
            #expect(try await check.ending() == 0)
            #expect(await check.says("/dev/null/j.sqlite cannot be written here"))
            try sandbox.writeTopology(presenters: "terminal")
            for words in [
                ["run", topology, "--node", "centrl"], ["up", topology, "centrl"],
                ["explain", topology, "--from", "centrl", "--report", report],
                ["status", "--topology", topology, "centrl"],
                ["log", "--topology", topology, "--node", "centrl"],
                ["exec", "--topology", topology, "--node", "centrl", "--", "false"],
                ["inbox", "list", "--topology", topology, "--node", "centrl"],
            ] {
                let process = try Launched(words)
                #expect(try await process.ending() == 78, "\(words)")
                #expect(await process.says("no node \"centrl\"; nodes: central, relay"))
            }
            let nameless = try Launched(["run", topology])
            #expect(try await nameless.ending() == 64)
            #expect(await nameless.says("give --node NAME; nodes: central, relay"))
            let graph = try Launched(["graph"], environment: ["BUS_NODE_TOPOLOGY": topology])
            #expect(try await graph.ending() == 0)
            let inbox = try Launched(["inbox", "list", "--topology", topology])
            #expect(try await inbox.ending() == 64)
            #expect(await inbox.says("no node has a console"))
            let variables = ["BUS_NODE_CONSOLE": "", "BUS_NODE_TOPOLOGY": topology]
            let unset = try Launched(["inbox", "list"], environment: variables)
            #expect(try await unset.ending() == 64)
            #expect(await unset.says("no node has a console"))
        }

        @Test("A console's port in use exits 73 in the system's words")
        func consolePort() async throws {
            let port = try Port()
            try sandbox.writeTopology(presenters: "console: { listen: 127.0.0.1:\(port.number) }")
            let process = try run("central")
            #expect(try await process.ending() == 73)
            #expect(
                await process.says(
                    "cannot listen on 127.0.0.1:\(port.number): Address already in use; "
                        + "stop the process that listens there, or change listen\n"))
        }

        @Test("A node of another machine is not presented to without keys, unless that is allowed")
        func farNode() async throws {
            for command in [
                ["present", "--description", "Boom", "--option", "a=A"], ["exec"],
            ] {
                let refused = try Launched(
                    command + ["--to", "tcp://192.0.2.1:7700"]
                        + (command[0] == "exec" ? ["--", "true"] : []))
                #expect(try await refused.ending() == 64)
                #expect(await refused.says("cannot present to \"tcp://192.0.2.1:7700\""))
            }
        }

        @Test("A host that is not found is named as that, by a client and by status")
        func hostNotFound() async throws {
            // A label that is too long is in no name server: none is asked.
            let host = String(repeating: "x", count: 64) + ".invalid"
            let present = try Launched([
                "present", "--to", "tcp://\(host):7700", "--description", "Boom", "--option",
                "a=A", "--grace", "500ms", "--allow-unauthenticated",
            ])
            #expect(try await present.ending() == 69)
            #expect(await present.says("host not found: \(host)"))
            let status = try Launched(["status", "--to", "tcp://\(host):7700"])
            #expect(try await status.ending() == 69)
            #expect(await status.says("host not found: \(host)"))
        }
    }
}
