import ErrorBus
import Foundation
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

    /// A stand-in for Slack, and the app that follows the console at an address.
    private func startedApp(
        at address: String, with tokens: String
    ) async throws -> (slack: Launched, bot: Launched) {
        let here = URL(filePath: #filePath)
        func path(_ relative: String) -> String {
            here.appending(path: relative).standardizedFileURL.path
        }
        let slack = try Launched(
            ["python3", path("../slack_stand_in.py"), "xoxb-1", "8f742231b10e8888"],
            program: "/usr/bin/env")
        let bot = try Launched(
            [
                "python3", path("../../../../Examples/notify/slack_bot.py"), "--console",
                "http://\(address)", "--tokens", tokens, "--channel", "C1", "--port", "0",
                "--slack", try await said(slack),
            ], program: "/usr/bin/env")
        return (slack, bot)
    }

    @Test("A Slack app: one message for a group, answered by a person under the person's name")
    func slack() async throws {
        let tokens = try await tokens()
        let (nodes, address) = try await started()
        let (slack, bot) = try await startedApp(at: address, with: tokens)
        let app = try await said(bot)
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
        let standIn = ConsoleClient(
            address: slack.output.value.components(separatedBy: "//")[1]
                .components(separatedBy: "\n")[0], token: "")
        func press(
            _ option: String, by user: String, more: [String: JSONValue] = [:]
        ) async throws -> String {
            let press: [String: JSONValue] = [
                "app": .string(app), "user": .string(user), "option": .string(option),
            ]
            let pressed = JSONValue.object(press.merging(more) { $1 })
            return try await standIn.send("POST", "/press", pressed).text("status")
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
        let posts = slack.output.value.components(separatedBy: "chat.postMessage").count - 1
        #expect(posts == 1)
        for secret in ["xoxb-1", "8f742231b10e8888"] {
            #expect(!bot.output.value.contains(secret))
        }
        withExtendedLifetime(nodes) {}
    }

    @Test("A Slack app whose event stream was cut goes on with the messages that it has posted")
    func slackGoesOn() async throws {
        let tokens = try await tokens()
        let place = "127.0.0.1:\(try Port().number)"
        let (nodes, address) = try await started(more: ", hosts: [\"\(place)\"]")
        let link = try await ProxiedLink(
            sandbox, from: "tcp://\(place)", to: "tcp://\(address)")
        let (slack, bot) = try await startedApp(at: place, with: tokens)
        let first = try sandbox.present("--option", "retry=Retry")
        #expect(await slack.prints("chat.postMessage"), "\(bot.output.value)")
        try link.setUp(false)
        let second = try sandbox.present("--option", "retry=Retry")
        try link.setUp(true)
        #expect(await slack.prints("2 presentations of 2 origins"), "\(bot.output.value)")
        #expect(slack.output.value.components(separatedBy: "chat.postMessage").count == 2)
        withExtendedLifetime((nodes, first, second)) {}
    }

    /// The address that a program of Python prints first.
    private func said(_ process: Launched) async throws -> String {
        let isThere = await process.prints("\n")
        try #require(isThere, "no address; it said: \(process.errors.value)")
        return String(process.output.value.prefix { $0 != "\n" })
    }
}
