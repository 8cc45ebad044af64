import Foundation
import Glibc
import Testing

extension EndToEnd {
    struct Run {
        let sandbox: Sandbox
        init() throws { sandbox = try Sandbox() }

        private func run(_ node: String, _ more: String...) throws -> Launched {
            try Launched(
                ["run", "--topology", sandbox.path("topology.yaml"), "--node", node] + more)
        }

        @Test("SIGTERM ends every node, with or without open presentations")
        func endsSoon() async throws {
            let pty = try Pty()
            try sandbox.writeTopology(presenters: "terminal")
            let central = try await sandbox.start("central", input: .terminal(pty))
            let relay = try await sandbox.start("relay")
            let present = try sandbox.present("--option", "retry=Retry")
            #expect(await pty.shows("[r] Retry"))
            central.send(SIGTERM)
            #expect(try await central.ending() == 0)
            relay.send(SIGTERM)
            #expect(try await relay.ending() == 0)
            present.send(SIGINT)
            #expect(try await present.ending() == 130)
        }

        @Test(
            "A presenter's program that ignores SIGTERM does not outlive the node, nor its daemon",
            arguments: [
                "trap '' TERM\necho $$ >$DIR/pid\nexec sleep 900\n",
                "(setsid sh -c 'trap \"\" TERM; echo $$ >$DIR/pid; exec sleep 900' &)\nsleep 900\n",
            ])
        func endsPrograms(script: String) async throws {
            try sandbox.writeTopology(presenters: "command: [sh, ask.sh]")
            try sandbox.write("ask.sh", script)
            let central = try await sandbox.start("central")
            let present = try sandbox.presentRetry(to: sandbox.endpoint("central"))
            let isAsked = await eventually { [sandbox] in
                (try? sandbox.read("pid"))?.hasSuffix("\n") == true
            }
            #expect(isAsked)
            let text = try sandbox.read("pid").trimmingCharacters(in: .whitespacesAndNewlines)
            let program = try #require(pid_t(text))
            central.send(SIGTERM)
            #expect(try await central.ending() == 0)
            let isGone = await eventually { Self.isGone(program) }
            if !isGone { kill(program, SIGKILL) }
            #expect(isGone)
            present.send(SIGINT)
            #expect(try await present.ending() == 130)
        }

        /// Ended; where no process collects orphans, as a zombie.
        private static func isGone(_ pid: pid_t) -> Bool {
            guard kill(pid, 0) == 0 else { return true }
            let status = FileManager.default.contents(atPath: "/proc/\(pid)/stat") ?? Data()
            return String(decoding: status, as: UTF8.self).contains(") Z ")
        }

        @Test("log prints the number of invalid lines, and shows the others")
        func unreadableLines() async throws {
            try sandbox.writeTopology(presenters: "terminal")
            try sandbox.write(
                "central.jsonl", "nonsense\n{\"event\":\"present\",\"id\":\"1\"}\n[]\n")
            let log = try Launched(["log", "--topology", sandbox.path("topology.yaml")])
            #expect(try await log.ending() == 0)
            #expect(await log.says("central.jsonl: 2 lines are no events; skipped"))
            #expect(await log.prints("TIME"))
        }

        @Test("No socket of the node takes the place of a closed standard descriptor")
        func closedDescriptors() async throws {
            try sandbox.writeTopology(presenters: "terminal")
            let script = """
                exec "$0" run --topology $DIR/topology.yaml --node central \
                --ready-file $DIR/up <&- >&- 2>&-
                """.replacing("$DIR", with: sandbox.folder)
            let central = try Launched(["-c", script, Launched.busNode], program: "/bin/sh")
            let isUp = await eventually { [sandbox] in sandbox.exists("up") }
            #expect(isUp)
            for descriptor in 0...2 {
                let target = try FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/\(central.pid)/fd/\(descriptor)")
                #expect(target == "/dev/null")
            }
            central.send(SIGTERM)
            #expect(try await central.ending() == 0)
        }

        @Test("An invalid topology exits 78 with file, line, field, found and allowed")
        func badTopology() async throws {
            try sandbox.write(
                "topology.yaml",
                "version: 1\nnodes:\n  central:\n    listen: [tcp://127.0.0.1:99999]\n")
            let process = try run("central")
            #expect(try await process.ending() == 78)
            for part in ["topology.yaml:4", "listen", "99999", "65535"] {
                #expect(await process.says(part), "\(part) in \(process.errors.value)")
            }
        }

        @Test("A missing topology exits 66, an unknown node 78 with the known ones")
        func missing() async throws {
            let process = try run("central")
            #expect(try await process.ending() == 66)
            try sandbox.writeTopology(presenters: "terminal")
            let unknown = try run("centrl")
            #expect(try await unknown.ending() == 78)
            #expect(await unknown.says("central, relay"))
        }

