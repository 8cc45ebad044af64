import ErrorBus
import Foundation
import Glibc
import Testing

extension EndToEnd.Notify {
    private static let causes = ["The disk is full.", "The lease is over.", "The key is unknown."]

    /// Workers of the relay that fail for the three causes in turn.
    private func workers(_ count: Int) throws -> Launched {
        let here = URL(filePath: #filePath)
        let root = here.appending(path: "../../../..").standardized
        return try Launched(
            [
                here.appending(path: "../storm_of_causes.py").standardized.path,
                sandbox.endpoint("relay"), "\(count)",
            ] + Self.causes, program: root.appending(path: "scripts/python").path,
            environment: [
                "PYTHONPATH": root.appending(path: "Examples/clients").path,
                "PYTHONDONTWRITEBYTECODE": "1",
            ])
    }

    /// The answers that workers have carried out, once there are so many.
    private func answers(_ count: Int, of workers: Launched) async throws -> [JSONValue] {
        let isThere = await workers.output.becomes { output in
            output.utf8.count { $0 == UInt8(ascii: "\n") } >= count
        }
        #expect(isThere, "\(workers.output.value.suffix(400)) \(workers.errors.value)")
        return try workers.output.value.split(separator: "\n").map {
            try JSONValue.parse(Array($0.utf8))
        }
    }

    /// Answers the group of a cause, or its first hundred members, and returns the ids.
    private func answered(
        _ cause: String, with option: String, isPart: Bool = false, _ client: ConsoleClient
    ) async throws -> [JSONValue] {
        let list = try await client.send("GET", "/api/v1/inbox?limit=1")
        let groups = list.json["groups"]?.arrayValue ?? []
        let group = try #require(groups.first { $0["first"]?["description"] == .string(cause) })
        let number = try #require(group["number"]?.integerValue)
        var body: [String: JSONValue] = ["option": .string(option), "by": "ann"]
        if isPart { body["ids"] = group["ids"] } else { body["count"] = group["members"] }
        let reply = try await client.send(
            "POST", "/api/v1/groups/\(number)/answer", .object(body))
        return try #require(reply.json["answered"]?.arrayValue, "\(reply.text)")
    }

    /// The messages of a storm of 1,000, after two failures.
    private func expectThreeMessages(by standIn: Launched) async {
        let requests = await taken(3, by: standIn)
        #expect(requests.map { $0["status"] } == [503, 503, 200, 200, 200])
        #expect(Set(requests.prefix(3).compactMap { $0["message"] }).count == 1)
        let messages = requests.dropFirst(2).compactMap { $0["body"] }
        #expect(
            messages.compactMap { $0["title"]?.stringValue }.sorted() == [
                "opened: 333 × The key is unknown.", "opened: 333 × The lease is over.",
                "opened: 334 × The disk is full.",
            ])
        for message in messages {
            let group = message["group"]?.stringValue ?? ""
            #expect(
                message["link"]
                    == .string("http://c.example/#/inbox?filter=group%3A\(group)"))
        }
    }

    /// Each worker was answered, and none counts as left open, by the rule's answers either.
    private func expectAnswered(
        _ workers: [(process: Launched, count: Int)], at client: ConsoleClient
    ) async throws {
        for (process, count) in workers {
            #expect(try await process.ending() == 0, "\(process.errors.value)")
            #expect(try await answers(count, of: process).count == count)
        }
        let left = try await client.send("GET", "/api/v1/history?end=left")
        #expect(left.json["presentations"]?.arrayValue == [], "\(left.text)")
    }

    @Test(
        """
        A26 A storm of 1,000 with three causes: a signed message each, parts answered, a rule; and \
        kill -9 in the middle of it
        """)
    func storm() async throws {
        let secret = try secret("secret")
        let (standIn, address) = try await receiver(
            "stand_in.py", "--fail", "2", "--secret-file", secret)
        try sandbox.write("policy.yaml", "rules: []\n")
        let hook = "name: in, url: \(address)/in, secret: file:\(secret), digest: 1m"
        try sandbox.writeTopology(
            presenters: "policy: policy.yaml\n"
                + "      - console: { listen: \"127.0.0.1:*\", url: \"http://c.example\" }",
            extra: "    journal: $DIR/central.sqlite\n    notify: [{ \(hook) }]")
        var (central, client) = try await centre()
        let relay = try await sandbox.start("relay")
        let first = try workers(1_000)
        try await areOpen(1_000, client)
        let list = try await client.send("GET", "/api/v1/inbox?limit=1")
        let sizes = list.json["groups"]?.arrayValue?.compactMap { $0["members"]?.integerValue }
        #expect(sizes?.sorted() == [333, 333, 334])

        // While the messages are collected, and tried: no answer waits for a hook.
        let part = try await answered(Self.causes[0], with: "retry", isPart: true, client)
        let other = try await answered(Self.causes[1], with: "cancel", isPart: true, client)
        #expect(part.count == 100 && other.count == 100)
        let early = try await answers(200, of: first)
        #expect(early.filter { $0["option"] == "retry" }.count == 100)
        let from = try Launched([
            "policy", "from", try #require(part.first?.stringValue), "--to",
            "http://\(client.address)/?token=\(client.token)",
        ])
        #expect(try await from.ending() == 0)
        #expect(from.output.value.contains("# As in 100 answers by people"))
        try sandbox.write("policy.yaml", from.output.value)
        central.send(SIGHUP)
        #expect(await central.says("rules read again"))
        await expectThreeMessages(by: standIn)
        #expect(await central.says("notify: hook works again"))
        let log = central.errors.value
        #expect(log.components(separatedBy: "notify: hook fails").count == 2)
        #expect(!log.contains("0123456789abcdef"))

        // The rule answers new ones of its cause; what is open stays a person's.
        let second = try workers(30)
        let ruled = try await answers(10, of: second)
        #expect(Set(ruled.compactMap { $0["by"] }) == ["policy central rule 1"])
        #expect(Set(ruled.compactMap { $0["cause"] }) == [.string(Self.causes[0])])
        try await areOpen(820, client)
        let metrics = try await client.send("GET", "/metrics").text
        for line in [
            #"errorbus_presentations{severity="error",stage="open"} 820"#,
            #"errorbus_answers_total{via="person"} 200"#,
            #"errorbus_answers_total{via="policy"} 10"#,
            #"errorbus_hook_messages_total{hook="in"} 3"#,
        ] { #expect(metrics.contains("\(line)\n"), "\(metrics)") }

        let before = try await people(
            at: client, but: Self.causes[0], answered: try #require(part.first?.stringValue))
        central.send(SIGKILL)
        _ = try await central.ending()
        (central, client) = try await centre()
        // What is presented again passes the rules again: the new one answers its cause.
        try await areOpen(586, client)
        try await before.expectKept(at: client)
        for (cause, count) in zip(Self.causes.dropFirst(), [243, 343]) {
            #expect(try await answered(cause, with: "retry", client).count == count)
        }
        try await expectAnswered([(first, 1_000), (second, 30)], at: client)
        withExtendedLifetime((standIn, relay)) {}
    }
}
