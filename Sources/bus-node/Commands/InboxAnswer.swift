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

    @Argument(help: "A presentation's id, or the beginning or end of one.")
    var id: String

    @Argument(help: "The id of one of its options.")
    var option: String

    @Flag(help: "Answer every open presentation of its group.")
    var allLike = false

    @Option(
        help: """
            With --all-like: the revision of the list that was looked at, as list --json has it; \
            what came after it is not answered. Everything that is open now when not given.
            """)
    var seen: Int64?

    @Option(help: "Hold it back so long, at most 60s, for inbox undo.")
    var undo = "0s"

    @Option(help: "Who decides, for the record; the user's name when not given.")
    var by: String?

    @Flag(help: "Print the console's reply as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            guard seen == nil || allLike else {
                throw Failure(.usage, "--seen: allowed only with --all-like")
            }
            guard seen.map({ $0 >= 0 }) ?? true else {
                throw Failure(.usage, "--seen: found \(seen ?? 0), allowed: 0 and above")
            }
            let undo = try Target.duration(undo, option: "--undo")
            guard undo >= .zero, undo <= .seconds(60) else {
                throw Failure(.usage, "--undo: found \"\(self.undo)\", allowed: 0s to 60s")
            }
            let client = try target.client()
            let name = by ?? Self.user
            if allLike { return try await answerGroup(client, by: name, undo: undo) }
            let id = try await client.id(id)
            let item = try await client.answer(id, option: option, by: name, undo: undo)
            if json { return try StandardOutput.print(item.encoded()) }
            try StandardOutput.print(item["answer"]?.text("option") ?? option)
        }
    }

    private func answerGroup(
        _ client: ConsoleClient, by name: String, undo: Duration
    ) async throws {
        let item = try await client.get("/presentations/\(try await client.id(id))")
        guard let group = item["group"]?.integerValue else {
            throw Failure(.software, "the console names no group")
        }
        // What is there now is answered; what comes while this is under way is not.
        var latest = seen ?? item["revision"]?.integerValue ?? 0
        if seen == nil {
            let list = try await client.get("/inbox?stage=open&limit=10000")
            latest = max(latest, list["revision"]?.integerValue ?? 0)
        }
        let reply = try await client.post(
            "/groups/\(group)/answer",
            [
                "option": .string(option), "by": .string(name), "seen": .integer(latest),
                "undoMilliseconds": .integer(Int64(undo / .milliseconds(1))),
            ])
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
