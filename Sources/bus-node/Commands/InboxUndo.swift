import ArgumentParser
import ErrorBus

/// `bus-node inbox undo`.
struct InboxUndo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Take back an answer that has not been sent.",
        discussion: """
            The page and the full-screen inbox hold answers back for some seconds. Prints the \
            stage it is in again; exits 1 when the answer has left.

            Example: bus-node inbox undo 01920000 --to http://127.0.0.1:8080
            """)

    @OptionGroup var target: InboxTarget

    @Argument(help: "A presentation's id, or the beginning or end of one.")
    var id: String

    @Option(help: "Who takes it back; the user's name when not given.")
    var by: String?

    @Flag(help: "Print the console's reply as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let client = try target.client()
            let request = InboxRequest.undo(id: try await client.id(id))
            let item = try await request.sent(to: client, by: by ?? InboxAnswer.user)
            if json { return try StandardOutput.print(item) }
            try StandardOutput.print(InboxRows.stage(item).shown())
        }
    }
}
