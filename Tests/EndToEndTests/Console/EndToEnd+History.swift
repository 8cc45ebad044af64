import ErrorBus
import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// What a console knows after its node was restarted.
    struct History {
        private let console: Console
        private var sandbox: Sandbox { console.sandbox }

        init() throws { console = try Console() }

        /// The state of a console that has to be the same after a restart.
        private struct Facts: Equatable {
            var openedAt: String
            var claim: [String]
            var notes: [JSONValue?]
            var outcome: [String]
            var silences: JSONValue?
            var answeredCount: Int64

            init(
                _ client: ConsoleClient, open: String, ended: String
            ) async throws {
                let item = try await client.send("GET", "/api/v1/presentations/\(open)")
                openedAt = item.text("openedAt")
                claim = [item.text("claimedBy"), item.text("claimedUntil")]
                notes = [item.json["notes"]]
                let past = try await client.send("GET", "/api/v1/presentations/\(ended)")
                outcome = [
                    past.text("stage"), past.text("answer", "by"), past.text("result"),
                    past.text("openedAt"), past.text("changedAt"), past.text("origin"),
                ]
                notes.append(past.json["notes"])
                silences = try await client.send("GET", "/api/v1/silences").json["silences"]
                let chart = try await client.send("GET", "/api/v1/chart").json
                answeredCount = (chart["buckets"]?.arrayValue ?? [])
                    .compactMap { $0["answered"]?.integerValue }.reduce(0, +)
            }
        }

        private func audit(_ client: ConsoleClient) async throws -> [JSONValue] {
            try await client.send("GET", "/api/v1/audit").json["events"]?.arrayValue ?? []
        }

        /// Presents an error that is answered by bob.
        private func answered(_ client: ConsoleClient) async throws -> String {
            let present = try sandbox.present("--option", "retry=Retry")
            let id = try await console.openID(client)
            let path = "/api/v1/presentations/\(id)"
            _ = try await client.send("POST", "\(path)/answer", ["option": "retry", "by": "bob"])
            #expect(try await present.ending() == 0)
            _ = try await client.send("GET", "/api/v1/events", until: "\"stage\":\"settled\"")
            return id
        }

        private func claimed(_ client: ConsoleClient) async throws -> (Launched, String) {
            let present = try sandbox.present("--grace", "1h", "--option", "retry=Retry")
            let id = try await console.openID(client)
            let reply = try await client.send(
                "POST", "/api/v1/presentations/\(id)/claim",
                ["by": "ann", "forMilliseconds": 3_600_000])
            #expect(reply.text("claimedBy") == "ann")
            return (present, id)
        }

        @Test("After kill -9 and after SIGTERM, ages, claims, history and silences are as before")
        func killed() async throws {
            var (nodes, client) = try await console.bus(
                extra: "    journal: $DIR/central.sqlite\n    retention: { age: 2d, count: 1000 }")
            let ended = try await answered(client)
            let silence = try await client.send(
                "POST", "/api/v1/silences",
                [
                    "match": ["domain": "other"], "by": "ann", "comment": "the disk",
                    "forMilliseconds": 3_600_000,
                ])
            #expect(silence.status == 200)
            let (present, open) = try await claimed(client)
            for (id, text) in [(open, "called Bob"), (ended, "it was the disk")] {
                let reply = try await client.send(
                    "POST", "/api/v1/presentations/\(id)/note",
                    ["text": .string(text), "by": "ann"])
                #expect(reply.json["noteCount"] == 1)
            }
            let before = try await Facts(client, open: open, ended: ended)
            #expect(before.claim[0] == "ann")
            #expect(
                before.notes.map { $0?.arrayValue?.first?["text"]?.stringValue }
                    == ["called Bob", "it was the disk"])
            #expect(Array(before.outcome.prefix(3)) == ["settled", "bob", "recovered"])
            let events = try await audit(client)
            let ledger = try sandbox.read("central.jsonl")
            for word in ["claim", "silence", "note"] {
                #expect(ledger.contains("\"event\":\"\(word)\""))
            }
            let log = try Launched(["log", "--topology", sandbox.path("topology.yaml")])
            #expect(try await log.ending() == 0)
            // The silence is no presentation.
            #expect(log.output.value.split(separator: "\n").count == 3)
            for signal in [SIGKILL, SIGTERM] {
                nodes[0].send(signal)
                _ = try await nodes[0].ending()
                nodes[0] = try await sandbox.start("central")
                client = try await console.client(nodes[0].errors)
                _ = try await client.send("GET", "/api/v1/events", until: "\"stage\":\"claimed\"")
                #expect(try await Facts(client, open: open, ended: ended) == before)
                #expect(try await audit(client).suffix(events.count) == events[...])
            }
            let path = "/api/v1/presentations/\(open)"
            let refused = try await client.send(
                "POST", "\(path)/answer", ["option": "retry", "by": "bob"])
            #expect(refused.text("error") == "claimed")
            let reply = try await client.send(
                "POST", "\(path)/answer", ["option": "retry", "by": "ann"])
            #expect(reply.status == 200)
            #expect(try await present.ending() == 0)
        }

        @Test("The past is searched and exported over HTTP and by a command, with the same filters")
        func searched() async throws {
            let (nodes, client) = try await console.bus(extra: "    journal: $DIR/central.sqlite")
            let ended = try await answered(client)
            let (present, open) = try await claimed(client)
            func ids(_ query: String) async throws -> [String] {
                let reply = try await client.send("GET", "/api/v1/history?\(query)")
                return reply.json["presentations"]?.arrayValue?
                    .compactMap { $0["id"]?.stringValue } ?? [reply.text("message")]
            }
            #expect(try await ids("by=bob") == [ended])
            #expect(try await ids("by=ann&severity=error&domain=te*") == [open])
            #expect(try await ids("q=boom&limit=1") == [open])
            #expect(try await ids("since=soon").first?.hasPrefix("query: since: found") == true)
            let csv = try await client.send("GET", "/api/v1/history?by=bob&format=csv")
            #expect(csv.headers["content-type"]?.hasPrefix("text/csv") == true)
            #expect(csv.text.contains(",\(ended),settled,"))
            #expect(csv.text.contains("http://\(client.address)/#/inbox/\(ended)"))
            let audit = try await client.send("GET", "/api/v1/audit?by=ann&format=csv")
            #expect(audit.text.contains("claim,\(open)"))
            let command = [
                "history", "--topology", sandbox.path("topology.yaml"), "--by", "bob", "--since",
                "1h",
            ]
            for (format, expected) in [
                ("text", "Boom"), ("csv", "openedAt,id,"), ("json", "\"by\":\"bob\""),
            ] {
                let history = try Launched(command + ["--format", format])
                #expect(try await history.ending() == 0)
                #expect(history.output.value.contains(expected))
                #expect(history.output.value.contains(ended))
                #expect(!history.output.value.contains(open))
            }
            let events = try Launched(command + ["--events"])
            #expect(try await events.ending() == 0)
            #expect(events.output.value.contains("bob (person) chose “Retry” (retry)"))
            for more in [[], ["--events"]] {
                let all = ["history", "--topology", sandbox.path("topology.yaml")] + more
                let cut = try Launched(all + ["--limit", "1"])
                #expect(try await cut.ending() == 0)
                #expect(cut.output.value.contains(ended) != cut.output.value.contains(open))
                #expect(await cut.says("more match than the 1 latest shown (--limit)"))
            }
            let pty = try Pty()
            let none = try Launched(command + ["--end", "too late"], input: .terminal(pty))
            #expect(try await none.ending() == 0)
            #expect(await pty.shows("no presentation matches"))
            let unknown = try Launched(command + ["--end", "nosuch"])
            #expect(try await unknown.ending() == 64)
            #expect(await unknown.says("--end: found \"nosuch\", allowed: recovered, not rec"))
            present.send(SIGINT)
            withExtendedLifetime(nodes) {}
        }

        @Test("A rule is made of an answer and tried, at a console and in its journal")
        func ruled() async throws {
            let (nodes, client) = try await console.bus(extra: "    journal: $DIR/central.sqlite")
            let ended = try await answered(client)
            let address = "http://\(client.address)/?token=\(client.token)"
            for place in [["--to", address], ["--journal", sandbox.path("central.sqlite")]] {
                let from = try Launched(["policy", "from", ended] + place)
                #expect(try await from.ending() == 0)
                #expect(await from.prints("limit: 3 per 1m\n"))
                let file = try sandbox.write("made.yaml", from.output.value)
                let trial = try Launched(["policy", "trial", file] + place)
                #expect(try await trial.ending() == 0)
                #expect(await trial.prints("would have answered 1: 1 as people did, 0 otherwise"))
            }
            let (present, open) = try await claimed(client)
            let none = try Launched(["policy", "from", open, "--to", address])
            #expect(try await none.ending() == 1)
            #expect(await none.says("expected: a presentation that a person has answered"))
            present.send(SIGINT)
            withExtendedLifetime(nodes) {}
        }

        @Test("Lists are filtered and paged by time; items have an address; health needs no token")
        func lists() async throws {
            let (nodes, client) = try await console.bus()
            let ended = try await answered(client)
            let (present, open) = try await claimed(client)
            func list(_ query: String) async throws -> ConsoleClient.Reply {
                try await client.send("GET", "/api/v1/inbox?\(query)")
            }
            func ids(_ query: String) async throws -> [String] {
                try await list(query).json["items"]?.arrayValue?
                    .compactMap { $0["id"]?.stringValue } ?? []
            }
            #expect(try await ids("by=ann") == [open])
            #expect(try await ids("option=retry&origin=*") == [ended])
            let first = try await list("order=newest&limit=1&groups=none")
            #expect(first.json["groups"] == nil)
            let item = try #require(first.json["items"]?.arrayValue?.first)
            #expect(item["id"] == .string(open))
            #expect(item["url"] == .string("http://\(client.address)/#/inbox/\(open)"))
            #expect(try await ids("order=newest&until=\(first.text("next"))") == [ended])
            let key = try #require(item["groupKey"]?.stringValue)
            #expect(try await ids("groupKey=\(key)&stage=open") == [open])
            #expect(try await ids("groupKey=0000000000000000").isEmpty)
            for query in ["severity=bad", "groupKey=1"] {
                #expect(try await list(query).status == 400)
            }
            let stream = try await client.send("GET", "/api/v1/events?groups=none", events: 2)
            #expect(!stream.text.contains("\"groups\""))
            let none: [String: String?] = ["Authorization": nil, "Host": "10.0.0.7:1"]
            let health = try await client.send("GET", "/healthz", headers: none)
            #expect([String(health.status), health.text("status")] == ["200", "ok"])
            let post = try await client.send("POST", "/healthz", [:])
            #expect(post.status == 405)
            let document = try await client.send("GET", "/api/v1/openapi.yaml")
            #expect(document.text.contains("operationId: answerPresentation"))
            let past = try await client.send("GET", "/api/v1/history")
            #expect(past.text("error") == "notKept")
            present.send(SIGINT)
            withExtendedLifetime(nodes) {}
        }

        @Test("A backup of a running node's journal is restored once the node has stopped")
        func backedUp() async throws {
            var (nodes, client) = try await console.bus(extra: "    journal: $DIR/central.sqlite")
            let ended = try await answered(client)
            let (present, open) = try await claimed(client)
            let copy = ["--topology", sandbox.path("topology.yaml")]
            let file = sandbox.path("copy")
            let backup = try Launched(["journal", "backup", file] + copy)
            #expect(try await backup.ending() == 0)
            func shown(_ file: String) throws -> String {
                let bytes = try #require(FileManager.default.contents(atPath: file))
                return "\(file) (\(bytes.count) bytes)\n"
            }
            let copied = try shown(file)
            #expect(backup.output.value == "backup: \(copied)")
            let early = try Launched(["journal", "restore", file] + copy)
            #expect(try await early.ending() == 75)
            #expect(early.errors.value.contains("in use by another process"))
            nodes[0].send(SIGKILL)
            _ = try await nodes[0].ending()
            let restore = try Launched(["journal", "restore", file] + copy)
            #expect(try await restore.ending() == 0)
            let journal = try shown(sandbox.path("central.sqlite"))
            #expect(restore.output.value.hasPrefix("journal: \(journal)"))
            #expect(restore.output.value.contains("former journal: "))
            nodes[0] = try await sandbox.start("central")
            client = try await console.client(nodes[0].errors)
            _ = try await client.send("GET", "/api/v1/events", until: "\"stage\":\"claimed\"")
            let facts = try await Facts(client, open: open, ended: ended)
            #expect(facts.claim[0] == "ann")
            #expect(facts.outcome[1] == "bob")
            present.send(SIGINT)
        }
    }
}
