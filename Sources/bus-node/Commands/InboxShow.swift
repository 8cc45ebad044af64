import ArgumentParser
import ErrorBus

/// `bus-node inbox show`.
struct InboxShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one presentation whole, with its history.",
        discussion: "Example: bus-node inbox show 01920000 --to http://127.0.0.1:8080")

    @OptionGroup var target: InboxTarget

    @Argument(help: "A presentation's id, or the beginning of one.")
    var id: String

    @Flag(help: "Print it as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let client = try target.client()
            let item = try await client.get("/presentations/\(try await client.id(id))")
            try StandardOutput.print(
                json ? [String(decoding: item.encoded(), as: UTF8.self)] : InboxDetail(item).lines)
        }
    }
}
