import Foundation
import Glibc
import Testing

extension EndToEnd {
    struct Up {
        let sandbox: Sandbox
        init() throws {
            sandbox = try Sandbox()
            try sandbox.write("policy.yaml", "rules: [{ match: {}, answer: one }]\n")
            try sandbox.writeTopology(presenters: "policy: policy.yaml")
        }

        private func up() async throws -> Launched {
            let up = try Launched([
                "up", "--topology", sandbox.path("topology.yaml"), "--ready-file",
                sandbox.path("ready"),
            ])
            let isUp = await eventually { sandbox.exists("ready") }
            try #require(isUp, "not up; it said: \(up.errors.value)")
            return up
        }

        /// The process that runs a node of this sandbox.
        private static func process(of node: String, in sandbox: Sandbox) -> pid_t? {
            let topology = sandbox.path("topology.yaml")
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            return names.lazy.compactMap { pid_t($0) }.first { pid in
                let data = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
                let words = data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
                return words.contains(topology) && words.contains("--node=\(node)")
            }
        }

        private func isEmpty() async -> Bool {
            await eventually { [sandbox] in
                ["central", "relay"].allSatisfy { Self.process(of: $0, in: sandbox) == nil }
            }
        }

        @Test("Closing its terminal stops all")
        func closed() async throws {
            let pty = try Pty()
            let (up, _) = try await Launched.inForeground(
                of: pty,
                [
                    "up", "--topology", sandbox.path("topology.yaml"), "--ready-file",
                    sandbox.path("ready"),
                ])
            let isUp = await eventually { sandbox.exists("ready") }
            try #require(isUp)
            pty.hangUp()
            #expect(try await up.ending() == 0)
            #expect(await isEmpty())
        }

        @Test("Starts all, restarts dead nodes, and SIGTERM leaves no process")
        func restarts() async throws {
            let up = try await up()
            #expect(await up.says("2 nodes are up"))
            let relay = try #require(Self.process(of: "relay", in: sandbox))
            kill(relay, SIGKILL)
            #expect(await up.says("relay ended (signal 9); restarting in"))
            let isBack = await eventually { [sandbox] in
                let now = Self.process(of: "relay", in: sandbox)
                return now != nil && now != relay
            }
            #expect(isBack)
            let present = try sandbox.present("--option", "one=One")
            #expect(try await present.ending() == 0)
            up.send(SIGTERM)
            #expect(try await up.ending() == 0)
            #expect(await isEmpty())
            #expect(!sandbox.exists("ready"))
        }

        @Test("A node is restarted also after the temporary files were cleaned away")
        func withoutTemporaryFiles() async throws {
            let folder = sandbox.path("tmp")
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            let up = try Launched(
                ["up", "--topology", sandbox.path("topology.yaml")],
                environment: ["TMPDIR": folder, "NOTIFY_SOCKET": sandbox.path("notify")])
            #expect(await up.says("2 nodes are up"))
            let relay = try #require(Self.process(of: "relay", in: sandbox))
            let inherited = try #require(
                FileManager.default.contents(atPath: "/proc/\(relay)/environ"))
            #expect(!String(decoding: inherited, as: UTF8.self).contains("NOTIFY_SOCKET"))
            try FileManager.default.removeItem(atPath: folder)
            kill(relay, SIGKILL)
            #expect(await up.says("relay ended (signal 9); restarting in"))
            let present = try sandbox.present("--option", "one=One")
            #expect(try await present.ending() == 0)
            #expect(!up.errors.value.contains("cannot run"))
            up.send(SIGTERM)
            #expect(try await up.ending() == 0)
        }

        @Test("Also while another node has never come up, and all are reported once it does")
        func cleanedWhileStarting() async throws {
            try sandbox.writeTopology(
                presenters: "policy: policy.yaml", extra: "    journal: $DIR/central.sqlite")
            let holder = try await sandbox.start("central")
            let folder = sandbox.path("tmp")
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            let up = try Launched(
                ["up", "--topology", sandbox.path("topology.yaml")],
                environment: ["TMPDIR": folder])
            #expect(await up.says("central ended (exit code 75); restarting in"))
            #expect(await up.says("info relay: node is up"))
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            }
            let relay = try #require(Self.process(of: "relay", in: sandbox))
            kill(relay, SIGKILL)
            #expect(await up.says("relay ended (signal 9); restarting in"))
            holder.send(SIGTERM)
            #expect(await up.says("2 nodes are up"))
            #expect(!up.errors.value.contains("cannot run"))
            up.send(SIGTERM)
            #expect(try await up.ending() == 0)
        }

        @Test("Where no node can run, the exit status is theirs")
        func noneCanRun() async throws {
            try FileManager.default.createDirectory(
                atPath: sandbox.path("relay.sock/folder"), withIntermediateDirectories: true)
            let up = try Launched(["up", "--topology", sandbox.path("topology.yaml"), "relay"])
            #expect(try await up.ending() == 73)
            #expect(await up.says("no node can run"))
        }

        @Test("A killed up leaves no children")
        func killed() async throws {
            let up = try await up()
            up.send(SIGKILL)
            #expect(try await up.ending() == 137)
            #expect(await isEmpty())
        }

        @Test("A node that cannot run is not restarted; the others continue")
        func cannotRun() async throws {
            // A folder in the place of the socket.
            try FileManager.default.createDirectory(
                atPath: sandbox.path("relay.sock"), withIntermediateDirectories: true)
            try sandbox.write("relay.sock/file", "")
            let up = try Launched(["up", "--topology", sandbox.path("topology.yaml")])
            #expect(await up.says("relay cannot run (exit code 73) and is not restarted"))
            #expect(Self.process(of: "central", in: sandbox) != nil)
            up.send(SIGTERM)
            #expect(try await up.ending() == 0)
        }

        @Test("Nodes are run whose names look like an option, or like folders")
        func oddNames() async throws {
            let names = ["-x", ".", ".."].map {
                "  \"\($0)\": { presenters: [{ policy: policy.yaml }] }\n"
            }
            try sandbox.write("topology.yaml", "version: 1\nnodes:\n" + names.joined())
            let up = try await up()
            #expect(await up.says("3 nodes are up"))
            #expect(!up.errors.value.contains("restarting"))
            up.send(SIGTERM)
            #expect(try await up.ending() == 0)
        }

        @Test("Wrong names are refused with the known ones")
        func unknownNode() async throws {
            let up = try Launched(["up", "--topology", sandbox.path("topology.yaml"), "relai"])
            #expect(try await up.ending() == 78)
            #expect(await up.says("central, relay"))
        }
    }
}
