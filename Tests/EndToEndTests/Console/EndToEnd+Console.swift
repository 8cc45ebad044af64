import ErrorBus
import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// A console from outside, by a client in another language.
    struct Console {
        let sandbox: Sandbox

        init() throws { sandbox = try Sandbox() }
        init(sandbox: Sandbox) { self.sandbox = sandbox }

        private func topology(_ presenters: String, extra: String = "") throws {
            try sandbox.writeTopology(presenters: presenters, extra: extra)
        }

        /// The console at the address that the node has printed.
        func client(_ said: Observed<String>) async throws -> ConsoleClient {
            let isThere = await said.becomes { $0.contains("?token=") }
            try #require(isThere, "no address in: \(said.value)")
            let line = try #require(
                said.value.split(whereSeparator: \.isNewline).first { $0.contains("?token=") })
            let parts = line.components(separatedBy: "http://")[1]
                .components(separatedBy: "/?token=")
            return ConsoleClient(
                address: parts[0], token: parts[1].trimmingCharacters(in: .whitespaces))
        }

        func bus(
            _ presenters: String = "console: { listen: \"127.0.0.1:*\" }", extra: String = ""
        ) async throws -> (nodes: [Launched], client: ConsoleClient) {
            try topology(presenters, extra: extra)
            let central = try await sandbox.start("central")
            let relay = try await sandbox.start("relay")
            return ([central, relay], try await client(central.errors))
        }

        /// The first open presentation, once there is one.
        func openID(_ client: ConsoleClient) async throws -> String {
            let reply = try await client.send(
                "GET", "/api/v1/events", until: "\"stage\":\"open\"")
            let data = try #require(reply.text.components(separatedBy: "data: ").last)
            let json = try JSONValue.parse(
                Array(data.trimmingCharacters(in: .whitespacesAndNewlines).utf8))
            let open = json["items"]?.arrayValue?.first { $0["stage"] == "open" }
            return try #require(open?["id"]?.stringValue)
        }

        @Test("A worker's error is answered over HTTP, and its result is shown")
        func answers() async throws {
            let (nodes, client) = try await bus()
            let flag = sandbox.path("flag")
            let exec = try sandbox.exec([], "test", "-e", flag)
            let id = try await openID(client)
            let detail = try await client.send("GET", "/api/v1/presentations/\(id)")
            #expect(detail.text("stage") == "open")
            #expect(detail.text("report", "domain") == "bus-node.exec")
            try sandbox.write("flag", "")
            let answer: JSONValue = [
                "option": "retry", "by": "ann", "answer": "0197e2b4-0000-7000-8000-000000000001",
            ]
            let path = "/api/v1/presentations/\(id)/answer"
            let first = try await client.send("POST", path, answer)
            #expect(first.status == 200)
            #expect(first.text("answer", "by") == "ann")
            #expect(try await exec.ending() == 0)
            // Sent again, as after a lost reply, it is acknowledged; another one is refused.
            #expect(try await client.send("POST", path, answer).status == 200)
            let late = try await client.send("POST", path, ["option": "abort", "by": "bob"])
            #expect(late.status == 409)
            #expect(late.text("error") == "answered")
            #expect(late.text("by") == "ann")
            #expect(late.text("option") == "retry")
            let settled = try await client.send("GET", "/api/v1/presentations/\(id)")
            #expect(settled.text("result") == "recovered")
            let events = settled.json["history"]?.arrayValue?.compactMap {
                $0["event"]?.stringValue
            }
            #expect(events == ["present", "decide", "done"])
            let audit = try await client.send("GET", "/api/v1/audit?q=ann&limit=1")
            #expect(audit.json["events"]?.arrayValue?.first?["event"] == "done")
            withExtendedLifetime(nodes) {}
        }

        @Test("Claims, releases, undone answers and groups, with every conflict named")
        func people() async throws {
            let (nodes, client) = try await bus()
            let first = try sandbox.present("--option", "retry=Retry", "--option", "no=No:cancel")
            let id = try await openID(client)
            let path = "/api/v1/presentations/\(id)"
            func post(_ what: String, _ body: JSONValue) async throws -> ConsoleClient.Reply {
                try await client.send("POST", "\(path)/\(what)", body)
            }
            let claim = try await post("claim", ["by": "ann", "forMilliseconds": 60_000])
            #expect(claim.text("claimedBy") == "ann")
            let claimed = try await post("answer", ["option": "retry", "by": "bob"])
            #expect([claimed.text("error"), claimed.text("by")] == ["claimed", "ann"])
            #expect(try await post("release", ["by": "bob"]).status == 409)
            #expect(try await post("claim", ["by": "bob"]).status == 409)
            #expect(try await post("claim", ["by": "bob", "takeOver": true]).status == 200)
            #expect(try await post("release", ["by": "bob"]).text("stage") == "open")
            #expect(try await post("undo", ["by": "bob"]).text("error") == "nothingToUndo")
            let unknown = try await post("answer", ["option": "wipe", "by": "bob"])
            #expect(unknown.status == 422)
            #expect(unknown.json["offered"] == ["retry", "no"])
            let held = try await post(
                "answer", ["option": "no", "by": "ann", "undoMilliseconds": 60_000])
            #expect(held.text("stage") == "leaving")
            #expect(try await post("undo", ["by": "ann"]).text("claimedBy") == "ann")
            #expect(try await post("release", ["by": "ann"]).status == 200)

            let list = try await client.send("GET", "/api/v1/inbox?stage=open")
            let group = try #require(
                list.json["groups"]?.arrayValue?.first?["number"]?.integerValue)
            let seen = try #require(list.json["revision"])
            let groupPath = "/api/v1/groups/\(group)/answer"
            let before = try await client.send(
                "POST", groupPath, ["option": "retry", "by": "ann", "seen": 7])
            #expect([String(before.status), before.text("error")] == ["409", "notSeen"])
            let answer: JSONValue = [
                "option": "retry", "by": "ann", "seen": seen,
                "answer": "0197e2b4-0000-7000-8000-000000000002",
            ]
            let answered = try await client.send("POST", groupPath, answer)
            #expect(answered.json["answered"] == [.string(id)])
            #expect(try await first.ending() == 0)
            // Sent again, as after a lost reply.
            #expect(try await client.send("POST", groupPath, answer).json == answered.json)
            let gone = try await client.send("POST", groupPath, ["option": "retry", "by": "ann"])
            #expect([String(gone.status), gone.text("error")] == ["404", "unknownGroup"])
            withExtendedLifetime(nodes) {}
        }

        @Test("Requests not from the console's own page or people are refused without effect")
        func refused() async throws {
            let (nodes, client) = try await bus()
            let present = try sandbox.present("--option", "retry=Retry")
            let id = try await openID(client)
            let path = "/api/v1/presentations/\(id)/answer"
            let answer: JSONValue = ["option": "retry", "by": "mallory"]
            func refusal(
                _ headers: [String: String?], _ path: String = path, method: String = "POST",
                body: JSONValue? = answer, rawBody: String? = nil
            ) async throws -> String {
                let reply = try await client.send(
                    method, path, body, headers: headers, rawBody: rawBody)
                #expect(reply.headers["access-control-allow-origin"] == nil)
                #expect(reply.headers["x-content-type-options"] == "nosniff")
                return "\(reply.status) \(reply.text("error"))"
            }
            #expect(try await refusal(["Host": "evil.example"]) == "403 host")
            #expect(try await refusal(["Origin": "http://evil.example"]) == "403 origin")
            #expect(try await refusal(["Origin": "null"]) == "403 origin")
            #expect(try await refusal(["Sec-Fetch-Site": "cross-site"]) == "403 crossSite")
            #expect(try await refusal(["Authorization": nil]) == "401 unauthorized")
            #expect(try await refusal(["Authorization": "Bearer x"]) == "401 unauthorized")
            #expect(try await refusal(["Content-Type": "text/plain"]) == "415 contentType")
            #expect(try await refusal([:], method: "DELETE", body: nil) == "405 methodNotAllowed")
            let large = String(repeating: " ", count: 262_144) + #"{"option":"retry","by":"m"}"#
            #expect(try await refusal([:], rawBody: large) == "413 tooLarge")
            #expect(try await refusal([:], rawBody: "{") == "400 badRequest")
            #expect(
                try await refusal([:], "/api/v1/inbox", method: "PUT") == "405 methodNotAllowed")
            let inbox = "/api/v1/inbox"
            func read(_ headers: [String: String?], _ path: String = inbox) async throws -> String {
                try await refusal(headers, path, method: "GET", body: nil)
            }
            #expect(try await read(["Host": "evil.example"]) == "403 host")
            #expect(try await read(["Authorization": nil]) == "401 unauthorized")
            #expect(try await read([:], "/nothing") == "404 notFound")
            #expect(try await read([:], "/api/v1/presentations/1") == "404 unknown")
            #expect(try await read([:], "\(inbox)?limit=x") == "400 badRequest")
            let header = String(repeating: "x", count: 25_000)
            #expect(try await read(["X-Long": header]) == "400 malformed")
            #expect(try await read([:], "\(inbox)?q=\(header)") == "400 malformed")
            // The longest that the interface's description allows.
            let text = String(repeating: "%F0%9F%98%80", count: 200)
            let fields = ["q", "by", "origin", "domain", "option"]
            let query = fields.map { "\($0)=\(text)" }.joined(separator: "&")
            #expect(try await client.send("GET", "\(inbox)?\(query)").status == 200)
            // Every one of them is in the log, and the presentation is unchanged.
            for word in [
                "host", "origin", "crossSite", "unauthorized", "contentType", "tooLarge",
                "malformed",
            ] {
                #expect(await nodes[0].says("reason=\(word)"))
            }
            #expect(try await client.send("GET", inbox).text("openCount") == "1")
            #expect(try await client.send("POST", path, answer).status == 200)
            #expect(try await present.ending() == 0)
        }

        @Test("The token in the address becomes a cookie; the page has its security headers")
        func page() async throws {
            let (nodes, client) = try await bus()
            let none: [String: String?] = ["Authorization": nil]
            let door = try await client.send(
                "GET", "/", headers: none.merging(["Accept": "text/html"]) { $1 })
            #expect(door.status == 401)
            #expect(door.text.contains("needs its token"))
            let kept = try await client.send("GET", "/?token=\(client.token)", headers: none)
            #expect(kept.status == 303)
            #expect(kept.headers["location"] == "/")
            let cookie = try #require(kept.headers["set-cookie"])
            #expect(cookie.hasSuffix("; HttpOnly; SameSite=Strict; Path=/"))
            let signedIn = none.merging(["Cookie": String(cookie.prefix { $0 != ";" })]) { $1 }
            // In another tab: this one's requests go on with its cookie.
            let again = try await client.send(
                "GET", "/?token=\(client.token)", headers: signedIn)
            #expect(again.status == 303 && again.headers["set-cookie"] == nil)
            // They count for no user, so their connections end.
            #expect(kept.headers["connection"] == "close")
            #expect(again.headers["connection"] == "close")
            let page = try await client.send("GET", "/", headers: signedIn)
            #expect(page.status == 200 && page.headers["connection"] != "close")
            #expect(page.text.contains("<html"))
            let policy = try #require(page.headers["content-security-policy"])
            #expect(policy.hasPrefix("default-src 'none'; "))
            #expect(!policy.contains("unsafe"))
            #expect(policy.contains("; script-src 'self'; "))
            #expect(policy.hasSuffix("; frame-ancestors 'none'"))
            #expect(page.headers["cache-control"] == "no-store")
            #expect(page.headers["referrer-policy"] == "no-referrer")
            let main = /"\/page\/([0-9a-f]{16})\/main\.js"/
            let version = try #require(page.text.firstMatch(of: main)).1
            for part in ["base.css", "main.js"] {
                let file = try await client.send("GET", "/page/\(version)/\(part)")
                #expect(file.status == 200)
                #expect(file.headers["cache-control"] == "public, max-age=31536000, immutable")
                let type = part.hasSuffix("css") ? "text/css" : "text/javascript"
                #expect(file.headers["content-type"] == "\(type); charset=utf-8")
            }
            #expect(try await client.send("GET", "/page/\(version)/other.js").status == 404)
            let former = try await client.send("GET", "/page/0123456789abcdef/main.js")
            #expect(former.status == 404 && former.headers["cache-control"] == "no-store")
            #expect(former.text.contains("load the page again"))
            // Its log has no token.
            #expect(!nodes[0].errors.value.contains("\(client.token) "))
        }

        @Test("A stream continues where it was, and starts over after a restart of the node")
        func events() async throws {
            var (nodes, client) = try await bus()
            let first = try sandbox.present("--option", "retry=Retry")
            let id = try await openID(client)
            let all = try await client.send("GET", "/api/v1/events", events: 2)
            #expect(all.headers["content-type"] == "text/event-stream")
            #expect(all.text.hasPrefix("event: hello\n"))
            #expect(all.text.contains("\"isReset\":true"))
            let seen = try #require(all.text.split(separator: "\n").first { $0.hasPrefix("id: ") })
                .dropFirst(4)
            let claim = try await client.send(
                "POST", "/api/v1/presentations/\(id)/claim", ["by": "ann"])
            let resumed = try await client.send(
                "GET", "/api/v1/events", headers: ["Last-Event-ID": String(seen)], events: 2)
            #expect(resumed.text.contains("\"isReset\":false"))
            #expect(resumed.text.contains("\"claimedBy\":\"ann\""))
            #expect(resumed.text.contains("id: \(claim.text("revision"))\n"))
            nodes[0].send(SIGTERM)
            #expect(try await nodes[0].ending() == 0)
            nodes[0] = try await sandbox.start("central")
            client = try await self.client(nodes[0].errors)
            let again = try await client.send(
                "GET", "/api/v1/events", headers: ["Last-Event-ID": claim.text("revision")],
                events: 2)
            #expect(again.text.contains("\"isReset\":true"))
            first.send(SIGINT)
            #expect(try await first.ending() == 130)
        }

        @Test("A35 Console and terminal are asked together; the terminal names author and claims")
        func both() async throws {
            let pty = try Pty()
            try topology("console: { listen: \"127.0.0.1:*\" }\n      - terminal")
            let central = try await sandbox.start("central", input: .terminal(pty))
            let relay = try await sandbox.start("relay")
            let client = try await client(pty.screen)
            let present = try sandbox.present("--option", "retry=Retry", "--option", "no=No:cancel")
            #expect(await pty.shows("[r] Retry"))
            let path = "/api/v1/presentations/\(try await openID(client))"
            for (act, line) in [("claim", "(claimed by ann)"), ("release", "(no longer claimed)")] {
                let reply = try await client.send("POST", "\(path)/\(act)", ["by": "ann"])
                #expect(reply.status == 200)
                #expect(await pty.shows(line))
            }
            let reply = try await client.send(
                "POST", "\(path)/answer", ["option": "retry", "by": "ann"])
            #expect(reply.status == 200)
            #expect(await pty.shows("answered by ann with retry"))
            #expect(try await present.ending() == 0)
            let second = try sandbox.present("--option", "yes=Yes", "--option", "no=No:cancel")
            #expect(await pty.shows("[y] Yes"))
            pty.type("n\n")
            #expect(try await second.ending() == 1)
            withExtendedLifetime([central, relay]) {}
        }

        @Test("A port in use ends the node with 73 and a message; a wrong token file with 78")
        func cannotStart() async throws {
            let port = try Port()
            try topology("console: { listen: \"127.0.0.1:\(port.number)\" }")
            let arguments = [
                "run", "--topology", sandbox.path("topology.yaml"), "--node", "central",
            ]
            let taken = try Launched(arguments)
            #expect(try await taken.ending() == 73)
            #expect(await taken.says("console: cannot listen on 127.0.0.1:\(port.number)"))
            try sandbox.write("token", "0123456789abcdef0123456789abcdef")
            chmod(sandbox.path("token"), 0o644)
            try topology("console: { listen: \"127.0.0.1:*\", token: \"file:token\" }")
            let open = try Launched(arguments)
            #expect(try await open.ending() == 78)
            #expect(await open.says("found mode 0644, allowed: 0600"))
            chmod(sandbox.path("token"), 0o600)
            let central = try await sandbox.start("central")
            #expect(await central.says("with the token in"))
            #expect(!central.errors.value.contains("0123456789abcdef"))
        }

        @Test("SIGTERM ends a node while streams are open")
        func endsSoon() async throws {
            let (nodes, client) = try await bus()
            let stream = try Launched(
                [
                    "python3", "-c",
                    """
                    import sys, urllib.request
                    request = urllib.request.Request("http://\(client.address)/api/v1/events",
                        headers={"Authorization": "Bearer \(client.token)"})
                    for line in urllib.request.urlopen(request):
                        print(line.decode().strip(), flush=True)
                    """,
                ], program: "/usr/bin/env")
            #expect(await stream.prints("event: change"))
            nodes[0].send(SIGTERM)
            #expect(try await nodes[0].ending() == 0)
            #expect(try await stream.ending() == 0)
        }
    }
}