        @Test("A status file shows the table sizes, and is removed with the node")
        func statusFile() async throws {
            try sandbox.writeTopology(presenters: "terminal")
            let pty = try Pty()
            let central = try Launched(
                [
                    "run", "--topology", sandbox.path("topology.yaml"), "--node", "central",
                    "--status-file", sandbox.path("status"),
                ], input: .terminal(pty))
            #expect(await tells("\"openBelow\":0"))
            let relay = try await sandbox.start("relay")
            let present = try sandbox.present("--option", "retry=Retry")
            #expect(await tells("\"openBelow\":1"))
            central.send(SIGTERM)
            #expect(try await central.ending() == 0)
            #expect(!sandbox.exists("status"))
            present.send(SIGINT)
            #expect(try await present.ending() == 130)
            withExtendedLifetime(relay) {}
        }

        private func tells(_ text: String) async -> Bool {
            await eventually { [sandbox] in (try? sandbox.read("status").contains(text)) == true }
        }

        @Test("The file of a running process is refused to others; one left by a crash is replaced")
        func publishedFiles() async throws {
            try sandbox.writeTopology(presenters: "terminal")
            let (ready, status) = (sandbox.path("ready"), sandbox.path("status"))
            let first = try run("central", "--ready-file", ready, "--status-file", status)
            let isUp = await eventually { [sandbox] in
                sandbox.exists("ready") && sandbox.exists("status")
            }
            #expect(isUp)
            for (node, option, file) in [
                ("central", "--ready-file", ready), ("relay", "--ready-file", ready),
                ("relay", "--status-file", status),
            ] {
                let second = try run(node, option, file)
                #expect(try await second.ending() == 73)
                #expect(await second.says("the file of process \(first.pid), which runs"))
            }
            #expect(try sandbox.read("ready") == "\(first.pid)\n")
            first.send(SIGKILL)
            _ = try await first.ending()
            #expect(sandbox.exists("ready"))
            let next = try run("relay", "--ready-file", ready)
            let content = "\(next.pid)\n"
            let isNextUp = await eventually { [sandbox] in
                (try? sandbox.read("ready")) == content
            }
            #expect(isNextUp)
            next.send(SIGTERM)
            #expect(try await next.ending() == 0)
            #expect(!sandbox.exists("ready"))
        }

        @Test("An endpoint in use exits 73, and so does a ready file that cannot be created")
        func cannotCreate() async throws {
            try sandbox.writeTopology(presenters: "terminal")
            let unready = try run("central", "--ready-file", sandbox.path("none/ready"))
            #expect(try await unready.ending() == 73)
            let unseen = try run("central", "--status-file", sandbox.path("none/status"))
            #expect(try await unseen.ending() == 73)
            let port = try Port()
            try sandbox.write(
                "topology.yaml",
                """
                version: 1
                nodes:
                  central: { listen: ["tcp://127.0.0.1:\(port.number)"], presenters: [terminal] }
                """)
            let process = try run("central")
            #expect(try await process.ending() == 73)
            #expect(
                await process.says(
                    "cannot listen on tcp://127.0.0.1:\(port.number): Address already in use; "
                        + "stop the process that listens there, or change listen\n"))
        }

        @Test("SIGHUP reads rules again; an invalid file changes nothing and is logged")
        func reload() async throws {
            try sandbox.write("policy.yaml", "rules: [{ match: {}, answer: one }]\n")
            try sandbox.writeTopology(presenters: "policy: policy.yaml")
            let central = try await sandbox.start("central")
            let relay = try await sandbox.start("relay")
            func answer() async throws -> String {
                let present = try sandbox.present("--option", "one=One", "--option", "two=Two")
                #expect(try await present.ending() == 0)
                #expect(await present.prints("\n"))
                return present.output.value
            }
            #expect(try await answer() == "one\n")
            try sandbox.write("policy.yaml", "rules: [{ match: {}, anser: two, redct: a }]\n")
            central.send(SIGHUP)
            // A line for each mistake.
            #expect(await central.says("rules not read again", times: 2))
            #expect(await central.says("anser"))
            #expect(await central.says("redct"))
            #expect(try await answer() == "one\n")
            try sandbox.write("policy.yaml", "rules: [{ match: {}, answer: two }]\n")
            central.send(SIGHUP)
            #expect(await central.says("rules read again"))
            #expect(try await answer() == "two\n")
            // At another place it is asked as before until the restart.
            try sandbox.writeTopology(presenters: "terminal\n      - policy: policy.yaml")
            central.send(SIGHUP)
            #expect(await central.says("needs a restart what=presenters"))
            #expect(try await answer() == "two\n")
            withExtendedLifetime(relay) {}
        }

        @Test(
            "Every command has help with an example",
            arguments: [
                "run", "up", "present", "exec", "log", "check", "explain", "graph", "status",
                "inbox", "policy test", "soak", "chaos", "proxy",
            ])
        func help(command: String) async throws {
            let words = command.split(separator: " ").map(String.init)
            let process = try Launched(words + ["--help"])
            #expect(try await process.ending() == 0)
            #expect(await process.prints("Example: bus-node \(command)"))
        }
    }
}
