import Foundation
import Testing

extension EndToEnd {
    struct Log {
        let sandbox: Sandbox
        let pty: Pty

        init() throws {
            sandbox = try Sandbox()
            pty = try Pty()
            try sandbox.writeTopology(
                presenters: "terminal", extra: "    journal: $DIR/central.sqlite")
        }

        private func log(_ arguments: String...) throws -> Launched {
            try Launched(["log", "--topology", sandbox.path("topology.yaml")] + arguments)
        }

        @Test("An unanswered presentation is listed, presented again by id, and then not listed")
        func reoffer() async throws {
            var id = ""
            let central = try await sandbox.start("central", input: .terminal(pty))
            let relay = try await sandbox.start("relay")
            for (number, deadline) in Sandbox.deadlines.enumerated()
            where !pty.screen.value.contains("Retry") {
                id = "01920000-0000-7000-8000-00000000abc\(number)"
                let present = try sandbox.present(
                    "--id", id, "--deadline", deadline, "--option", "retry=Retry")
                #expect(try await present.ending() == 75)
            }
            // The journal has it a moment after the caller.
            var isListed = false
            for _ in 0..<50 where !isListed {
                let list = try log("--json", "--node", "central")
                #expect(try await list.ending() == 0)
                isListed = list.output.value.contains("\"event\":\"unanswered\"")
            }
            #expect(isListed)
            let list = try log()
            #expect(try await list.ending() == 0)
            #expect(await list.prints("UNANSWERED"))
            #expect(list.output.value.contains(id))
            #expect(list.output.value.contains("Boom"))

            let before = pty.screen.value.count
            let again = try log("--reoffer", id.uppercased())
            #expect(await pty.shows("[r] Retry", after: before))
            pty.type("r\n")
            #expect(try await again.ending() == 0)
            #expect(await again.prints("retry\n"))
            let after = try log()
            #expect(try await after.ending() == 0)
            #expect(!after.output.value.contains("UNANSWERED"))
            let twice = try log("--reoffer", id)
            #expect(try await twice.ending() == 65)
            #expect(await twice.says("was presented again and answered before"))
            withExtendedLifetime((central, relay)) {}
        }

        @Test("A reader that stops ends a list without a message")
        func brokenPipe() async throws {
            let shell = try Launched.withoutReader(
                "log --topology \(sandbox.path("topology.yaml"))", pipe: sandbox.path("pipe"))
            #expect(try await shell.ending() == 128 + 13)
            #expect(shell.errors.value.isEmpty)
        }

        @Test("An id that no journal has, and an id given twice, are refused")
        func refused() async throws {
            let unknown = try log("--reoffer", "0192")
            #expect(try await unknown.ending() == 1)
            #expect(await unknown.says("no presentation 0192 in the journals"))
            let both = try log("--reoffer", "0192", "0192")
            #expect(try await both.ending() == 64)
            #expect(await both.says("found two ids, 0192 and --reoffer 0192"))
        }

        @Test("A part of two ids is refused with both, and one of them has its events alone")
        func ambiguous() async throws {
            let ids = ["1", "2"].map { "01920000-0000-7000-8000-00000000abc\($0)" }
            let lines = ids.map { #"{"event":"received","id":"\#($0)","time":"2026-01-01"}"# }
            try sandbox.write("central.jsonl", lines.joined(separator: "\n") + "\n")
            for options in [[], ["--json"]] {
                let both = try Launched(
                    ["log", "--topology", sandbox.path("topology.yaml"), "0192"] + options)
                #expect(try await both.ending() == 64)
                #expect(
                    await both.says("0192: 2 presentations begin or end so: 0000abc2, 0000abc1"))
                #expect(both.output.value.isEmpty)
            }
            let one = try log("--json", "abc1")
            #expect(try await one.ending() == 0)
            #expect(one.output.value.contains(ids[0]) && !one.output.value.contains(ids[1]))
        }

        @Test("A node without a ledger and without a journal is named")
        func without() async throws {
            let relay = try log("--node", "relay")
            #expect(try await relay.ending() == 78)
            #expect(
                await relay.says(
                    "node relay has no ledger (events: FILE) and no journal (journal: FILE)"))
            let history = try Launched([
                "history", "--topology", sandbox.path("topology.yaml"), "--node", "relay",
            ])
            #expect(try await history.ending() == 78)
            #expect(await history.says("node relay has no journal (journal: FILE)"))
        }

        @Test("A33 F13 F14 The prompt shows that its origin is out of reach, and when it is back")
        func contact() async throws {
            let id = "01920000-0000-7000-8000-00000000abce"
            let central = try await sandbox.start("central", input: .terminal(pty))
            let relay = try await sandbox.start("relay")
            let first = try sandbox.present("--id", id, "--option", "retry=Retry")
            #expect(await pty.shows("[r] Retry"))
            first.send(SIGKILL)
            #expect(await pty.shows("(present cannot be reached: an answer is kept for it)"))
            let second = try sandbox.present("--id", id, "--option", "retry=Retry")
            #expect(await pty.shows("(present can be reached again)"))
            pty.type("r\n")
            #expect(try await second.ending() == 0)
            #expect(await second.prints("retry\n"))
            withExtendedLifetime((central, relay)) {}
        }
    }
}
