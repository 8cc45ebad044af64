import Foundation
import Glibc
import Testing

extension EndToEnd {
    struct Present {
        let sandbox: Sandbox
        init() throws { sandbox = try Sandbox() }

        private static let options = [
            "--option", "retry=Retry", "--option", "cancel=Cancel:cancel",
        ]

        private func policyBus() async throws -> [Launched] {
            try sandbox.write(
                "policy.yaml",
                """
                rules:
                  - match: { code: 1 }
                    answer: retry
                  - match: { code: 2 }
                    answer: cancel
                """)
            try sandbox.writeTopology(
                presenters: "policy: policy.yaml",
                extra: """
                        responders:
                          - match: { code: 3 }
                            withhold: true
                    """)
            return [try await sandbox.start("central"), try await sandbox.start("relay")]
        }

        @Test("Each end has its exit status")
        func statuses() async throws {
            let nodes = try await policyBus()
            let table = [(1, 0, "retry\n"), (2, 1, "cancel\n"), (3, 1, ""), (4, 69, "")]
            for (code, status, printed) in table {
                let present = try Launched(
                    ["present", "--to", sandbox.endpoint("relay"), "--description", "Boom"]
                        + ["--code", "\(code)"] + Self.options)
                #expect(try await present.ending() == Int32(status), "code \(code)")
                if !printed.isEmpty {
                    #expect(await present.prints(printed), "code \(code)")
                } else {
                    #expect(present.output.value.isEmpty)
                    #expect(await present.says("bus-node: "))
                }
            }
            withExtendedLifetime(nodes) {}
        }

        @Test("OK acknowledges a report without options; an option of a node that fails does not")
        func withoutOptions() async throws {
            try sandbox.write(
                "policy.yaml",
                "rules: [{ match: { code: 1 }, answer: ok }, { match: {}, answer: mend }]")
            try sandbox.writeTopology(
                presenters: "policy: policy.yaml",
                extra: """
                        responders:
                          - match: { code: 2 }
                            addOption: { id: mend, title: Mend, run: ["false"] }
                    """)
            let nodes = [try await sandbox.start("central"), try await sandbox.start("relay")]
            let table = [(1, 0, "ok\n", false), (2, 1, "mend\n", true)]
            for (code, status, printed, hasFailed) in table {
                let present = try Launched(
                    ["present", "--to", sandbox.endpoint("relay"), "--description", "Boom"]
                        + ["--code", "\(code)"])
                #expect(try await present.ending() == Int32(status), "code \(code)")
                #expect(present.output.value == printed, "code \(code)")
                #expect(present.errors.value.contains("did not recover") == hasFailed)
            }
            withExtendedLifetime(nodes) {}
        }

        @Test("A15 a node that presents locally without its parent is waited for")
        func presentsLocally() async throws {
            try sandbox.write("policy.yaml", "rules: [{ match: {}, answer: retry }]")
            try sandbox.write(
                "topology.yaml",
                """
                version: 1
                nodes:
                  central: { listen: ["ipc://$DIR/central.sock"], presenters: [terminal] }
                  relay:
                    next: central
                    listen: ["ipc://$DIR/relay.sock"]
                    whenUnreachable: presentLocally
                    grace: 1s
                    presenters: [policy: policy.yaml]
                """)
            let relay = try await sandbox.start("relay")
            let present = try Launched(
                ["present", "--topology", sandbox.path("topology.yaml"), "--node", "relay"]
                    + ["--description", "Boom"] + Self.options)
            #expect(try await present.ending() == 0)
            #expect(present.output.value == "retry\n")
            withExtendedLifetime(relay) {}
        }

        @Test("A program beside a topology that is named by a relative path is run")
        func programBesideTopology() async throws {
            try FileManager.default.createDirectory(
                atPath: sandbox.path("conf"), withIntermediateDirectories: true)
            // A link, since a new file may still be open for writing in another child.
            try FileManager.default.createSymbolicLink(
                atPath: sandbox.path("conf/sh"), withDestinationPath: "/bin/sh")
            try sandbox.write(
                "conf/topology.yaml",
                """
                version: 1
                nodes: { desk: { presenters: [command: [./sh, -c, "test -e sh && echo retry"]] } }
                """)
            for topology in ["conf/topology.yaml", "./conf/topology.yaml"] {
                let present = try Launched(
                    ["present", "--topology", topology, "--node", "desk"]
                        + ["--description", "Boom"] + Self.options, folder: sandbox.folder)
                #expect(try await present.ending() == 0, "\(present.errors.value)")
                #expect(present.output.value == "retry\n")
            }
        }

        @Test(
            "A result that cannot be printed fails the command", arguments: [">/dev/full", ">&-"])
        func noOutput(redirection: String) async throws {
            let nodes = try await policyBus()
            let topology = sandbox.path("topology.yaml")
            for command in [
                "present --to \(sandbox.endpoint("relay")) --description Boom --code 1 "
                    + "--option retry=Retry",
                "check \(topology)", "check --json \(topology)", "log --topology \(topology)",
            ] {
                let shell = try Launched(
                    ["-c", "exec \"$0\" \(command) \(redirection)", Launched.busNode],
                    program: "/bin/sh")
                #expect(try await shell.ending() == 74, "\(command)")
                #expect(await shell.says("standard output"), "\(command)")
            }
            withExtendedLifetime(nodes) {}
        }

