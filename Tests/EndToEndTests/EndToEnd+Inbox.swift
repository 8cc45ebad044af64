import ErrorBus
import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// `bus-node inbox` at a console of a real node.
    struct Inbox {
        let sandbox: Sandbox
        let token: String

        init() throws {
            sandbox = try Sandbox()
            token = try sandbox.write("token", "0123456789abcdef-token\n")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: token)
            try sandbox.writeTopology(
                presenters: "console: { listen: \"127.0.0.1:*\", token: \"file:token\" }")
        }

        /// Central and a relay, and central's console as it names itself.
        func start() async throws -> (nodes: [Launched], address: String) {
            let central = try await sandbox.start("central")
            let relay = try await sandbox.start("relay")
            try #require(await central.says("console: http://"))
            let word = central.errors.value.split(whereSeparator: \.isWhitespace)
                .first { $0.hasPrefix("http://") }
            return ([central, relay], String(try #require(word)))
        }

        func inbox(
            _ address: String, _ arguments: String..., input: Launched.Input = .none
        ) throws -> Launched {
            try inbox(arguments, address, input: input)
        }

        func inbox(
            _ arguments: [String], _ address: String, input: Launched.Input
        ) throws -> Launched {
            try Launched(
                ["inbox"] + arguments + ["--to", address, "--token-file", token], input: input)
        }

        private func present(_ id: String) throws -> Launched {
            try sandbox.present(
                "--id", id, "--option", "retry=Retry", "--option", "cancel=Cancel:cancel")
        }

        func id(_ last: Int) -> String {
            "0192000\(String(last, radix: 16))-0000-7000-8000-000000000000"
        }

        @Test("A35 watched, claimed, answered once: the second person gets the first answer")
        func answer() async throws {
            let (nodes, address) = try await start()
            let watch = try inbox(address, "watch")
            let present = try present(id(1))
            #expect(await watch.prints("\(id(1))  open  error  present  Boom (retry cancel)"))
            let list = try inbox(address, "list")
            #expect(try await list.ending() == 0)
            #expect(await list.prints(id(1)))
            let claim = try inbox(address, "claim", "01920001", "--by", "ann")
            #expect(try await claim.ending() == 0)
            #expect(await claim.prints("claimed by ann"))
            for (giver, receiver) in [("ann", "cid"), ("cid", "ann")] {
                let handed = try inbox(
                    address, "claim", "01920001", "--by", giver, "--hand-to", receiver)
                #expect(try await handed.ending() == 0)
                #expect(await handed.prints("claimed by \(receiver)"))
            }
            let other = try inbox(address, "answer", "01920001", "retry", "--by", "bob")
            #expect(try await other.ending() == 1)
            #expect(await other.says("claimed by ann until"))
            #expect(
                await other.says(": take it over first, with bus-node inbox claim ID --take-over"))
            let wrong = try inbox(address, "answer", "01920001", "skip", "--by", "ann")
            #expect(try await wrong.ending() == 64)
            #expect(await wrong.says("offered: retry, cancel"))
            let answer = try inbox(address, "answer", "01920001", "retry", "--by", "ann")
            #expect(try await answer.ending() == 0)
            #expect(await answer.prints("retry\n"))
            #expect(try await present.ending() == 0)
            #expect(await watch.prints("\(id(1))  recovered"))
            let late = try inbox(address, "answer", "01920001", "cancel", "--by", "bob")
            #expect(try await late.ending() == 1)
            #expect(await late.says("answered before with \"retry\" by ann"))
            let note = try inbox(address, "note", "01920001", "called\u{1B}Bob", "--by", "bob")
            #expect(try await note.ending() == 0)
            #expect(await note.prints("1 note\n"))
            let noted = try inbox(address, "show", "01920001")
            #expect(try await noted.ending() == 0)
            #expect(await noted.prints("Z bob: called"))
            #expect(!noted.output.value.contains("\u{1B}"))
            let show = try inbox(address, "show", "01920001", "--json")
            #expect(try await show.ending() == 0)
            #expect(await show.prints(#""stage":"settled""#))
            withExtendedLifetime(nodes) {}
        }

        @Test("A26 the whole group is answered at once")
        func allLike() async throws {
            let (nodes, address) = try await start()
            let watch = try inbox(address, "watch", "--json")
            let presents = try (1...3).map { try present(id($0)) }
            for number in 1...3 { #expect(await watch.prints(id(number))) }
            let answer = try inbox(address, "answer", "01920002", "retry", "--all-like")
            #expect(try await answer.ending() == 0)
            #expect(await answer.prints("3 answered, 0 refused"))
            for number in 1...3 { #expect(answer.output.value.contains("\(id(number))  Boom\n")) }
            for present in presents { #expect(try await present.ending() == 0) }
            withExtendedLifetime(nodes) {}
        }

        @Test("A26 members of a group are left open")
        func except() async throws {
            let (nodes, address) = try await start()
            let watch = try inbox(address, "watch", "--json")
            let presents = try (1...3).map { try present(id($0)) }
            for number in 1...3 { #expect(await watch.prints(id(number))) }
            func answer(_ except: String...) throws -> Launched {
                try Launched(
                    ["inbox", "answer", id(1), "retry", "--all-like"]
                        + except.flatMap { ["--except", $0] }
                        + ["--to", address, "--token-file", token])
            }
            let none = try answer("01920009")
            #expect(try await none.ending() == 64)
            #expect(none.errors.value.contains("found 0 members of the group, expected one"))
            let all = try answer(id(1), id(2), id(3))
            #expect(try await all.ending() == 64)
            let part = try answer("01920002")
            #expect(try await part.ending() == 0)
            #expect(await part.prints("2 answered, 0 refused"))
            for number in [0, 2] { #expect(try await presents[number].ending() == 0) }
            let list = try inbox(address, "list", "--json")
            #expect(try await list.ending() == 0)
            #expect(await list.prints("\"openCount\":1"))
            presents[1].send(SIGINT)
            withExtendedLifetime(nodes) {}
        }

        @Test("silences from a shell: tried, added, listed, in force, ended")
        func silences() async throws {
            let (nodes, address) = try await start()
            let present = try present(id(1))
            let watch = try inbox(address, "watch")
            #expect(await watch.prints(id(1)))
            func silence(_ words: String...) throws -> Launched {
                try Launched(
                    ["inbox", "silence"] + words + ["--to", address, "--token-file", token])
            }
            let tried = try silence(
                "add", "--match", "domain=te*", "--for", "1h", "--comment", "x", "--dry-run")
            #expect(try await tried.ending() == 0)
            #expect(await tried.prints("1\n"))
            let made = try silence(
                "add", "--match", "domain=te*", "--for", "1h", "--comment", "known", "--by", "ann",
                "--also-open")
            #expect(try await made.ending() == 0)
            #expect(made.output.value == "1\n")
            #expect(try await present.ending() == 1)
            let show = try inbox(address, "show", id(1))
            #expect(await show.prints("by silence 1 (ann)"))
            let list = try silence("list")
            #expect(try await list.ending() == 0)
            #expect(await list.prints("domain=te*"))
            #expect(try await silence("end", "1").ending() == 0)
            #expect(try await silence("end", "1").ending() == 1)
            let bad = try silence("add", "--match", "domian=x", "--for", "1h", "--comment", "x")
            #expect(try await bad.ending() == 64)
            #expect(bad.errors.value.contains("did you mean"))
            withExtendedLifetime(nodes) {}
        }

        @Test("A26 only seen members of a group are answered")
        func seen() async throws {
            let (nodes, address) = try await start()
            let watch = try inbox(address, "watch", "--json")
            let first = try [present(id(1)), present(id(2))]
            for number in 1...2 { #expect(await watch.prints(id(number))) }
            let list = try inbox(address, "list", "--json")
            #expect(try await list.ending() == 0)
            let json = try JSONValue.parse(Array(list.output.value.utf8))
            let revision = try #require(json["revision"]?.integerValue)
            let later = try present(id(3))
            #expect(await watch.prints(id(3)))
            let answer = try inbox(
                address, "answer", "01920001", "retry", "--all-like", "--seen", "\(revision)")
            #expect(try await answer.ending() == 0)
            #expect(await answer.prints("2 answered, 0 refused"))
            for present in first { #expect(try await present.ending() == 0) }
            let alone = try inbox(address, "answer", id(3), "retry", "--seen", "\(revision)")
            #expect(try await alone.ending() == 64)
            #expect(await alone.says("--seen: allowed only with --all-like"))
            let last = try inbox(address, "answer", id(3), "retry")
            #expect(try await last.ending() == 0)
            #expect(try await later.ending() == 0)
            withExtendedLifetime(nodes) {}
        }

        @Test("a held answer can be undone, a sent one cannot")
        func undo() async throws {
            let (nodes, address) = try await start()
            let watch = try inbox(address, "watch")
            let present = try present(id(1))
            #expect(await watch.prints(id(1)))
            let held = try inbox(
                address, "answer", id(1), "cancel", "--undo", "60s", "--by", "ann")
            #expect(try await held.ending() == 0)
            #expect(await watch.prints("leaving cancel"))
            let undo = try inbox(address, "undo", "01920001", "--by", "ann")
            #expect(try await undo.ending() == 0)
            let answer = try inbox(address, "answer", id(1), "retry", "--by", "ann")
            #expect(try await answer.ending() == 0)
            #expect(try await present.ending() == 0)
            let late = try inbox(address, "undo", "01920001", "--by", "ann")
            #expect(try await late.ending() == 1)
            let wrong = try inbox(address, "answer", id(1), "retry", "--undo", "61s")
            #expect(try await wrong.ending() == 64)
            #expect(await wrong.says("--undo: found \"61s\", allowed: "))
            #expect(await wrong.says(" to 1m, as a whole number and ms, s, m, h or d"))
            withExtendedLifetime(nodes) {}
        }

        @Test("without a token, without a console, without an address")
        func refused() async throws {
            let (nodes, address) = try await start()
            let none = try Launched(["inbox", "list", "--to", address])
            #expect(try await none.ending() == 77)
            let listed = try Launched(
                ["inbox"],
                environment: [
                    "BUS_NODE_CONSOLE": address,
                    "BUS_NODE_CONSOLE_TOKEN": "0123456789abcdef-token",
                ])
            #expect(try await listed.ending() == 0)
            withExtendedLifetime(nodes) {}
            let any = try Launched(["inbox", "--topology", sandbox.path("topology.yaml")])
            #expect(try await any.ending() == 78)
            #expect(await any.says("give the address that it printed with --to"))
            let refused = try Launched(["inbox", "list", "--to", "http://127.0.0.1:1"])
            #expect(try await refused.ending() == 69)
            #expect(
                await refused.says(
                    "http://127.0.0.1:1: cannot be reached: Connection refused; run the node that "
                        + "has this console, or give another address\n"))
            let nowhere = try Launched(["inbox"])
            #expect(try await nowhere.ending() == 64)
        }
    }
}
