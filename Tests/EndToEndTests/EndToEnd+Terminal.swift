import Foundation
import Glibc
import Testing

extension EndToEnd {
    struct Terminal {
        let sandbox: Sandbox
        let pty: Pty
        init() throws {
            sandbox = try Sandbox()
            pty = try Pty()
            try sandbox.writeTopology(presenters: "terminal")
        }

        private func bus() async throws -> [Launched] {
            [
                try await sandbox.start("central", input: .terminal(pty)),
                try await sandbox.start("relay"),
            ]
        }

        /// Types a line and waits for what it brings to the screen.
        private func type(_ line: String, brings text: String) async {
            #expect(await pty.enter(line, brings: text))
        }

        /// Presses Return until it counts: not too soon after the prompt.
        private func pressReturn(brings text: String) async {
            #expect(await pty.pressReturn(brings: text))
        }

        @Test("A21 A22 Help and wrong keys do not answer; Return chooses the default")
        func keys() async throws {
            let nodes = try await bus()
            let present = try sandbox.present(
                "--option", "retry=Retry:default", "--option", "cancel=Cancel:cancel", "--reason",
                "It is full.", "--suggestion", "Empty it.", "--help-anchor", "full-disk")
            #expect(await pty.shows("[r] Retry (Return)   [c] Cancel"))
            #expect(pty.screen.value.contains("Boom"))
            #expect(pty.screen.value.contains("It is full."))
            #expect(pty.screen.value.contains("Empty it."))
            await type("?", brings: "option   cancel: Cancel")
            #expect(pty.screen.value.contains("full-disk"))
            await type("x", brings: "\"x\" is not an option")
            await type("99", brings: "is not an option")
            await pressReturn(brings: "answered: retry")
            #expect(try await present.ending() == 0)
            #expect(await present.prints("retry\n"))
            withExtendedLifetime(nodes) {}
        }

        @Test("A20 A destructive option is confirmed by a word; Return alone never confirms it")
        func destructive() async throws {
            let nodes = try await bus()
            let undeclared = try sandbox.present(
                "--option", "wipe=Wipe:destructive", "--option", "cancel=Cancel:cancel")
            #expect(await pty.shows("[w] Wipe (destructive)   [c] Cancel"))
            await pressReturn(brings: "there is no default:")
            for word in ["w", "", "y", "c"] {
                await type("w", brings: "This cannot be undone.")
                // The prompt again: lines typed before it are not read.
                await type(word, brings: "[w] Wipe (destructive)   [c] Cancel")
            }
            let refusals = pty.screen.value.components(separatedBy: "not confirmed").count - 1
            #expect(refusals == 4)
            await type("c", brings: "answered: cancel")
            #expect(try await undeclared.ending() == 1)
            let declared = try sandbox.present(
                "--option", "wipe=Wipe:destructive:default", "--option", "cancel=Cancel:cancel")
            #expect(await pty.shows("[w] Wipe (destructive) (Return)"))
            await pressReturn(brings: "This cannot be undone.")
            await type("", brings: "[w] Wipe (destructive) (Return)")
            await pressReturn(brings: "This cannot be undone.")
            await type("yes", brings: "answered: wipe")
            #expect(try await declared.ending() == 0)
            withExtendedLifetime(nodes) {}
        }

        @Test("A node ends when its terminal is closed; before, SIGHUP has it read its files again")
        func closed() async throws {
            let (central, process) = try await inForeground()
            kill(process, SIGHUP)
            #expect(await pty.shows("rules read again"))
            pty.hangUp()
            #expect(try await central.ending() == 0)
        }

        @Test(
            "In the background and below nohup a node outlives its terminal; SIGHUP reads again",
            arguments: [true, false])
        func outlives(isBackground: Bool) async throws {
            let (central, process) =
                if isBackground {
                    try await inBackground()
                } else {
                    try await inForeground(after: "trap '' HUP")
                }
            pty.hangUp()
            let isClosed = await eventually { [pty] in isatty(pty.child.fileDescriptor) == 0 }
            #expect(isClosed)
            let ledger = sandbox.path("central.jsonl")
            try FileManager.default.moveItem(atPath: ledger, toPath: ledger + ".1")
            kill(process, SIGHUP)
            let isReopened = await eventually { [sandbox] in sandbox.exists("central.jsonl") }
            #expect(isReopened)
            kill(process, SIGTERM)
            #expect(try await central.ending() == 0)
        }

