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
