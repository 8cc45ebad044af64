import ErrorBus
import Foundation
import Glibc
import Testing

extension EndToEnd.Users {
    /// The app's tokens: its own, and those of two people.
    private func tokens() async throws -> String {
        let tokens = sandbox.path("tokens")
        try FileManager.default.createDirectory(
            atPath: tokens, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        try sandbox.write("tokens/console", try await added("bot", "see"))
        try sandbox.write("tokens/U1", try await added("ann", "answer"))
        try sandbox.write("tokens/U2", try await added("eve", "see"))
        try sandbox.write("tokens/bot", "xoxb-1")
        try sandbox.write("tokens/signing", "8f742231b10e8888")
        return tokens
    }

    /// A program of Python, by its path from this file.
    private func python(_ path: String, _ arguments: String...) throws -> Launched {
        let program = URL(filePath: #filePath).appending(path: path).standardizedFileURL.path
        return try Launched(["python3", program] + arguments, program: "/usr/bin/env")
    }

    private func startedSlack() throws -> Launched {
        try python("../slack_stand_in.py", "xoxb-1", "8f742231b10e8888")
    }

    /// The app, between the console at an address and a stand-in for Slack.
    private func startedBot(
        at address: String, with tokens: String, _ slack: Launched
    ) async throws -> Launched {
        try python(
            "../../../../Examples/notify/slack_bot.py", "--console", "http://\(address)",
            "--tokens", tokens, "--channel", "C1", "--port", "0", "--slack", try await said(slack))
    }

    /// Presses the latest button of an option at Slack; the app's status.
    private func press(
        _ option: String, by user: String, at slack: Launched, _ bot: Launched,
        more: [String: JSONValue] = [:]
    ) async throws -> String {
        let address = try await said(slack).replacing("http://", with: "")
        let press: [String: JSONValue] = [
            "app": .string(try await said(bot)), "user": .string(user), "option": .string(option),
        ]
        return try await ConsoleClient(address: address, token: "")
            .send("POST", "/press", .object(press.merging(more) { $1 })).text("status")
    }

    private func postCount(_ slack: Launched) -> Int {
        slack.output.value.components(separatedBy: "chat.postMessage").count - 1
    }

    @Test("A Slack app: one message for a group, answered by a person under the person's name")
    func slack() async throws {
        let tokens = try await tokens()
        let (nodes, address) = try await started()
        let slack = try startedSlack()
        let bot = try await startedBot(at: address, with: tokens, slack)
        let presents = try (1...3).map { _ in
            try sandbox.present(
                "--option", "retry=Retry", "--option", "wipe=Wipe:destructive", "--option",
                "move=Move", "--field", "move.path=Path")
        }
        #expect(await slack.prints("3 presentations of 3 origins"), "\(bot.output.value)")
        // A button gives no values.
        #expect(slack.output.value.contains("|Show, with 1 more>"))
        #expect(slack.output.value.contains("/#/inbox?filter=group%3A"))
        #expect(!slack.output.value.contains("\"action_id\": \"move\""))
        func press(
            _ option: String, by user: String, more: [String: JSONValue] = [:]
        ) async throws -> String {
            try await self.press(option, by: user, at: slack, bot, more: more)
        }
        #expect(try await press("retry", by: "U1", more: ["secret": "another"]) == "401")
        #expect(try await press("retry", by: "U9") == "200")
        #expect(await slack.prints("You have no token"))
        #expect(try await press("retry", by: "U2") == "200")
        #expect(await slack.prints("eve may not answer"))
        #expect(try await press("wipe", by: "U1") == "200")
        #expect(await slack.prints("ann may not"), "\(slack.output.value)")
        #expect(try await press("retry", by: "U1") == "200")
        #expect(await slack.prints("3 answered with Retry."))
        for present in presents {
            #expect(try await present.ending() == 0)
            #expect(present.output.value == "retry\n")
        }
        #expect(await slack.prints("3 \\u00d7 retry by ann: "), "\(slack.output.value)")
        #expect(postCount(slack) == 1)
        for secret in ["xoxb-1", "8f742231b10e8888"] {
            #expect(!bot.output.value.contains(secret))
        }
        withExtendedLifetime(nodes) {}
    }

    @Test("A Slack app posts what has the longest texts that Slack writes in several characters")
    func slackLongTexts() async throws {
        let tokens = try await tokens()
        let (nodes, address) = try await started()
        let slack = try startedSlack()
        let bot = try await startedBot(at: address, with: tokens, slack)
        let present = try sandbox.present(
            "--domain", String(repeating: "&", count: 200), "--description",
            "x" + String(repeating: "&", count: 600), "--option",
            "retry=" + String(repeating: "\u{1F600}", count: 200))
        #expect(await slack.prints("chat.postMessage"), "\(bot.errors.value)")
        let isPosted = await eventually { [sandbox] in
            (try? sandbox.read("tokens/posted.json"))?.contains("\"state\"") == true
        }
        #expect(isPosted, "\(bot.output.value)")
        // What is cut ends in a whole character.
        #expect(slack.output.value.contains("&amp;*"), "\(slack.output.value)")
        withExtendedLifetime((nodes, present)) {}
    }

    @Test("A Slack app posts what has neither a description nor a title of its option")
    func slackEmptyTexts() async throws {
        let tokens = try await tokens()
        let (nodes, address) = try await started()
        let slack = try startedSlack()
        let bot = try await startedBot(at: address, with: tokens, slack)
        try sandbox.write(
            "empty.json",
            """
            {"domain": "org.example.cron", "description": "",
             "recoveryOptions": [{"id": "retry", "title": ""}]}
            """)
        let present = try Launched([
            "present", "--to", sandbox.endpoint("relay"), "--report", sandbox.path("empty.json"),
        ])
        #expect(await slack.prints("*org.example.cron*"), "\(bot.errors.value)")
        let isPosted = await eventually { [sandbox] in
            (try? sandbox.read("tokens/posted.json"))?.contains("\"state\"") == true
        }
        #expect(isPosted, "\(bot.output.value)")
        #expect(try await press("retry", by: "U1", at: slack, bot) == "200")
        #expect(await slack.prints("1 answered with retry."))
        #expect(try await present.ending() == 0)
        withExtendedLifetime(nodes) {}
    }

    @Test("A Slack app that was cut off goes on with the messages that it has posted")
    func slackGoesOn() async throws {
        let tokens = try await tokens()
        let place = "127.0.0.1:\(try Port().number)"
        let (nodes, address) = try await started(more: ", hosts: [\"\(place)\"]")
        let link = try await ProxiedLink(
            sandbox, from: "tcp://\(place)", to: "tcp://\(address)")
        let slack = try startedSlack()
        let bot = try await startedBot(at: place, with: tokens, slack)
        let first = try sandbox.present("--option", "retry=Retry")
        #expect(await slack.prints("chat.postMessage"), "\(bot.output.value)")
        try link.setUp(false)
        #expect(try await press("retry", by: "U1", at: slack, bot) == "200")
        #expect(await slack.prints("The console cannot be reached"), "\(bot.errors.value)")
        let second = try sandbox.present("--option", "retry=Retry")
        try link.setUp(true)
        #expect(await slack.prints("2 presentations of 2 origins"), "\(bot.output.value)")
        #expect(postCount(slack) == 1)
        withExtendedLifetime((nodes, first, second)) {}
    }

    @Test("A Slack app posts nothing twice when it or the console restarts, and its buttons work")
    func slackRestarts() async throws {
        let tokens = try await tokens()
        let (nodes, address) = try await started(at: "127.0.0.1:\(try Port().number)")
        let slack = try startedSlack()
        let before = try await startedBot(at: address, with: tokens, slack)
        let first = try sandbox.present("--option", "retry=Retry")
        let isRemembered = await eventually { [sandbox] in
            (try? sandbox.read("tokens/posted.json"))?.contains("\"state\"") == true
        }
        #expect(isRemembered, "\(before.output.value) \(before.errors.value)")
        before.send(SIGKILL)
        _ = try await before.ending()
        let bot = try await startedBot(at: address, with: tokens, slack)
        let second = try sandbox.present("--option", "retry=Retry")
        #expect(await slack.prints("2 presentations of 2 origins"), "\(bot.errors.value)")
        nodes[0].send(SIGTERM)
        #expect(try await nodes[0].ending() == 0)
        let (central, _) = try await startedCentral()
        let third = try sandbox.present("--option", "retry=Retry")
        #expect(await slack.prints("3 presentations of 3 origins"), "\(bot.errors.value)")
        #expect(postCount(slack) == 1)
        #expect(try await press("retry", by: "U1", at: slack, bot) == "200")
        #expect(await slack.prints("3 answered with Retry."), "\(slack.output.value)")
        for present in [first, second, third] { #expect(try await present.ending() == 0) }
        withExtendedLifetime((nodes, central)) {}
    }

    @Test("A Slack app goes on with the other messages when Slack refuses one, and tries that once")
    func slackRefusal() async throws {
        let tokens = try await tokens()
        let (nodes, address) = try await started()
        let slack = try startedSlack()
        let bot = try await startedBot(at: address, with: tokens, slack)
        let refused = try sandbox.present("--description", "A riddle", "--option", "retry=Retry")
        #expect(await bot.prints("chat.postMessage: invalid_blocks: '*A riddle*"))
        let other = try sandbox.present("--description", "Plain", "--option", "retry=Retry")
        #expect(await slack.prints("*Plain*"), "\(bot.output.value)")
        #expect(try await press("retry", by: "U1", at: slack, bot) == "200")
        #expect(await slack.prints("1 answered with Retry."))
        #expect(try await other.ending() == 0)
        // Its end is no new message.
        refused.send(SIGINT)
        _ = try await refused.ending()
        let last = try sandbox.present("--description", "Last", "--option", "retry=Retry")
        #expect(await slack.prints("*Last*"), "\(bot.output.value)")
        #expect(slack.output.value.components(separatedBy: "riddle").count == 3)
        withExtendedLifetime((nodes, last)) {}
    }

    @Test("A Slack app reads nothing of a body whose length is no number", arguments: ["-1", "x"])
    func slackLength(length: String) async throws {
        let tokens = try await tokens()
        let (nodes, address) = try await started()
        let slack = try startedSlack()
        let bot = try await startedBot(at: address, with: tokens, slack)
        let script = """
            import http.client, sys
            client = http.client.HTTPConnection(sys.argv[1])
            client.putrequest("POST", "/")
            client.putheader("Content-Length", sys.argv[2])
            client.endheaders()
            print(client.getresponse().status)
            """
        let place = try await said(bot).replacing("http://", with: "")
        let client = try Launched(
            ["python3", "-c", script, place, length], program: "/usr/bin/env")
        #expect(try await client.ending() == 0)
        #expect(client.output.value == "401\n")
        withExtendedLifetime((nodes, slack)) {}
    }

    @Test("A Slack app remembers of a group that stays open only the latest that ended")
    func slackBound() async throws {
        let tokens = try await tokens()
        let (nodes, address) = try await started()
        let slack = try startedSlack()
        let before = try await startedBot(at: address, with: tokens, slack)
        let first = try sandbox.present("--option", "retry=Retry")
        let isRemembered = await eventually { [sandbox] in
            (try? sandbox.read("tokens/posted.json"))?.contains("\"state\"") == true
        }
        #expect(isRemembered, "\(before.output.value) \(before.errors.value)")
        before.send(SIGKILL)
        _ = try await before.ending()
        let ended = (1...600).map { "\"ended-\($0)\": null, " }.joined()
        try sandbox.write(
            "tokens/posted.json",
            try sandbox.read("tokens/posted.json")
                .replacing("\"ends\": {", with: "\"ends\": {\(ended)"))
        let bot = try await startedBot(at: address, with: tokens, slack)
        let second = try sandbox.present("--option", "retry=Retry")
        #expect(await slack.prints("2 presentations of 2 origins"), "\(bot.errors.value)")
        let isCut = await eventually { [sandbox] in
            let kept = (try? sandbox.read("tokens/posted.json")) ?? ""
            return kept.contains("\"ended-400\"") && !kept.contains("\"ended-600\"")
        }
        #expect(isCut)
        #expect(postCount(slack) == 1)
        withExtendedLifetime((nodes, first, second)) {}
    }

    /// An open group of a console's list.
    private func group(
        _ number: Int, members: Int = 1, severity: String = "error", ids: [String]
    ) -> JSONValue {
        [
            "number": .integer(Int64(number)), "members": .integer(Int64(members)),
            "severity": .string(severity), "origins": 1, "url": "http://c.example",
            "ids": .array(ids.map { .string($0) }),
            "first": [
                "id": .string(ids[0]), "groupKey": "key", "domain": "test", "origin": "worker",
                "description": .string("Boom \(number)"), "options": [], "url": "http://c.example",
            ],
        ]
    }

    /// A presentation of a console's list.
    private func item(
        _ id: String, of group: Int, outcome: JSONValue = .null, answer: JSONValue = .null
    ) -> JSONValue {
        [
            "id": .string(id), "group": .integer(Int64(group)), "outcome": outcome,
            "answer": answer,
        ]
    }

    /// Makes the stand-in return this list as a console; and its address.
    @discardableResult
    private func list(
        _ groups: [JSONValue], count: Int, items: [JSONValue] = [], at slack: Launched
    ) async throws -> String {
        let address = try await said(slack).replacing("http://", with: "")
        let inbox: JSONValue = [
            "groups": .array(groups), "groupCount": .integer(Int64(count)),
            "items": .array(items), "startedAt": "2026-11-22T10:00:00.000Z", "revision": 1,
            "latest": 1,
        ]
        let reply = try await ConsoleClient(address: address, token: "")
            .send("POST", "/inbox", inbox)
        #expect(reply.status == 200)
        return address
    }

    @Test("A Slack app takes no open group for ended that the console's list has no room for")
    func slackCutList() async throws {
        let tokens = try await tokens()
        let slack = try startedSlack()
        let address = try await list([group(1, ids: ["a"])], count: 1, at: slack)
        let bot = try await startedBot(at: address, with: tokens, slack)
        #expect(await slack.prints("*Boom 1*"), "\(bot.output.value)")
        // Once the third is posted, all that follows from the list with the second is done.
        for (number, id) in [(2, "b"), (3, "c")] {
            try await list([group(number, ids: [id])], count: number, at: slack)
            #expect(await slack.prints("*Boom \(number)*"), "\(bot.output.value)")
        }
        #expect(!slack.output.value.contains("~Boom"))
        let ended = item("a", of: 1, outcome: "Recovered")
        try await list([group(3, ids: ["c"])], count: 2, items: [ended], at: slack)
        #expect(await slack.prints("~Boom 1~"), "\(bot.output.value)")
        #expect(!slack.output.value.contains("~Boom 2~"))
        withExtendedLifetime(bot) {}
    }

    @Test("A Slack app counts the ends of all members of a group, also where the list names 100")
    func slackCount() async throws {
        let tokens = try await tokens()
        let slack = try startedSlack()
        let ids = (1...700).map { "id-\($0)" }
        let named = Array(ids.prefix(100))
        let address = try await list(
            [group(1, members: 700, ids: named)], count: 1, items: ids.map { item($0, of: 1) },
            at: slack)
        let bot = try await startedBot(at: address, with: tokens, slack)
        #expect(await slack.prints("700 presentations"), "\(bot.output.value)")
        try await list(
            [group(1, members: 700, severity: "critical", ids: named)], count: 1, at: slack)
        #expect(await slack.prints("critical"), "\(bot.output.value)")
        let answer: JSONValue = ["option": "retry", "by": "ann"]
        let ended = ids.map { item($0, of: 1, outcome: "Recovered", answer: answer) }
        try await list([], count: 0, items: ended, at: slack)
        #expect(
            await slack.prints("700 \\u00d7 retry by ann: Recovered"), "\(slack.output.value)")
        withExtendedLifetime(bot) {}
    }

    /// The address that a program of Python prints first.
    private func said(_ process: Launched) async throws -> String {
        let isThere = await process.prints("\n")
        try #require(isThere, "no address; it said: \(process.errors.value)")
        return String(process.output.value.prefix { $0 != "\n" })
    }
}
