import ArgumentParser
import ErrorBus

/// `bus-node inbox show`.
struct InboxShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one presentation whole, with its history.",
        discussion: "Example: bus-node inbox show 01920000 --to http://127.0.0.1:8080")

    @OptionGroup var target: InboxTarget

    @Argument(help: "A presentation's id, or the beginning or end of one.")
    var id: String

    @Flag(help: "Print it as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let client = try target.client()
            let item = try await client.get("/presentations/\(try await client.id(id))")
            if json { return try StandardOutput.show(item) }
            try StandardOutput.show(InboxDetail(item).lines)
        }
    }
}