        private func inBackground() async throws -> (Launched, pid_t) {
            let central = try await sandbox.start("central", input: .terminal(pty))
            return (central, central.pid)
        }

        private func inForeground(after command: String = ":") async throws -> (Launched, pid_t) {
            let started = try await Launched.inForeground(
                of: pty, after: command,
                [
                    "run", "--topology", sandbox.path("topology.yaml"), "--node", "central",
                    "--ready-file", sandbox.path("ready"),
                ])
            let isUp = await eventually { [sandbox] in sandbox.exists("ready") }
            try #require(isUp)
            return started
        }

        @Test("A line typed before a prompt was on the screen does not answer it")
        func typedAhead() async throws {
            let nodes = try await bus()
            let first = try sandbox.present("--option", "one=One")
            #expect(await pty.shows("[o] One"))
            let second = try sandbox.present("--option", "two=Two:default")
            // Both presentations are at central: the second waits behind the first.
            let areBothThere = await eventually { [sandbox] in
                let log = (try? sandbox.read("central.jsonl")) ?? ""
                return log.components(separatedBy: "\"event\":\"present\"").count == 3
            }
            #expect(areBothThere)
            // The second Return and the third line were typed for the first prompt.
            pty.type("o\n\nt\n")
            #expect(try await first.ending() == 0)
            #expect(await pty.shows("[t] Two"))
            await type("?", brings: "option   two: Two")
            await type("t", brings: "answered: two")
            #expect(try await second.ending() == 0)
            withExtendedLifetime(nodes) {}
        }

        @Test("A word typed before the prompt does not confirm a destructive option")
        func confirmedAhead() async throws {
            let nodes = try await bus()
            let present = try sandbox.present(
                "--option", "wipe=Wipe:destructive", "--option", "cancel=Cancel:cancel")
            #expect(await pty.shows("[w] Wipe (destructive)"))
            // Read before it is asked, the word is old; else it is not read at all.
            pty.type("w\nyes\n")
            #expect(await pty.shows("Type yes to confirm"))
            // The prompt again: lines typed before it are not read.
            await type("no", brings: "[w] Wipe (destructive)")
            await type("c", brings: "answered: cancel")
            #expect(pty.screen.value.contains("not confirmed"))
            #expect(!pty.screen.value.contains("answered: wipe"))
            #expect(try await present.ending() == 1)
            withExtendedLifetime(nodes) {}
        }

        @Test("Ctrl-D does not answer, and does not end the prompts")
        func endKey() async throws {
            let nodes = try await bus()
            let present = try sandbox.present("--option", "one=One")
            #expect(await pty.shows("[o] One"))
            for _ in 1...3 {
                let before = pty.screen.value.count
                pty.type("\u{4}")
                #expect(await pty.shows("Ctrl-D does not answer", after: before))
            }
            await type("o", brings: "answered: one")
            #expect(try await present.ending() == 0)
            withExtendedLifetime(nodes) {}
        }

        @Test("Of several prompts the gravest is next, their number is kept, each can be reached")
        func queue() async throws {
            let central = try await sandbox.start(
                "central", input: .terminal(pty), environment: ["TERM": "xterm"])
            let relay = try await sandbox.start("relay")
            let first = try sandbox.present("--option", "one=One", "--severity", "info")
            #expect(await pty.shows("[o] One"))
            let second = try sandbox.present("--option", "two=Two", "--severity", "warning")
            #expect(await pty.shows("1 more waiting, most severe: warning"))
            let third = try sandbox.present("--option", "three=Three", "--severity", "critical")
            // In place: what a person types meanwhile stays.
            #expect(await pty.shows("\u{1B}[2K  2 more waiting, most severe: critical"))
            await type("#", brings: "  #3 ‼ critical")
            #expect(pty.screen.value.contains("* #1 i info"))
            await type("#9", brings: "no prompt #9 waits")
            await type("#2", brings: "[t] Two")
            await type("+", brings: "[t] Three")
            await type("+", brings: "[o] One")
            await type("#3", brings: "[t] Three")
            await type("t", brings: "answered: three")
            #expect(try await third.ending() == 0)
            await type("o", brings: "answered: one")
            #expect(try await first.ending() == 0)
            await type("+", brings: "no other prompt waits")
            await type("t", brings: "answered: two")
            #expect(try await second.ending() == 0)
            withExtendedLifetime([central, relay]) {}
        }

