import ArgumentParser
import ErrorBus

/// `bus-node inbox list`.
struct InboxList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List presentations, oldest change first.",
        discussion: "Example: bus-node inbox list --to http://127.0.0.1:8080 --stage all")

    @OptionGroup var target: InboxTarget
    @OptionGroup var listing: InboxListing

    func run() async throws {
        try await orFail { try await listing.print(from: try target.client()) }
    }
}
