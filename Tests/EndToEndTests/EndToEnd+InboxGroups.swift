import ErrorBus
import Foundation
import Testing

extension EndToEnd.Inbox {
    /// Presentations of one cause that say it in different words, all at the console.
    private func differing(
        _ texts: [String], role: String = "default", at address: String
    ) async throws -> [Launched] {
        let watch = try inbox(address, "watch", "--json")
        let presents = try texts.enumerated().map { index, text in
            let report = try sandbox.write(
                "report\(index).json",
                """
                {"domain": "test", "coalesceKey": "disk", "description": "\(text)",
                 "recoveryOptions": [{"id": "retry", "title": "Retry", "role": "\(role)"}]}
                """)
            return try Launched(
                [
                    "present", "--to", sandbox.endpoint("relay"), "--id", id(index + 1),
                    "--report", report,
                ])
        }
        for index in texts.indices { #expect(await watch.prints(id(index + 1))) }
        return presents
    }

    @Test("A26 a script answers a differing group only on request, and gets its members")
    func differingInScript() async throws {
        let (nodes, address) = try await start()
        let presents = try await differing(["Disk a is full", "Disk b is full"], at: address)
        let refused = try inbox(address, "answer", id(1), "retry", "--all-like")
        #expect(try await refused.ending() == 64)
        for text in [
            "Disk a is full", "Disk b is full", id(1), id(2), "2 different descriptions",
            "--differing",
        ] { #expect(await refused.says(text)) }
        #expect(presents.allSatisfy { $0.output.value.isEmpty })
        let answer = try inbox(
            address, "answer", id(1), "retry", "--all-like", "--differing", "--json")
        #expect(try await answer.ending() == 0)
        let reply = try JSONValue.parse(Array(answer.output.value.utf8))
        let told = reply["members"]?.arrayValue?.compactMap { $0["description"]?.stringValue }
        #expect(told?.sorted() == ["Disk a is full", "Disk b is full"])
        for present in presents { #expect(try await present.ending() == 0) }
        withExtendedLifetime(nodes) {}
    }

    @Test("A script answers descriptions that differ after the part in lists only on request")
    func endingDifferently() async throws {
        let (nodes, address) = try await start()
        let text = String(repeating: "partition ", count: 120)
        let presents = try await differing([text + "a", text + "b"], at: address)
        let refused = try inbox(address, "answer", id(1), "retry", "--all-like")
        #expect(try await refused.ending() == 64)
        #expect(await refused.says("the group has descriptions that end differently"))
        #expect(presents.allSatisfy { $0.output.value.isEmpty })
        let answer = try inbox(address, "answer", id(1), "retry", "--all-like", "--differing")
        #expect(try await answer.ending() == 0)
        for present in presents { #expect(try await present.ending() == 0) }
        withExtendedLifetime(nodes) {}
    }

    @Test("A26 an option that is not offered is refused for all as for one")
    func notOfferedToAny() async throws {
        let (nodes, address) = try await start()
        let presents = try await differing(["Disk a is full"], at: address)
        let answer = try inbox(address, "answer", id(1), "wipe", "--all-like")
        #expect(try await answer.ending() == 64)
        #expect(await answer.says("option \"wipe\" is not offered; offered: retry"))
        let alone = try inbox(address, "answer", id(1), "retry", "--differing")
        #expect(try await alone.ending() == 64)
        #expect(await alone.says("--differing: allowed only with --all-like"))
        withExtendedLifetime((nodes, presents)) {}
    }

    @Test(
        "A26 a terminal lists a differing group, a large one or a destructive option and asks",
        arguments: [
            (Array(repeating: "Disk is full", count: 11), "default", "retry for all 11?"),
            (["Disk a is full", "Disk b is full"], "default", "with 2 different descriptions?"),
            (["Disk is full", "Disk is full"], "destructive", "This cannot be undone."),
        ] as [([String], String, String)])
    func asks(texts: [String], role: String, question: String) async throws {
        let (nodes, address) = try await start()
        let presents = try await differing(texts, role: role, at: address)
        for word in ["", "y", "yes"] {
            let pty = try Pty()
            let answer = try inbox(
                address, "answer", id(1), "retry", "--all-like", input: .terminal(pty))
            #expect(await pty.shows(question))
            for text in texts { #expect(pty.screen.value.contains(text)) }
            pty.type(word + "\n")
            #expect(try await answer.ending() == (word == "yes" ? 0 : 1))
            if word != "yes" { #expect(await pty.shows("not confirmed: nothing was answered")) }
        }
        for present in presents { #expect(try await present.ending() == 0) }
        withExtendedLifetime(nodes) {}
    }

    @Test("A terminal asks before a destructive option answers one presentation")
    func asksForOne() async throws {
        let (nodes, address) = try await start()
        let presents = try await differing(["Disk is full"], role: "destructive", at: address)
        for word in ["", "yes"] {
            let pty = try Pty()
            let answer = try inbox(address, "answer", id(1), "retry", input: .terminal(pty))
            #expect(await pty.shows("This cannot be undone."))
            #expect(pty.screen.value.contains("Disk is full"))
            pty.type(word + "\n")
            #expect(try await answer.ending() == (word == "yes" ? 0 : 1))
        }
        for present in presents { #expect(try await present.ending() == 0) }
        withExtendedLifetime(nodes) {}
    }

    @Test("A26 a group is claimed, handed over and released at once, without what others claimed")
    func claimedAtOnce() async throws {
        let (nodes, address) = try await start()
        let presents = try await differing(["Disk a is full", "Disk b is full"], at: address)
        let one = try inbox(address, "claim", id(2), "--by", "bob")
        #expect(try await one.ending() == 0)
        let rest = try inbox(address, "claim", id(1), "--all-like", "--by", "ann")
        #expect(try await rest.ending() == 1)
        #expect(await rest.prints("\(id(1))  Disk a is full\n1 claimed, 1 refused\n"))
        #expect(await rest.says("\(id(2)): claimed by bob until"))
        let all = try inbox(
            address, "claim", id(1), "--all-like", "--take-over", "--hand-to", "cid", "--by", "ann")
        #expect(try await all.ending() == 0)
        #expect(await all.prints("2 handed to cid, 0 refused"))
        let list = try inbox(address, "list", "--by", "cid")
        #expect(try await list.ending() == 0)
        for number in 1...2 { #expect(await list.prints(id(number))) }
        let release = try inbox(
            address, "claim", id(2), "--all-like", "--release", "--by", "cid", "--json")
        #expect(try await release.ending() == 0)
        let reply = try JSONValue.parse(Array(release.output.value.utf8))
        let released = reply["released"]?.arrayValue?.compactMap(\.stringValue)
        #expect(released?.sorted() == [id(1), id(2)])
        withExtendedLifetime((nodes, presents)) {}
    }

    @Test("A list has only what matches every condition, and says when nothing does")
    func searched() async throws {
        let (nodes, address) = try await start()
        let presents = try await differing(["Disk a is full", "Disk b is full"], at: address)
        let claim = try inbox(address, "claim", id(1), "--by", "ann")
        #expect(try await claim.ending() == 0)
        let whole = try inbox(address, "list", "--json")
        #expect(try await whole.ending() == 0)
        let items = try JSONValue.parse(Array(whole.output.value.utf8))["items"]?.arrayValue
        let days = try #require(items).compactMap { $0["openedAt"]?.stringValue?.prefix(10) }
        let (first, last) = (try #require(days.min()), try #require(days.max()))
        for (conditions, found) in [
            (["--since", "\(first)", "--until", "\(last)"], [1, 2]),
            (["--text", "disk A"], [1]), (["--by", "an*"], [1]), (["--end", "claimed"], [1]),
            (["--domain", "te*", "--since", "1h"], [1, 2]), (["--severity", "critical"], []),
            (["--text", "disk", "--by", "bob"], []),
        ] as [([String], [Int])] {
            let list = try Launched(
                ["inbox", "list"] + conditions + ["--to", address, "--token-file", token])
            #expect(try await list.ending() == 0)
            for number in 1...2 {
                let isListed = list.output.value.contains(id(number))
                #expect(isListed == found.contains(number), "\(conditions)")
            }
        }
        for (conditions, notice) in [
            ([], "2 are open, 1 shown (--limit)"),
            (["--text", "disk"], "more match than the 1 shown (--limit)"),
            (["--stage", "all"], "more changed than the 1 oldest shown (--limit)"),
        ] {
            let cut = try Launched(
                ["inbox", "list", "--limit", "1", "--to", address, "--token-file", token]
                    + conditions)
            #expect(try await cut.ending() == 0)
            #expect(await cut.says(notice))
        }
        let pty = try Pty()
        let none = try inbox(address, "list", "--by", "bob", input: .terminal(pty))
        #expect(try await none.ending() == 0)
        #expect(await pty.shows("nothing that waits for an answer matches"))
        let wrong = try inbox(address, "list", "--since", "soon")
        #expect(try await wrong.ending() == 64)
        #expect(await wrong.says("--since: found \"soon\""))
        withExtendedLifetime((nodes, presents)) {}
    }

    @Test("JSON lists escape hidden characters; a list read in part ends silently")
    func listedSafely() async throws {
        let (nodes, address) = try await start()
        let pty = try Pty()
        let nothing = try inbox(address, "list", input: .terminal(pty))
        #expect(try await nothing.ending() == 0)
        #expect(await pty.shows("nothing waits for an answer"))
        // No full screen, also where the option has its default.
        let asked = try inbox(address, "--stage", "open", input: .terminal(pty))
        #expect(try await asked.ending() == 0)
        let presents = try await differing(["a\u{202E}b\u{9B}c"], at: address)
        let list = try inbox(address, "list", "--json")
        #expect(try await list.ending() == 0)
        #expect(await list.prints(#"a\u202eb\u009bc"#))
        #expect(try JSONValue.parse(Array(list.output.value.utf8))["items"] != nil)
        let command = "inbox list --json --to '\(address)' --token-file \(token)"
        let cut = try Launched.withoutReader(command, pipe: token + ".pipe")
        #expect(try await cut.ending() == 128 + 13)
        #expect(cut.errors.value.isEmpty)
        withExtendedLifetime((nodes, presents)) {}
    }
}