        @Test("A26 Equal errors are one prompt: one choice answers all of them, or each alone")
        func group() async throws {
            let central = try await sandbox.start(
                "central", input: .terminal(pty), environment: ["TERM": "xterm"])
            let relay = try await sandbox.start("relay")
            let presents = try (1...4).map { _ in
                try sandbox.present("--option", "retry=Retry:default")
            }
            #expect(await pty.shows("4 like this   [*] one by one"))
            await type("*", brings: "3 more waiting, most severe: error")
            await type("#", brings: "  #4 ✕ error")
            // The first is put off, and the others are answered together.
            await type("+", brings: "[r] Retry (Return)")
            await type("*", brings: "3 like this [*], 1 more waiting")
            await pressReturn(brings: "answered: retry for 3")
            await type("r", brings: "answered: retry")
            for present in presents { #expect(try await present.ending() == 0) }
            withExtendedLifetime([central, relay]) {}
        }

        @Test("When the first of a group is withdrawn, the others stay on the screen")
        func withdrawnFirst() async throws {
            let nodes = try await bus()
            let first = try sandbox.present("--option", "retry=Retry:default")
            #expect(await pty.shows("[r] Retry"))
            let second = try sandbox.present("--option", "retry=Retry:default")
            #expect(await pty.shows("2 like this"))
            let mark = pty.screen.value.count
            first.send(SIGINT)
            #expect(await pty.shows("no answer needed", after: mark))
            #expect(await pty.shows("[r] Retry (Return)", after: mark))
            await pressReturn(brings: "answered: retry")
            #expect(try await second.ending() == 0)
            withExtendedLifetime(nodes) {}
        }

        @Test("Stopped and continued, as by Ctrl-Z and fg, the prompt and its input stay")
        func continued() async throws {
            let nodes = try await bus()
            let present = try sandbox.present("--option", "one=One")
            #expect(await pty.shows("[o] One"))
            let status = "/proc/\(nodes[0].pid)/status"
            func becomes(_ holds: @escaping @Sendable (String) -> Bool) async -> Bool {
                await eventually {
                    (try? String(contentsOfFile: status, encoding: .utf8)).map(holds) == true
                }
            }
            nodes[0].send(SIGTSTP)
            let hasStopped = await becomes { $0.contains("T (stopped)") }
            #expect(hasStopped)
            // Typed for the prompt that stood there: it is kept, and answers when its line ends.
            pty.type("o")
            // Sent again until it is followed.
            let mark = pty.screen.value.count
            let isWritten = await eventually { [pty, central = nodes[0]] in
                central.send(SIGCONT)
                return pty.screen.value.dropFirst(mark).contains("[o] One")
            }
            #expect(isWritten)
            pty.type("\n")
            #expect(await pty.shows("answered: one"))
            #expect(try await present.ending() == 0)
            withExtendedLifetime(nodes) {}
        }

        @Test("What was begun for one prompt, and ended for the next, answers neither")
        func begunBefore() async throws {
            let nodes = try await bus()
            let first = try sandbox.present("--option", "one=One")
            #expect(await pty.shows("[o] One"))
            let second = try sandbox.present("--option", "other=Other")
            #expect(await pty.shows("1 more waiting"))
            // Ctrl-D gives the key to the presenter without the end of its line.
            pty.type("o\u{4}")
            #expect(await pty.screen.becomes { $0.hasSuffix("> o") })
            let isRead = await eventually { [pty] in pty.isRead }
            #expect(isRead)
            first.send(SIGINT)
            #expect(await pty.shows("[o] Other"))
            let isRefused = await eventually { [pty] in
                pty.type("\n")
                return pty.screen.value.contains("typed before this prompt appeared")
            }
            #expect(isRefused)
            #expect(!pty.screen.value.contains("answered"))
            await type("o", brings: "answered: other")
            #expect(try await second.ending() == 0)
            withExtendedLifetime(nodes) {}
        }

        @Test("A log line does not remove the prompt")
        func logLine() async throws {
            let nodes = try await bus()
            let present = try sandbox.present("--option", "one=One")
            #expect(await pty.shows("[o] One"))
            let before = pty.screen.value.count
            nodes[0].send(SIGHUP)
            #expect(await pty.shows("rules read again", after: before))
            #expect(await pty.shows("\n> ", after: before))
            let lines = pty.screen.value.split(whereSeparator: \.isNewline)
            #expect(!lines.contains { $0.hasPrefix("> ") && $0.contains("rules") })
            await type("o", brings: "answered: one")
            #expect(try await present.ending() == 0)
            withExtendedLifetime(nodes) {}
        }

        @Test("With a console and a journal beside it, a prompt has the results of its options")
        func results() async throws {
            try sandbox.writeTopology(
                presenters: "console: { listen: \"127.0.0.1:*\" }\n      - terminal",
                extra: "    journal: $DIR/central.sqlite")
            let nodes = try await bus()
            let first = try sandbox.present("--option", "retry=Retry:default")
            #expect(await pty.shows("[r] Retry (Return)   [?] details"))
            await type("r", brings: "answered: retry")
            #expect(try await first.ending() == 0)
            let isSettled = await eventually { [sandbox] in
                (try? sandbox.read("central.jsonl").contains("\"event\":\"done\"")) == true
            }
            #expect(isSettled)
            // Ending, the node writes the rest of its history.
            nodes[0].send(SIGTERM)
            #expect(try await nodes[0].ending() == 0)
            let later = try Pty()
            let central = try await sandbox.start("central", input: .terminal(later))
            let second = try sandbox.present("--option", "retry=Retry:default")
            #expect(await later.shows("[r] Retry (Return), recovered 1 of 1 in 7 days"))
            #expect(await later.enter("r", brings: "answered: retry"))
            #expect(try await second.ending() == 0)
            withExtendedLifetime((nodes, central)) {}
        }

        @Test("With a console beside it, a note is written and read at a terminal")
        func notes() async throws {
            try sandbox.writeTopology(
                presenters: "console: { listen: \"127.0.0.1:*\" }\n      - terminal")
            let nodes = try await bus()
            let present = try sandbox.present("--option", "one=One")
            #expect(await pty.shows("[o] One"))
            await type("::", brings: "found 0 characters, allowed: 1 to 1000")
            await type(":: The disk is being replaced.", brings: "1 note: see [?]")
            await type("?", brings: ": The disk is being replaced.")
            await type("o", brings: "answered: one")
            #expect(try await present.ending() == 0)
            let isInLedger = await eventually { [sandbox] in
                (try? sandbox.read("central.jsonl").contains("The disk is being replaced.")) == true
            }
            #expect(isInLedger)
            withExtendedLifetime(nodes) {}
        }

        @Test("A withdrawn presentation is in the journal as ended")
        func journaled() async throws {
            try sandbox.writeTopology(
                presenters: "terminal", extra: "    journal: $DIR/central.sqlite")
            let nodes = try await bus()
            let present = try sandbox.present("--option", "one=One")
            #expect(await pty.shows("[o] One"))
            present.send(SIGINT)
            #expect(try await present.ending() == 130)
            #expect(await present.says("withdrawn"))
            #expect(await pty.shows("no answer needed"))
            nodes[0].send(SIGTERM)
            #expect(try await nodes[0].ending() == 0)
            #expect(!pty.screen.value.contains("not written"))
            withExtendedLifetime(nodes) {}
        }

        @Test("When the terminal ends, no presenter is left and the origin gets the refusal")
        func endOfInput() async throws {
            let nodes = try await bus()
            let present = try sandbox.present("--option", "one=One")
            #expect(await pty.shows("[o] One"))
            pty.hangUp()
            #expect(try await present.ending() == 69)
            withExtendedLifetime(nodes) {}
        }
    }
}
