import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// Processes that get too many signals and too few descriptors.
    struct Starved {
        private let sandbox: Sandbox

        init() throws {
            sandbox = try Sandbox()
            try sandbox.write("policy.yaml", "rules: [{ match: {}, answer: one }]\n")
            try sandbox.writeTopology(presenters: "policy: policy.yaml")
        }

        @Test("F35 Under a storm of signals every presentation is answered once")
        func signalStorm() async throws {
            let nodes = [try await sandbox.start("central"), try await sandbox.start("relay")]
            let isOver = Observed(false)
            let pids = nodes.map(\.pid)
            Thread.detachNewThread {
                // SIGHUP is handled, SIGCONT and SIGSTOP end waits with EINTR, the rest is ignored.
                let signals = [SIGWINCH, SIGCHLD, SIGHUP, SIGURG, SIGSTOP, SIGCONT]
                while !isOver.value {
                    for signal in signals { for pid in pids { kill(pid, signal) } }
                    sched_yield()
                }
                for pid in pids { kill(pid, SIGCONT) }
            }
            let presents = try (0..<12).map { _ in try sandbox.present("--option", "one=One") }
            for present in presents {
                #expect(try await present.ending() == 0)
                #expect(await present.prints("one\n"))
            }
            isOver.update { $0 = true }
            let log = try sandbox.read("central.jsonl")
            #expect(log.components(separatedBy: "\"event\":\"decide\"").count == 13)
            for node in nodes {
                node.send(SIGTERM)
                #expect(try await node.ending() == 0)
            }
        }

        /// Connections that say nothing.
        private static func connections(to endpoint: String, count: Int) -> [FileHandle] {
            let path = endpoint.hasPrefix("ipc://") ? String(endpoint.dropFirst(6)) : nil
            return (0..<count).compactMap { _ in
                let family = path == nil ? AF_INET : AF_UNIX
                let peer = socket(
                    family, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
                guard peer >= 0 else { return nil }
                if let path {
                    var address = sockaddr_un()
                    address.sun_family = sa_family_t(AF_UNIX)
                    withUnsafeMutableBytes(of: &address.sun_path) { bytes in
                        bytes.copyBytes(from: path.utf8.prefix(bytes.count - 1))
                    }
                    connect(peer, &address)
                } else {
                    var address = sockaddr_in()
                    address.sin_family = sa_family_t(AF_INET)
                    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                    let port = endpoint.split(separator: ":").last.flatMap { UInt16($0) }
                    address.sin_port = (port ?? 0).bigEndian
                    connect(peer, &address)
                }
                return FileHandle(fileDescriptor: peer, closeOnDealloc: true)
            }
        }

        private static func connect<Address>(_ peer: Int32, _ address: inout Address) {
            _ = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(peer, $0, socklen_t(MemoryLayout<Address>.size))
                }
            }
        }

        private static func descriptorCount(of pid: pid_t) -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count) ?? 0
        }

        /// A node with a person that listens on a port; `limit` is an argument of `ulimit`.
        private func central(_ limit: String, _ endpoint: String, _ pty: Pty) throws -> Launched {
            try sandbox.write(
                "topology.yaml",
                """
                version: 1
                nodes:
                  central: { listen: ["\(endpoint)"], presenters: [terminal] }
                """)
            return try Launched(
                [
                    "-c", "ulimit \(limit); exec \"$0\" \"$@\"", Launched.busNode, "run",
                    "--topology", sandbox.path("topology.yaml"), "--node", "central",
                ], program: "/bin/sh", input: .terminal(pty))
        }

        private func present(_ text: String, _ endpoint: String) throws -> Launched {
            try Launched([
                "present", "--to", endpoint, "--domain", "test",
                "--description", text, "--option", "one=One",
            ])
        }

        private func endpoint(_ transport: String) throws -> String {
            transport == "ipc"
                ? "ipc://\(sandbox.path("central.sock"))" : "tcp://127.0.0.1:\(try Port().number)"
        }

        @Test(
            "F36 Almost out of descriptors a node keeps its connections, and accepts others later",
            arguments: ["tcp", "ipc"])
        func noDescriptors(transport: String) async throws {
            let pty = try Pty()
            let endpoint = try endpoint(transport)
            let central = try central("-n 256", endpoint, pty)
            let first = try present("First", endpoint)
            #expect(await pty.shows("[o] One"))
            var strangers: [FileHandle] = []
            for _ in 0..<10 {
                strangers += Self.connections(to: endpoint, count: 20)
                // Those that took a reserved one are ended.
                let isBelow = await eventually { Self.descriptorCount(of: central.pid) < 204 }
                #expect(isBelow)
            }
            #expect(await pty.shows("kind=noDescriptors"))
            pty.type("o\n")
            #expect(try await first.ending() == 0)
            strangers.removeAll()
            let second = try present("Second", endpoint)
            #expect(await pty.shows("Second"))
            pty.type("o\n")
            #expect(try await second.ending() == 0)
            #expect(strangers.isEmpty)
            central.send(SIGTERM)
            #expect(try await central.ending() == 0)
        }

        @Test("F36 A node takes as many descriptors as the system allows, not the shell's number")
        func raisesLimit() async throws {
            let pty = try Pty()
            let endpoint = try endpoint("tcp")
            let central = try central("-Sn 64", endpoint, pty)
            let first = try present("First", endpoint)
            #expect(await pty.shows("[o] One"))
            let strangers = Self.connections(to: endpoint, count: 100)
            let areTaken = await eventually { Self.descriptorCount(of: central.pid) > 100 }
            #expect(areTaken)
            pty.type("o\n")
            #expect(try await first.ending() == 0)
            withExtendedLifetime(strangers) {}
        }
    }
}
