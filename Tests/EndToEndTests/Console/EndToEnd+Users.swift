import ErrorBus
import Foundation
import Testing

extension EndToEnd {
    /// A console with users, each with a token and permissions.
    struct Users {
        let sandbox: Sandbox
        init() throws { sandbox = try Sandbox() }

        private var file: String { sandbox.path("users.txt") }

        func added(
            _ name: String, _ may: String, _ options: String...
        ) async throws -> String {
            let process = try Launched(["users", "add", file, name, "--may", may] + options)
            #expect(try await process.ending() == 0, "\(process.errors.value)")
            return process.output.value.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        /// The console's address, once central and a relay below it run.
        func started(
            at place: String = "127.0.0.1:*", more: String = "", extra: String = ""
        ) async throws -> (nodes: [Launched], address: String) {
            try sandbox.writeTopology(
                presenters: "console: { listen: \"\(place)\", users: \"file:\(file)\"\(more) }",
                extra: extra)
            let (central, address) = try await startedCentral()
            return ([central, try await sandbox.start("relay")], address)
        }

        /// Central alone, and its console's address.
        func startedCentral() async throws -> (node: Launched, address: String) {
            let central = try await sandbox.start("central")
            try #require(await central.says("for the users in"), "\(central.errors.value)")
            let said = central.errors.value.components(separatedBy: "http://")[1]
            return (central, said.components(separatedBy: "/")[0])
        }

        @Test("Each may do what the file says, under no other name, until it is removed")
        func users() async throws {
            let (anna, board) = (
                try await added("anna", "answer"), try await added("board", "see")
            )
            let (nodes, address) = try await started()
            let operating = ConsoleClient(address: address, token: anna)
            let seeing = ConsoleClient(address: address, token: board)
            let stranger = ConsoleClient(address: address, token: anna + "x")
            #expect(try await stranger.send("GET", "/api/v1/inbox").status == 401)
            let first = try sandbox.present(
                "--option", "retry=Retry", "--option", "wipe=Wipe:destructive")
            let id = try await Console(sandbox: sandbox).openID(seeing)
            let path = "/api/v1/presentations/\(id)/answer"
            let seen = try await seeing.send("POST", path, ["option": "retry"])
            #expect([seen.text("error"), "\(seen.status)"] == ["notAllowed", "403"])
            for (path, body) in Self.forbidden {
                let reply = try await seeing.send("POST", path, body)
                #expect(reply.text("error") == "notAllowed", "\(path): \(reply.text)")
            }
            let wipe = try await operating.send("POST", path, ["option": "wipe"])
            #expect(wipe.text("error") == "notAllowed" && wipe.text("message").contains("anna"))
            let other = try await operating.send("POST", path, ["option": "retry", "by": "bob"])
            #expect(other.text("error") == "notYou")
            let me = try await operating.send("GET", "/api/v1/me")
            #expect(me.text("name") == "anna" && me.json["may"] == ["answer"])
            let answered = try await operating.send("POST", path, ["option": "retry"])
            #expect(answered.status == 200 && answered.text("answer", "by") == "anna")
            #expect(try await first.ending() == 0)

            // A command acts under the user's name, and a removed user is out.
            let second = try sandbox.present("--option", "retry=Retry")
            let next = try await Console(sandbox: sandbox).openID(seeing)
            let command = try Launched(
                ["inbox", "answer", next, "retry", "--to", "http://\(address)", "--json"],
                environment: ["BUS_NODE_CONSOLE_TOKEN": anna])
            #expect(try await command.ending() == 0, "\(command.errors.value)")
            #expect(command.output.value.contains("\"anna\""))
            #expect(try await second.ending() == 0)
            let removed = try Launched(["users", "remove", file, "anna"])
            #expect(try await removed.ending() == 0)
            #expect(try await operating.send("GET", "/api/v1/inbox").status == 401)
            #expect(try await seeing.send("GET", "/api/v1/inbox").status == 200)
            withExtendedLifetime(nodes) {}
        }

        @Test("Two people choose from a shell: one proposes, another one confirms or declines")
        func twoPeople() async throws {
            let (anna, bob) = (try await added("anna", "answer"), try await added("bob", "answer"))
            let (nodes, address) = try await started()
            let asked = try sandbox.present(
                "--json", "--option", "drop=Drop:two", "--option", "keep=Keep:cancel")
            let id = try await Console(sandbox: sandbox).openID(
                ConsoleClient(address: address, token: anna))
            func inbox(_ token: String, _ arguments: String...) async throws -> [String] {
                let command = try Launched(
                    ["inbox"] + arguments + ["--to", "http://\(address)"],
                    environment: ["BUS_NODE_CONSOLE_TOKEN": token])
                let status = try await command.ending()
                let said = command.output.value + command.errors.value
                return ["\(status)", said.trimmingCharacters(in: .whitespacesAndNewlines)]
            }
            #expect(try await inbox(anna, "answer", id, "drop") == ["0", "anna proposes drop"])
            let own = try await inbox(anna, "answer", id, "drop", "--confirm")
            #expect(own[0] == "1" && own[1].contains("another person has to confirm it"))
            let silent = try await inbox(bob, "answer", id, "drop")
            #expect(silent[0] == "1" && silent[1].contains("anna proposes"))
            #expect(try await inbox(bob, "decline", id) == ["0", "open"])
            #expect(try await inbox(bob, "answer", id, "drop") == ["0", "bob proposes drop"])
            let confirmed = try await inbox(anna, "answer", id, "drop", "--confirm")
            #expect(confirmed[0] == "0" && confirmed[1].hasPrefix("drop"))
            #expect(confirmed[1].contains("bob proposes"))
            #expect(try await asked.ending() == 0, "\(asked.errors.value)")
            let answer = try JSONValue.parse(Array(asked.output.value.utf8))
            #expect(answer["by"] == "bob" && answer["second"] == "anna")
            withExtendedLifetime(nodes) {}
        }

        @Test("At a terminal --confirm shows what is proposed and asks; only yes confirms")
        func confirmedAtTerminal() async throws {
            let (anna, bob) = (try await added("anna", "answer"), try await added("bob", "answer"))
            let (nodes, address) = try await started()
            let asked = try sandbox.present("--json", "--option", "drop=Drop:two")
            let id = try await Console(sandbox: sandbox).openID(
                ConsoleClient(address: address, token: anna))
            func answer(_ token: String, _ more: String..., at pty: Pty? = nil) throws -> Launched {
                try Launched(
                    ["inbox", "answer", id, "drop", "--to", "http://\(address)"] + more,
                    input: pty.map { .terminal($0) } ?? .none,
                    environment: ["BUS_NODE_CONSOLE_TOKEN": token])
            }
            #expect(try await answer(bob).ending() == 0)
            for (line, status) in [("no", Int32(1)), ("yes", 0)] {
                let pty = try Pty()
                let confirming = try answer(anna, "--confirm", at: pty)
                #expect(await pty.shows("bob proposes"), "\(pty.screen.value)")
                #expect(await pty.shows("Type yes to confirm; anything else cancels."))
                #expect(asked.output.value.isEmpty)
                pty.type(line + "\n")
                #expect(try await confirming.ending() == status, "\(pty.screen.value)")
                if status != 0 { #expect(await pty.shows("not confirmed: nothing was answered")) }
            }
            #expect(try await asked.ending() == 0, "\(asked.errors.value)")
            let reply = try JSONValue.parse(Array(asked.output.value.utf8))
            #expect(reply["by"] == "bob" && reply["second"] == "anna")
            withExtendedLifetime(nodes) {}
        }

        @Test("With --all-like --confirm shows what is proposed, and at a terminal asks")
        func groupConfirmed() async throws {
            let (anna, bob) = (try await added("anna", "answer"), try await added("bob", "answer"))
            let (nodes, address) = try await started()
            func inbox(
                _ token: String, _ arguments: String..., at pty: Pty? = nil
            ) throws -> Launched {
                try Launched(
                    ["inbox"] + arguments + ["--to", "http://\(address)"],
                    input: pty.map { .terminal($0) } ?? .none,
                    environment: ["BUS_NODE_CONSOLE_TOKEN": token])
            }
            let watch = try inbox(anna, "watch", "--json")
            for isAtTerminal in [true, false] {
                let ids = (isAtTerminal ? 1...2 : 3...4).map {
                    "01920000-0000-7000-8000-00000000000\($0)"
                }
                let asked = try ids.map {
                    try sandbox.present("--id", $0, "--option", "drop=Drop:two")
                }
                for id in ids { #expect(await watch.prints(id)) }
                let proposing = try inbox(bob, "answer", ids[0], "drop", "--all-like")
                #expect(try await proposing.ending() == 0, "\(proposing.errors.value)")
                for line in isAtTerminal ? ["no", "yes"] : [] {
                    let pty = try Pty()
                    let confirming = try inbox(
                        anna, "answer", ids[0], "drop", "--all-like", "--confirm", at: pty)
                    #expect(await pty.shows("drop for all 2? Type yes to confirm"))
                    #expect(pty.screen.value.contains("bob proposes"))
                    pty.type(line + "\n")
                    #expect(try await confirming.ending() == (line == "yes" ? 0 : 1))
                }
                if !isAtTerminal {
                    let confirming = try inbox(
                        anna, "answer", ids[0], "drop", "--all-like", "--confirm")
                    #expect(try await confirming.ending() == 0, "\(confirming.errors.value)")
                    #expect(confirming.errors.value.contains("bob proposes"))
                }
                for one in asked { #expect(try await one.ending() == 0, "\(one.errors.value)") }
            }
            withExtendedLifetime(nodes) {}
        }

        @Test("A proxy names its users, who do what the file says; no other sender can")
        func proxied() async throws {
            let bob = try await added("bob", "see")
            #expect(try await added("anna", "answer", "--proxy") == "")
            let list = try Launched(["users", "list", file])
            #expect(try await list.ending() == 0)
            #expect(list.output.value == "bob  see\nanna  answer  proxy\n")
            let secret = "0123456789abcdef"
            chmod(try sandbox.write("secret", secret), 0o600)
            let proxy = "header: X-Forwarded-User, secret: \"file:secret\", signOut: /out, from:"
            let (nodes, address) = try await started(more: ", proxy: { \(proxy) 127.0.0.1 }")
            let client = ConsoleClient(address: address, token: bob)
            func send(
                _ path: String, as name: String, secret: String? = secret, _ body: JSONValue? = nil
            ) async throws -> ConsoleClient.Reply {
                try await client.send(
                    body == nil ? "GET" : "POST", path, body,
                    headers: [
                        "X-Forwarded-User": name, "ErrorBus-Proxy-Secret": secret,
                        "Authorization": nil,
                    ])
            }
            let me = try await send("/api/v1/me", as: "anna")
            #expect([me.text("name"), me.text("signOut")] == ["anna", "/out"])
            #expect(me.json["isProxied"] == true && me.json["may"] == ["answer"])
            let left = try await send("/api/v1/me/leave", as: "anna", [:])
            #expect(left.json == ["left": true, "signOut": "/out"])
            let open = try sandbox.present(
                "--option", "retry=Retry", "--option", "wipe=Wipe:destructive")
            let id = try await Console(sandbox: sandbox).openID(client)
            let path = "/api/v1/presentations/\(id)/answer"
            let wipe = try await send(path, as: "anna", ["option": "wipe"])
            #expect(wipe.text("error") == "notAllowed")
            let other = try await send(path, as: "anna", ["option": "retry", "by": "bob"])
            #expect(
                other.text("error") == "notYou" && other.text("message").contains("you are anna"))
            for _ in 0..<5 {
                let forged = try await send("/api/v1/me", as: "anna", secret: "fedcba9876543210")
                #expect([forged.text("error"), "\(forged.status)"] == ["proxySecret", "403"])
            }
            let bare = try await send("/api/v1/me", as: "anna", secret: nil)
            #expect(bare.text("error") == "proxySecret")
            let unknown = try await send("/api/v1/me", as: "zoe")
            #expect([unknown.text("error"), "\(unknown.status)"] == ["unknownUser", "403"])
            #expect(unknown.text("message").contains("bus-node users add FILE zoe --proxy"))
            let answered = try await send(path, as: "anna", ["option": "retry"])
            #expect(answered.text("answer", "by") == "anna")
            #expect(try await open.ending() == 0)
            #expect(await nodes[0].says("reason=proxySecret"))
            let said = nodes[0].errors.value
            #expect(said.components(separatedBy: "reason=proxySecret").count <= 3)
            #expect(!said.contains(secret))
            #expect(try await Launched(["users", "remove", file, "anna"]).ending() == 0)
            #expect(try await send("/api/v1/me", as: "anna").text("error") == "unknownUser")
        }

        @Test(
            "A name from an address that is not the proxy's is refused, and without proxy ignored")
        func notProxy() async throws {
            let bob = try await added("bob", "see")
            chmod(try sandbox.write("secret", "0123456789abcdef"), 0o600)
            let headers = [
                "X-User": "bob", "ErrorBus-Proxy-Secret": "0123456789abcdef", "Authorization": nil,
            ]
            for (more, word) in [
                (
                    ", proxy: { header: X-User, secret: \"file:secret\", from: 192.0.2.1 }",
                    "notProxy"
                ),
                ("", "unauthorized"),
            ] {
                let (nodes, address) = try await started(more: more)
                let client = ConsoleClient(address: address, token: bob)
                let reply = try await client.send("GET", "/api/v1/me", headers: headers)
                #expect(reply.text("error") == word)
                #expect(try await client.send("GET", "/api/v1/me").text("name") == "bob")
                #expect(await nodes[0].says("reason=\(word)"))
                for node in nodes { _ = try await node.goesDown() }
            }
        }

        /// Prints a user's event stream to its end.
        private static let page = """
            import sys, urllib.request
            request = urllib.request.Request(
                f"http://{sys.argv[1]}/api/v1/events",
                headers={"Authorization": f"Bearer {sys.argv[2]}"})
            for line in urllib.request.urlopen(request, timeout=120):
                print(line.decode(), end="", flush=True)
            """

        @Test("A page that is open gets no more once its user is removed")
        func openPage() async throws {
            let (anna, board) = (
                try await added("anna", "answer"), try await added("board", "see")
            )
            let (nodes, address) = try await started()
            let page = try Launched(
                ["python3", "-c", Self.page, address, anna], program: "/usr/bin/env")
            #expect(await page.prints("event: hello"))
            let removed = try Launched(["users", "remove", file, "anna"])
            #expect(try await removed.ending() == 0)
            let present = try sandbox.present("--option", "retry=Retry")
            let seeing = ConsoleClient(address: address, token: board)
            _ = try await Console(sandbox: sandbox).openID(seeing)
            #expect(try await page.ending() == 0, "\(page.errors.value)")
            #expect(!page.output.value.contains("\"stage\":\"open\""))
            present.send(SIGINT)
            #expect(try await present.ending() == 130)
            withExtendedLifetime(nodes) {}
        }

        @Test("A connection that is open gets a 401 and its end once its user is removed")
        func openConnection() async throws {
            let (anna, _) = (try await added("anna", "answer"), try await added("board", "see"))
            let (nodes, address) = try await started()
            let script = """
                import http.client, pathlib, sys
                client = http.client.HTTPConnection(sys.argv[1])
                file = pathlib.Path(sys.argv[3])
                for _ in range(2):
                    headers = {"Authorization": f"Bearer {sys.argv[2]}"}
                    client.request("GET", "/api/v1/me", headers=headers)
                    reply = client.getresponse()
                    reply.read()
                    print(reply.status, "open" if client.sock else "closed")
                    others = [line for line in file.open() if not line.startswith("anna ")]
                    file.write_text("".join(others))
                """
            let client = try Launched(
                ["python3", "-c", script, address, anna, file], program: "/usr/bin/env")
            #expect(try await client.ending() == 0, "\(client.errors.value)")
            #expect(client.output.value == "200 open\n401 closed\n")
            withExtendedLifetime(nodes) {}
        }

        @Test("A silence of a user who may not answer only withholds, whatever the report offers")
        func silencing() async throws {
            let bob = try await added("bob", "silence")
            let (nodes, address) = try await started()
            let client = ConsoleClient(address: address, token: bob)
            let open = try sandbox.present(
                "--option", "wipe=Wipe:destructive", "--option", "no=No:cancel", "--on-expiry",
                "wipe", "--deadline", "1h")
            _ = try await Console(sandbox: sandbox).openID(client)
            let body: JSONValue = [
                "match": ["domain": "test"], "comment": "known", "forMilliseconds": 60_000,
                "alsoOpen": true,
            ]
            let silenced = try await client.send("POST", "/api/v1/silences", body)
            #expect(silenced.status == 200 && silenced.text.contains("\"onlyWithholds\":true"))
            #expect(try await open.ending() == 1, "\(open.output.value) \(open.errors.value)")
            #expect(!open.output.value.contains("wipe"))
            withExtendedLifetime(nodes) {}
        }

        /// What each asks a permission for, beside answering.
        private static let forbidden: [(String, JSONValue)] = [
            ("/api/v1/groups/1/answer", ["option": "retry"]), ("/api/v1/groups/1/undo", [:]),
            ("/api/v1/groups/1/claim", [:]), ("/api/v1/groups/1/release", [:]),
            (
                "/api/v1/silences",
                ["match": ["domain": "x"], "comment": "known", "forMilliseconds": 1_000]
            ),
            ("/api/v1/silences/preview", ["match": ["domain": "x"]]),
            ("/api/v1/silences/1/end", [:]), ("/api/v1/notify/dead/1/retry", [:]),
        ]

        @Test("The list of users has no token, and a file that others can read is refused")
        func file() async throws {
            let token = try await added("anna", "answer,destructive")
            #expect(try await added("zoe", "nothing") == "")
            let list = try Launched(["users", "list", file])
            #expect(try await list.ending() == 0)
            #expect(list.output.value == "anna  answer,destructive\nzoe  nothing\n")
            #expect(!(try sandbox.read("users.txt")).contains(token))
            let wrong = try Launched(["users", "add", file, "bob", "--may", "all"])
            #expect(try await wrong.ending() == 64)
            chmod(file, 0o644)
            try sandbox.writeTopology(
                presenters: "console: { listen: \"127.0.0.1:*\", users: \"file:\(file)\" }")
            let check = try Launched(["check", sandbox.path("topology.yaml")])
            #expect(try await check.ending() == 78)
            #expect(await check.says("console.users: found mode 0644"))
        }
    }
}