        @Test("With --json the outcome is printed, with --report - the report is read")
        func json() async throws {
            let nodes = try await policyBus()
            let report = """
                {"domain": "org.example", "description": "Boom", "code": 1,
                 "recoveryOptions": [{"id": "retry", "title": "Retry"}]}
                """
            let present = try Launched(
                ["present", "--to", sandbox.endpoint("relay"), "--json", "--report", "-"],
                input: .text(report))
            #expect(try await present.ending() == 0)
            #expect(await present.prints("\"option\":\"retry\""))
            #expect(present.output.value.contains("\"didRecover\":true"))
            withExtendedLifetime(nodes) {}
        }

        @Test("Invalid input differs from an invalid command line and from a missing file")
        func wrongInput() async throws {
            let to = ["present", "--to", sandbox.endpoint("none")]
            let bad = try Launched(to + ["--report", "-"], input: .text("{nonsense"))
            #expect(try await bad.ending() == 65)
            let missing = try Launched(to + ["--report", sandbox.path("none")])
            #expect(try await missing.ending() == 66)
            for wrong in [
                ["present", "--description", "Boom"], to,
                to + ["--description", "x", "--option", "y"],
                to + ["--description", "x", "--severity", "loud"],
                to + ["--description", "x", "--deadline", "soon"],
                to + ["--description", "x", "--id", "1"],
                to + ["--description", "x", "--node", "relay"], ["presnt"],
            ] {
                let process = try Launched(wrong)
                #expect(try await process.ending() == 64, "\(wrong)")
                #expect(await process.errors.becomes { !$0.isEmpty })
            }
        }

        @Test("No listener: 69 within the grace, with the endpoint tried")
        func unreachable() async throws {
            let present = try Launched([
                "present", "--to", sandbox.endpoint("none"), "--description", "Boom", "--grace",
                "300ms",
            ])
            #expect(try await present.ending() == 69)
            #expect(await present.says(sandbox.endpoint("none")))
        }

        @Test("A32 A repeated id gets the recorded answer; no second prompt")
        func sameID() async throws {
            try sandbox.write("ask.sh", "echo asked >>$DIR/asked\necho retry\n")
            try sandbox.writeTopology(presenters: "command: [sh, ask.sh]")
            let nodes = [try await sandbox.start("central"), try await sandbox.start("relay")]
            for _ in 1...2 {
                let present = try sandbox.present(
                    "--option", "retry=Retry", "--id", "0195f3a0-0000-7000-8000-000000000001")
                #expect(try await present.ending() == 0)
                #expect(await present.prints("retry\n"))
            }
            #expect(try sandbox.read("asked") == "asked\n")
            withExtendedLifetime(nodes) {}
        }

        @Test("A signal that was ignored when present started, as with nohup, stays ignored")
        func ignoredSignals() async throws {
            let pty = try Pty()
            try sandbox.writeTopology(presenters: "terminal")
            let nodes = [
                try await sandbox.start("central", input: .terminal(pty)),
                try await sandbox.start("relay"),
            ]
            let present = try Launched(
                ["-c", "trap '' HUP INT; exec \"$0\" \"$@\"", Launched.busNode, "present"]
                    + ["--to", sandbox.endpoint("relay"), "--description", "Boom"]
                    + Self.options, program: "/bin/sh")
            #expect(await pty.shows("Retry"))
            present.send(SIGHUP)
            present.send(SIGINT)
            pty.type("r\n")
            #expect(try await present.ending() == 0)
            #expect(present.output.value == "retry\n")
            withExtendedLifetime(nodes) {}
        }

        @Test("A deadline that passes exits 75 and ends the presenter's command")
        func deadline() async throws {
            try sandbox.write("ask.sh", "echo $$ >$DIR/pid\nexec sleep 60\n")
            try sandbox.writeTopology(presenters: "command: [sh, ask.sh]")
            let nodes = [try await sandbox.start("central"), try await sandbox.start("relay")]
            for deadline in Sandbox.deadlines where !sandbox.exists("pid") {
                let present = try sandbox.present(
                    "--option", "retry=Retry", "--deadline", deadline)
                #expect(try await present.ending() == 75)
            }
            let text = try sandbox.read("pid").trimmingCharacters(in: .whitespacesAndNewlines)
            let pid = try #require(pid_t(text))
            #expect(await eventually { kill(pid, 0) != 0 })
            withExtendedLifetime(nodes) {}
        }

        @Test("A second client of the same name is refused, the first stays served")
        func sameName() async throws {
            let pty = try Pty()
            try sandbox.writeTopology(presenters: "terminal")
            let nodes = [
                try await sandbox.start("central", input: .terminal(pty)),
                try await sandbox.start("relay"),
            ]
            let first = try sandbox.present("--option", "retry=Retry", "--name", "twin")
            #expect(await pty.shows("Retry"))
            let second = try sandbox.present(
                "--option", "retry=Retry", "--name", "twin", "--grace", "1s")
            #expect(try await second.ending() != 0)
            #expect(await second.says("twin"))
            pty.type("r\n")
            #expect(try await first.ending() == 0)
            withExtendedLifetime(nodes) {}
        }
    }
}
