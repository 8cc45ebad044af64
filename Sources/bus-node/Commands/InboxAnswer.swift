import ArgumentParser
import ErrorBus
import Foundation

/// `bus-node inbox answer`.
struct InboxAnswer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Choose an option of a presentation, or of all that are like it.",
        discussion: """
            Prints the answer that counts. With --all-like every open presentation of the same \
            group gets the option; each origin carries it out by itself, and what comes in after \
            this is a question of its own. Exits 1 when somebody was first.

            Example: bus-node inbox answer 01920000 retry --to http://127.0.0.1:8080
            """)

    @OptionGroup var target: InboxTarget

    @Argument(help: "A presentation's id, or the beginning of one.")
    var id: String

    @Argument(help: "The id of one of its options.")
    var option: String

    @Flag(help: "Answer every open presentation of its group.")
    var allLike = false

    @Option(help: "Who decides, for the record; the user's name when not given.")
    var by: String?

    @Flag(help: "Print the console's reply as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let client = try target.client()
            let name = by ?? Self.user
            if allLike { return try await answerGroup(client, by: name) }
            let id = try await client.id(id)
            let item = try await answer(
                client, "/presentations/\(id)/answer",
                [
                    "option": .string(option), "by": .string(name),
                    "answer": .string(PresentationID.make().value.description),
                ])
            if json { return try StandardOutput.print(item.encoded()) }
            try StandardOutput.print(item["answer"]?.text("option") ?? option)
        }
    }

    /// Once more when the reply was lost: under the same id an answer counts once.
    private func answer(
        _ client: ConsoleClient, _ path: String, _ body: JSONValue
    ) async throws -> JSONValue {
        do {
            return try await client.post(path, body)
        } catch let failure as Failure where failure.status == .unavailable {
            return try await client.post(path, body)
        }
    }

    private func answerGroup(_ client: ConsoleClient, by name: String) async throws {
        // What is seen now is what is answered; what comes while this is under way is not.
        let seen = try await client.get("/inbox?stage=open&limit=10000")
        let item = try await client.get("/presentations/\(try await client.id(id))")
        guard let group = item["group"]?.integerValue else {
            throw Failure(.software, "the console names no group")
        }
        let latest = max(
            seen["revision"]?.integerValue ?? 0, item["revision"]?.integerValue ?? 0)
        let reply = try await client.post(
            "/groups/\(group)/answer",
            ["option": .string(option), "by": .string(name), "seen": .integer(latest)])
        let answered = reply["answered"]?.arrayValue?.count ?? 0
        let refused = reply["refused"]?.arrayValue ?? []
        if json {
            try StandardOutput.print(reply.encoded())
        } else {
            try StandardOutput.print("\(answered) answered, \(refused.count) refused")
            for one in refused {
                Terminal.say("bus-node: \(one.text("id").shown()): \(one.text("message").shown())")
            }
        }
        guard answered > 0, refused.isEmpty else { throw ExitStatus.declined.exitCode }
    }

    static var user: String { ProcessInfo.processInfo.environment["USER"] ?? NSUserName() }
}
