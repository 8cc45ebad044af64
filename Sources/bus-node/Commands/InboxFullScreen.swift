import ArgumentParser
import ErrorBus
import Foundation

/// `bus-node inbox screen`: what `bus-node inbox` does.
struct InboxFullScreen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "screen",
        abstract: "See and answer what waits, full-screen; the list where no terminal is.",
        discussion: """
            Lists instead when standard input or output is no terminal, or with --json, --stage or \
            --limit. ? shows the keys, q quits. NO_COLOR leaves the colours out.

            Example: bus-node inbox --to http://127.0.0.1:8080 --by ann
            """)

    @OptionGroup var target: InboxTarget
    @OptionGroup var listing: InboxListing

    @Option(help: "Who decides, for the record; the user's name when not given.")
    var by: String?

    func run() async throws {
        try await orFail {
            let client = try target.client()
            guard Terminal.canFillScreen, !listing.isChosen else {
                return try await listing.print(from: client)
            }
            try await InboxScreenSession(client, person: by ?? InboxAnswer.user).run()
        }
    }
}

extension InboxListing {
    /// Whether a list was asked for in so many words.
    fileprivate var isChosen: Bool { json || stage != .open || limit != 1_000 }
}
