import Testing

extension EndToEnd {
    /// Why answers were given, as their origins get it.
    struct Comments {
        @Test("exec prints the comment of a rule, and the repeated command has it")
        func rule() async throws {
            let sandbox = try Sandbox()
            try sandbox.write(
                "policy.yaml",
                "rules: [{ match: {}, answer: { option: retry, comment: It ends. } }]\n")
            try sandbox.writeTopology(presenters: "policy: policy.yaml")
            let nodes = [try await sandbox.start("central"), try await sandbox.start("relay")]
            let exec = try sandbox.exec([], "sh", "-c", "test \"$ERRORBUS_COMMENT\" = 'It ends.'")
            #expect(try await exec.ending() == 0)
            #expect(await exec.says("bus-node exec: comment: It ends."))
            withExtendedLifetime(nodes) {}
        }

        @Test("A person at a terminal gives a comment with the next answer, or takes it back")
        func terminal() async throws {
            let sandbox = try Sandbox()
            let pty = try Pty()
            try sandbox.writeTopology(presenters: "terminal")
            let nodes = [
                try await sandbox.start("central", input: .terminal(pty)),
                try await sandbox.start("relay"),
            ]
            let first = try sandbox.present("--option", "one=One")
            #expect(await pty.shows("[o] One"))
            let long = String(repeating: "x", count: 2_049)
            #expect(await pty.enter(":\(long)", brings: "found 2049 bytes, allowed: a text of"))
            #expect(await pty.enter(":: A note.", brings: "this node has no console"))
            #expect(await pty.enter(": Not this.", brings: "  comment: Not this."))
            #expect(await pty.enter(": It is full.", brings: "  comment: It is full."))
            #expect(await pty.enter("o", brings: "answered: one"))
            #expect(try await first.ending() == 0)
            #expect(await first.says("bus-node: comment: It is full."))
            // The next answer has none, and neither has one whose comment was taken back.
            let second = try sandbox.present("--option", "two=Two")
            #expect(await pty.shows("[t] Two"))
            #expect(await pty.enter(": Hm.", brings: "  comment: Hm."))
            #expect(await pty.enter(":", brings: "[t] Two"))
            #expect(await pty.enter("t", brings: "answered: two"))
            #expect(try await second.ending() == 0)
            let third = try sandbox.present("--option", "three=Three")
            #expect(await pty.shows("[t] Three"))
            #expect(await pty.enter("t", brings: "answered: three"))
            #expect(try await third.ending() == 0)
            for present in [second, third] {
                #expect(!present.errors.value.contains("comment"))
            }
            withExtendedLifetime(nodes) {}
        }

        @Test("A comment stays while its prompt does; a line says that another prompt drops it")
        func kept() async throws {
            let sandbox = try Sandbox()
            let pty = try Pty()
            try sandbox.writeTopology(presenters: "terminal")
            let nodes = [
                try await sandbox.start("central", input: .terminal(pty)),
                try await sandbox.start("relay"),
            ]
            let first = try sandbox.present("--option", "one=One")
            #expect(await pty.shows("[o] One"))
            let second = try sandbox.present("--option", "one=One")
            #expect(await pty.shows("2 like this"))
            #expect(await pty.enter(": Hm.", brings: "  comment: Hm."))
            #expect(await pty.enter("*", brings: "  comment: Hm."))
            #expect(await pty.enter("+", brings: "the comment is dropped: it was for the prompt"))
            #expect(await pty.enter("o", brings: "answered: one"))
            #expect(try await second.ending() == 0)
            #expect(!second.errors.value.contains("comment"))
            #expect(await pty.enter(": It is full.", brings: "  comment: It is full."))
            #expect(await pty.enter("#1", brings: "  comment: It is full."))
            #expect(await pty.enter("o", brings: "answered: one"))
            #expect(try await first.ending() == 0)
            #expect(await first.says("bus-node: comment: It is full."))
            withExtendedLifetime(nodes) {}
        }

        @Test("inbox answer gives a comment; present and inbox show print it")
        func person() async throws {
            let bus = try Inbox()
            let (nodes, address) = try await bus.start()
            let id = bus.id(1)
            let present = try bus.sandbox.present("--id", id, "--option", "retry=Retry")
            let watch = try bus.inbox(address, "watch")
            #expect(await watch.prints("\(id)  open  error  present"))
            let long = String(repeating: "x", count: 2_049)
            let refused = try bus.inbox(
                address, "answer", id, "retry", "--comment", long, "--by", "ann")
            #expect(try await refused.ending() == 64)
            #expect(await refused.says("allowed: a text of at most 2048 bytes"))
            let answer = try bus.inbox(
                address, "answer", id, "retry", "--comment", "The disk\nis full.", "--by", "ann")
            #expect(try await answer.ending() == 0)
            #expect(try await present.ending() == 0)
            #expect(present.output.value == "retry\n")
            #expect(await present.says("bus-node: comment: The disk\\nis full."))
            let shown = try bus.inbox(address, "show", id)
            #expect(try await shown.ending() == 0)
            #expect(await shown.prints("comment   The disk\\nis full."))
            withExtendedLifetime(nodes) {}
        }
    }
}
