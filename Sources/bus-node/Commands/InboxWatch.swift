import ArgumentParser
import ErrorBus

/// `bus-node inbox watch`.
struct InboxWatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print what is open, then every change, until Ctrl-C.",
        discussion: """
            A line for each presentation that changed. A connection that ends is made again, and \
            nothing in between is missed. Exits 69 when no console is there at the start.

            Example: bus-node inbox watch --to http://127.0.0.1:8080 --json
            """)

    @OptionGroup var target: InboxTarget

    @Flag(help: "Print each presentation as a line of JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let client = try target.client()
            let feed = InboxFeed(client: client, stage: "open", listsAgain: false)
            try await feed.run { [self] event in
                switch event {
                case .listed(let change), .change(let change):
                    try show(change["items"]?.arrayValue ?? [])
                case .hello: break
                case .lost(let reason): Terminal.say("bus-node: \(reason.shown())")
                }
            }
        }
    }

    private func show(_ items: [JSONValue]) throws {
        guard json else { return try StandardOutput.show(items.map(Self.line)) }
        for item in items { try StandardOutput.show(item) }
    }

    private static func line(_ item: JSONValue) -> String {
        let options = item["stage"] == "open" ? " (\(item.optionIDs.joined(separator: " ")))" : ""
        return [
            item.text("changedAt"), item.text("id"), InboxRows.stage(item), item.text("severity"),
            item.text("origin"), item.text("description") + options,
        ].joined(separator: "  ").shown()
    }
}
