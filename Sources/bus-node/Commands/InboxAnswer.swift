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
            group gets the option, and is printed with its id; each origin carries it out by \
            itself, and what comes in after this is a question of its own. Where their \
            descriptions differ, they are listed, and the option is refused without --differing, \
            or at a terminal asked about, as is one that cannot be undone. Exits 1 when another \
            answer was first, 64 when the option is not offered or the descriptions differ.

            Example: bus-node inbox answer 01920000 retry --to http://127.0.0.1:8080
            """)

    @OptionGroup var target: InboxTarget

    @Argument(help: "A presentation's id, or the beginning or end of one.")
    var id: String

    @Argument(help: "The id of one of its options.")
    var option: String

    @Flag(help: "Answer every open presentation of its group.")
    var allLike = false

    @Flag(help: "With --all-like: also where the descriptions in the group differ.")
    var differing = false

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
            guard !differing || allLike else {
                throw Failure(.usage, "--differing: allowed only with --all-like")
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
            let id = try await client.id(id)
            if allLike { return try await answerAll(like: id, client, by: name, undo: undo) }
            let item = try await client.answer(id, option: option, by: name, undo: undo)
            if json { return try StandardOutput.print(item) }
            try StandardOutput.print(item["answer"]?.text("option") ?? option)
        }
    }

    static var user: String { ProcessInfo.processInfo.environment["USER"] ?? NSUserName() }
}
