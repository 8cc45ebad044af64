import ErrorBus
import Foundation
import Glibc
import Testing

extension EndToEnd.Console {
    @Test("Silenced errors are answered or withheld, also open ones, and in the next life")
    func silences() async throws {
        let (nodes, client) = try await bus(extra: "    journal: $DIR/central.sqlite")
        let open = try sandbox.present("--option", "retry=Retry", "--option", "skip=Skip")
        let id = try await openID(client)
        let match: JSONValue = ["domain": "te*"]
        let preview = try await client.send(
            "POST", "/api/v1/silences/preview", ["match": match])
        #expect(preview.json["ids"] == [.string(id)])
        let made = try await client.send(
            "POST", "/api/v1/silences",
            [
                "match": match, "by": "ann", "comment": "known", "option": "skip",
                "forMilliseconds": 600_000, "alsoOpen": true,
            ])
        #expect(made.status == 200)
        #expect(made.text("applied") == "1")
        #expect(try await open.ending() == 0)
        #expect(open.output.value == "skip\n")
        // Not offered by the next one: withheld.
        let next = try sandbox.present("--option", "retry=Retry")
        #expect(try await next.ending() == 1)
        #expect(next.errors.value.contains("withheld by central, silence 1 (ann)"))
        nodes[0].send(SIGTERM)
        _ = try await nodes[0].ending()
        let central = try await sandbox.start("central")
        let again = try await self.client(central.errors)
        let list = try await again.send("GET", "/api/v1/silences")
        let silence = try #require(list.json["silences"]?.arrayValue?.first)
        #expect(silence["answered"]?.integerValue == 1)
        #expect(silence["withheld"]?.integerValue == 1)
        #expect(list.json["isKept"]?.boolValue == true)
        let path = "/api/v1/silences/1/end"
        let ended = try await again.send("POST", path, ["by": "bob"])
        #expect(ended.text("stage") == "ended")
        #expect(try await again.send("POST", path, ["by": "bob"]).status == 409)
        let unknown = try await again.send("POST", "/api/v1/silences/9/end", ["by": "bob"])
        #expect([String(unknown.status), unknown.text("error")] == ["404", "unknownSilence"])
        let everything = try await again.send(
            "POST", "/api/v1/silences",
            ["match": [:], "by": "ann", "comment": "x", "forMilliseconds": 600_000])
        #expect(everything.status == 400)
        withExtendedLifetime((nodes, central)) {}
    }

    @Test("F19 A held answer is sent when its node gets SIGTERM")
    func stopsWithHeldAnswer() async throws {
        let (nodes, client) = try await bus(extra: "    journal: $DIR/central.sqlite")
        let present = try sandbox.present("--option", "retry=Retry", "--option", "no=No:cancel")
        let id = try await openID(client)
        let held = try await client.send(
            "POST", "/api/v1/presentations/\(id)/answer",
            ["option": "retry", "by": "ann", "undoMilliseconds": 60_000])
        #expect(held.text("stage") == "leaving")
        nodes[0].send(SIGTERM)
        #expect(try await present.ending() == 0)
        #expect(present.output.value == "retry\n")
        #expect(try await nodes[0].ending() == 0)
        #expect(try sandbox.read("central.jsonl").contains("\"by\":\"ann\""))
    }

    @Test("A group's answer is undone in one request")
    func undoesGroup() async throws {
        let (nodes, client) = try await bus()
        let presents = try (1...2).map { _ in
            try sandbox.present("--option", "retry=Retry", "--option", "no=No:cancel")
        }
        _ = try await client.send("GET", "/api/v1/events", until: "\"openCount\":2")
        let list = try await client.send("GET", "/api/v1/inbox?stage=open")
        let group = try #require(
            list.json["groups"]?.arrayValue?.first?["number"]?.integerValue)
        let path = "/api/v1/groups/\(group)"
        let held = try await client.send(
            "POST", "\(path)/answer",
            ["option": "no", "by": "ann", "undoMilliseconds": 60_000])
        #expect(held.json["answered"]?.arrayValue?.count == 2)
        // Not those of all people by mistake.
        #expect(try await client.send("POST", "\(path)/undo", ["by": "ann"]).status == 400)
        let meant: JSONValue = ["by": "ann", "answers": held.json["answers"] ?? .null]
        let undone = try await client.send("POST", "\(path)/undo", meant)
        #expect(undone.json["undone"]?.arrayValue?.count == 2)
        let again = try await client.send("POST", "\(path)/undo", meant)
        #expect(again.status == 409 || again.status == 404)
        let open = try await client.send("GET", "/api/v1/inbox?stage=open")
        let number = try #require(
            open.json["groups"]?.arrayValue?.first?["number"]?.integerValue)
        _ = try await client.send(
            "POST", "/api/v1/groups/\(number)/answer", ["option": "retry", "by": "ann"])
        for present in presents { #expect(try await present.ending() == 0) }
        withExtendedLifetime(nodes) {}
    }

    @Test("A26 A27 many workers, one cause: one group, one answer, each its own recovery")
    func storm() async throws {
        let (nodes, client) = try await bus()
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        // Fewer open files than the connections take.
        let storm = try Launched(
            [
                "-c", #"ulimit -Sn 256; exec "$0" "$@""#,
                root.appending(path: "scripts/python").path,
                root.appending(path: "Examples/clients/storm.py").path, sandbox.endpoint("relay"),
                "http://\(client.address)", "200",
            ], program: "/bin/sh", environment: ["BUS_NODE_CONSOLE_TOKEN": client.token])
        #expect(try await storm.ending() == 0, "\(storm.errors.value)")
        #expect(await storm.prints("180 recovered, 20 failed"))
        withExtendedLifetime(nodes) {}
    }
}
